// A result as a chat completion.
import type { GenerateResult } from "../../index.js";
import { finishOf } from "../protocol/finish.js";
import { logprobsOf } from "./logprobs.js";
import { usageOf } from "./usage.js";

/** The members that every object of one answer begins with. */
export interface AnswerHead {
  /** Id of the request. */
  readonly id: string;
  /** Seconds since the Unix epoch. */
  readonly created: number;
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
