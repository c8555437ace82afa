// Turns everything that can be thrown into an answer. Must not: show clients the message of an error that is not
// theirs.
import { toSnake } from "../../base/wire.js";
import { type ErrorCode, LlamaHooksError } from "../../index.js";
import { ApiError, tooMany } from "./api-error.js";

/** Codes of the engine that are the request's fault: their messages speak of the request. */
const faults: Partial<Record<ErrorCode, { readonly code?: string; readonly param?: string }>> = {
  INVALID_ARGUMENT: {},
  PROMPT_TOO_LONG: { code: "context_length_exceeded", param: "messages" },
  TEXT_TOO_LONG: { code: "context_length_exceeded", param: "input" },
  INVALID_GRAMMAR: { param: "grammar" },
  INVALID_SCHEMA: { param: "tools" },
  INVALID_MESSAGES: { param: "messages" },
  TEMPLATE_FAILED: { param: "messages" },
  TOOLS_UNSUPPORTED: { param: "tools" },
  UNSUPPORTED_BY_MODEL: { code: "unsupported" },
};

/** Statuses of further codes; all others are 500. */
const statuses: Partial<Record<ErrorCode, number>> = {
  REMOTE_UNREACHABLE: 502,
  REMOTE_REFUSED: 502,
  REMOTE_FAILED: 502,
  REMOTE_TIMEOUT: 504,
  CLOSED: 503,
  CANCELLED: 503,
  INSUFFICIENT_MEMORY: 503,
};

/** Members of a request that have another name than the option of the engine. */
export type MemberNames = Readonly<Record<string, string>>;

const ofChat: MemberNames = { json_schema: "response_format" };

/**
 * The answer to a failure. `requestId` lets the owner of the server find the whole error in the log. `names`: those of
 * the protocol.
 */
export function apiErrorOf(thrown: unknown, requestId: string, names: MemberNames = ofChat): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (!LlamaHooksError.isInstance(thrown)) return inner(500, "internal_error", requestId, thrown);
  const { code, message } = thrown;
  const param = thrown.param === undefined ? undefined : requestName(thrown.param, names);
  // A text that is too long, and a wrong argument without a name, may come from a hook.
  const fault = code === "INVALID_ARGUMENT" && param === undefined ? undefined : faults[code];
  if (fault !== undefined) {
    const guess = fault.param === undefined ? undefined : requestName(fault.param, names);
    const parts = { code: fault.code ?? code.toLowerCase(), param: param ?? guess, cause: thrown };
    // Coding agents look for these words, and then compact their conversation.
    const words = code === "PROMPT_TOO_LONG" ? `prompt is too long: ${message}` : message;
    return new ApiError(400, words.replace(/^params\./, ""), parts);
  }
  switch (code) {
    case "MODEL_NOT_LOADED":
      return new ApiError(404, short(message), { code: "model_not_found", param: "model", cause: thrown });
    case "BUSY":
      return tooMany("The server is busy: try again later", "busy", 1);
    case "HOOK_CANCELLED":
      return vetoed(thrown.decision?.reason ?? null, thrown.decision?.status ?? null, requestId);
    default:
      return inner(statuses[code] ?? 500, code.toLowerCase(), requestId, thrown);
  }
}

/**
 * The answer to a veto. `status`: the code of a failure, if a hook that fails closed vetoed by failing; the reason is
 * then the text of an inner error.
 */
export function vetoed(reason: string | null, status: ErrorCode | null, requestId: string): ApiError {
  if (status !== null) return inner(500, status.toLowerCase(), requestId, new LlamaHooksError(status, reason ?? ""));
  return new ApiError(403, reason ?? "A hook of this server refused the request", { code: "hook_cancelled" });
}

/** The answer to a request that its client, or the end of the server, has cancelled. */
export function cancelled(): ApiError {
  return new ApiError(503, "The request was cancelled", { code: "cancelled" });
}

function inner(status: number, code: string, requestId: string, cause: unknown): ApiError {
  return new ApiError(status, `The request ${requestId} failed (${code})`, { code, cause });
}

/** A message may repeat what the client has sent. */
function short(message: string): string {
  return message.length > 500 ? `${message.slice(0, 500).toWellFormed()}...` : message;
}

/** `tools[0].name` -> `tools[0].name`, `topK` -> `top_k`. */
function requestName(param: string, names: MemberNames): string {
  const name = toSnake(param);
  return names[name] ?? name;
}
