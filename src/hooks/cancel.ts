// cancel(): the answer by which a handler cancels.
import { got } from "../base/check.js";
import { shown } from "../base/thrown.js";

// A registered symbol, so that two copies of the package in one process recognise each other's answers.
const brand = Symbol.for("llama-hooks.cancel");

/** The answer that {@link cancel} returns. */
export interface Cancel {
  /** Marks the object as a cancelling answer. */
  readonly [brand]: true;
  /** The reason; empty if none was given. */
  readonly reason: string;
}

/**
 * Returns the answer by which a pre hook cancels what is about to happen. Throwing it has the same effect. The card of
 * the point says whether the model, the caller or both see the reason. A cancel without a reason also counts: the
 * decision then says "no reason given", or names the value that was given in place of a text.
 *
 * @example
 * ```ts
 * engine.hooks.on("preToolCall", ({ toolName }) => (toolName === "shell" ? cancel("no shell here") : undefined));
 * ```
 */
export function cancel(reason?: string | null): Cancel {
  return Object.freeze({ [brand]: true as const, reason: wordsOf(reason) });
}

/** Returns "" if no reason was given; the engine then supplies the words. */
function wordsOf(reason: unknown): string {
  if (reason === undefined || reason === null) return "";
  return typeof reason === "string" ? reason : `the reason of cancel() must be a string, got ${shown(reason, got)}`;
}

/**
 * Returns the reason of a cancelling answer, also of one from another copy of the package. Undefined: `value` is not a
 * cancelling answer.
 */
export function cancelReason(value: unknown): string | undefined {
  try {
    const answer = value as Partial<Cancel> | null | undefined;
    return answer?.[brand] === true ? wordsOf(answer.reason) : undefined;
  } catch {
    return undefined; // a proxy
  }
}
