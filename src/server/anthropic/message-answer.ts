// A result as a message.
import type { GenerateResult } from "../../index.js";
import type { ApiError } from "../http/api-error.js";
import { type Finish, finishOf } from "../protocol/finish.js";

/** The end of a message. */
export interface MessageEnd {
  readonly stop_reason: string;
  readonly stop_sequence: string | null;
  /** The reason of the hook that ended the answer. */
  readonly stop_details: object | null;
}

/** Returns the end of a message. */
export function endOf({ reason, refusal }: Finish, { stopText }: GenerateResult): MessageEnd {
  const details = refusal === null ? null : { type: "refusal", category: null, explanation: refusal };
  const byStopText = reason === "stop" && stopText !== undefined;
  return {
    stop_reason: byStopText ? "stop_sequence" : reasons[reason],
    stop_sequence: byStopText ? stopText : null,
    stop_details: details,
  };
}

const reasons: Readonly<Record<Finish["reason"], string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal",
};

type Counts = Pick<GenerateResult["usage"], "promptTokens" | "cachedTokens" | "completionTokens">;

/** The cost of a call. The protocol counts cached tokens separately from the rest of the prompt. */
export function messageUsageOf({ promptTokens, cachedTokens, completionTokens }: Counts): object {
  return {
    input_tokens: promptTokens - cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedTokens,
    output_tokens: completionTokens,
  };
}

/** The blocks of an answer. */
export function contentOf({ text, reasoning, toolCalls }: GenerateResult, isRefused: boolean): readonly object[] {
  const calls = isRefused ? [] : toolCalls;
  return [
    ...(reasoning === "" ? [] : [thinkingBlock(reasoning)]),
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args })),
  ];
}

/** Reasoning is not signed here, because every model may read it again. */
export function thinkingBlock(thinking: string): object {
  return { type: "thinking", thinking, signature: "" };
}

/** The whole message. Errors: those of `finishOf()`. */
export function messageOf(result: GenerateResult, id: string): object {
  const finish = finishOf(result, id);
  return {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model: result.modelId,
    content: contentOf(result, finish.refusal !== null),
    ...endOf(finish, result),
    usage: messageUsageOf(result.usage),
  };
}

const types: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
};

/** An error in the protocol's form; `code` and `param` are as in the other endpoints. */
export function messageErrorOf({ status, message, code, param, details }: ApiError, id: string): object {
  const type = types[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
  return {
    type: "error",
    error: { type, message, code, param, ...(details !== undefined && { details }) },
    request_id: id,
  };
}
