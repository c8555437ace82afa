// A result as a response.
import type { GenerateResult } from "../../index.js";
import { ApiError } from "../http/api-error.js";
import { type Finish, finishOf } from "../protocol/finish.js";
import { outputOf, type Progress, type ReasoningForm } from "./output-items.js";
import type { ToolNames } from "./tools.js";

/** The parts that every form of one response has. */
export interface ResponseHead {
  /** Id of the request. */
  readonly id: string;
  /** Seconds since the Unix epoch. */
  readonly created: number;
  /** The members of the request that the answer repeats. */
  readonly echo: object;
  readonly names: ToolNames;
  readonly form: ReasoningForm;
  /** Called with the items of the answer when it has ended. */
  ended(output: readonly object[]): void;
}

/** The progress of a response. */
export interface ResponseState {
  readonly status: Progress | "failed";
  /** The reason why it is incomplete; null: it is complete. */
  readonly incomplete_details: object | null;
}

/** The rest of a response. */
export interface ResponseParts extends ResponseState {
  readonly model: string;
  readonly output: readonly object[];
  readonly usage?: object;
  readonly error?: object;
}

/** The object of a response. */
export function responseObject({ id, created, echo }: ResponseHead, parts: ResponseParts): object {
  const { status, incomplete_details, model, output, usage = null, error = null } = parts;
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: created,
    completed_at: status === "completed" ? Math.floor(Date.now() / 1000) : null,
    status,
    error,
    incomplete_details,
    model,
    output,
    usage,
    access_programs: null,
    ...echo,
  };
}

/** The status of an answer that has ended. */
export function stateOf({ reason }: Finish): ResponseState & { readonly status: Progress } {
  if (reason === "length") return { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
  if (reason === "content_filter") return { status: "incomplete", incomplete_details: { reason: "content_filter" } };
  return { status: "completed", incomplete_details: null };
}

/** The cost of a response. */
export function responseUsageOf({ usage }: Pick<GenerateResult, "usage">): object {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens = 0 } = usage;
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: 0 },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: promptTokens + completionTokens,
  };
}

/** The whole response. Errors: those of `finishOf()`. */
export function responseOf(result: GenerateResult, head: ResponseHead): object {
  const finish = finishOf(result, head.id);
  const state = stateOf(finish);
  const output = outputOf(result, head, { refusal: finish.refusal, status: state.status });
  head.ended(output);
  return responseObject(head, { ...state, model: result.modelId, output, usage: responseUsageOf(result) });
}

/** Members that have another name in this protocol, by the names in which errors have them. */
const members: Readonly<Record<string, string>> = {
  response_format: "text.format",
  max_tokens: "max_output_tokens",
  reasoning_effort: "reasoning.effort",
};

/** An error in OpenAI's form, with the names of this protocol. */
export function responseErrorOf(error: ApiError): object {
  return renamed(error).envelope;
}

/** The end of a response whose stream an error ends. */
export function failureOf(error: ApiError): Pick<ResponseParts, "status" | "incomplete_details" | "error"> {
  const { code, message, type, param } = renamed(error);
  return { status: "failed", incomplete_details: null, error: { code: code ?? "server_error", message, type, param } };
}

function renamed({ status, message, param, code }: ApiError): ApiError {
  const named = param?.startsWith("messages") === true ? "input" : (members[param ?? ""] ?? param);
  return new ApiError(status, message, { param: named ?? undefined, code: code ?? undefined });
}
