// A result as a chat completion.
import type { GenerateResult } from "../../index.js";
import { cancelled, vetoed } from "../http/failure.js";
import { logprobsOf } from "./logprobs.js";
import { usageOf } from "./usage.js";

/** What every object of one answer begins with. */
export interface AnswerHead {
  /** Id of the request. */
  readonly id: string;
  /** Seconds since the Unix epoch. */
  readonly created: number;
}

type FinishReason = "stop" | "length" | "tool_calls" | "content_filter";

/** The end of an answer. */
export interface Finish {
  readonly reason: FinishReason;
  /** Why a hook ended the call; null: none did. */
  readonly refusal: string | null;
}

/** How a call ended. Errors: 403 if a hook vetoed it before it began, 503 if its client or the server cancelled it. */
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

/** A call in the form of an answer. */
export function callOf({ id, name, args }: GenerateResult["toolCalls"][number]): object {
  return { id, type: "function", function: { name, arguments: JSON.stringify(args) } };
}

/** The whole answer. Errors: those of `finishOf()`. */
export function chatCompletionOf(result: GenerateResult, { id, created }: AnswerHead): object {
  const { reason, refusal } = finishOf(result, id);
  const calls = refusal === null ? result.toolCalls : [];
  const message = {
    role: "assistant",
    content: result.text === "" && (calls.length > 0 || refusal !== null) ? null : result.text,
    refusal,
    ...(result.reasoning !== "" && { reasoning_content: result.reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map(callOf) }),
  };
  return {
    id: `chatcmpl-${id}`,
    object: "chat.completion",
    created,
    model: result.modelId,
    choices: [{ index: 0, message, logprobs: logprobsOf(result.logprobs), finish_reason: reason }],
    usage: usageOf(result),
  };
}
