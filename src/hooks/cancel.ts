// The answer that cancels. Must not: be mistaken for an object of fields.
import { wrong } from "../base/check.js";

// Registered, so that two copies of the package in one process know each other's answers.
const brand = Symbol.for("llama-hooks.cancel");

/** What {@link cancel} returns. */
export interface Cancel {
  /** Marks it as an answer that cancels. */
  readonly [brand]: true;
  /** What was given to `cancel()`; not empty. */
  readonly reason: string;
}

/**
 * The answer of a pre hook that stops what is about to happen. The reason is not empty; it reaches the model, the
 * caller, or both, as the point's card says.
 */
export function cancel(reason: string): Cancel {
  if (typeof reason !== "string" || reason === "")
    throw wrong("The reason of cancel()", "a string that is not empty", reason);
  return Object.freeze({ [brand]: true as const, reason });
}

export function isCancel(value: object): value is Cancel {
  return (value as Partial<Cancel>)[brand] === true;
}
