// The answer that cancels. Must not: be mistaken for an object of fields.
import { got } from "../base/check.js";
import { shown } from "../base/thrown.js";

// Registered, so that two copies of the package in one process know each other's answers.
const brand = Symbol.for("llama-hooks.cancel");

/** What {@link cancel} returns. */
export interface Cancel {
  /** Marks it as an answer that cancels. */
  readonly [brand]: true;
  /** Why; empty: no reason was given. */
  readonly reason: string;
}

/**
 * The answer of a pre hook that stops what is about to happen; thrown, it is the same answer. The reason reaches the
 * model, the caller, or both, as the point's card says. The veto holds without a reason, too: the decision then has
 * "no reason given", or says what was given in place of a text.
 */
export function cancel(reason?: string | null): Cancel {
  return Object.freeze({ [brand]: true as const, reason: wordsOf(reason) });
}

/** The engine has the words for a veto that has none. */
function wordsOf(reason: unknown): string {
  if (reason === undefined || reason === null) return "";
  return typeof reason === "string" ? reason : `the reason of cancel() must be a string, got ${shown(reason, got)}`;
}

/** The reason of an answer that cancels, maybe of another copy of the package; undefined: it is no such answer. */
export function cancelReason(value: unknown): string | undefined {
  try {
    const answer = value as Partial<Cancel> | null | undefined;
    return answer?.[brand] === true ? wordsOf(answer.reason) : undefined;
  } catch {
    return undefined; // a proxy
  }
}
