// The end of a call, in words that every protocol has.
import type { GenerateResult } from "../../index.js";
import { cancelled, vetoed } from "../http/failure.js";

/** OpenAI's words for it. */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter";

/** The end of an answer. */
export interface Finish {
  readonly reason: FinishReason;
  /** The reason of the hook that ended the call; null: no hook did. */
  readonly refusal: string | null;
}

/**
 * Returns how a call ended. Errors: 403 if a hook vetoed it before it began, 503 if its client or the server cancelled
 * it.
 */
export function finishOf(result: GenerateResult, requestId: string): Finish {
  const { halt, finishReason, decisions, text, reasoning, toolCalls } = result;
  if (halt !== undefined) return refused(halt.reason);
  if (finishReason === "cancelled") {
    const veto = decisions.findLast(({ action, decidedBy }) => action === "cancelled" && decidedBy !== null);
    if (veto === undefined) throw cancelled();
    if (text === "" && reasoning === "") throw vetoed(veto.reason, veto.status, requestId);
    return refused(veto.status === null ? veto.reason : null);
  }
  return { reason: finishReason === "stop" && toolCalls.length > 0 ? "tool_calls" : finishReason, refusal: null };
}

function refused(reason: string | null): Finish {
  return { reason: "content_filter", refusal: reason ?? "A hook of this server ended the answer" };
}
