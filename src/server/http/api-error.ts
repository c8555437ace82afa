// Errors as clients of an OpenAI-compatible API read them: a status, and an envelope with message, type, param and
// code.
import type { OptionError } from "../../base/check.js";

/** The optional parts of an {@link ApiError}. */
export interface ApiErrorParts {
  /** The path of the wrong member, in the request's own names. */
  readonly param?: string | undefined;
  /** The word by which programs tell errors of one status apart. */
  readonly code?: string | undefined;
  /** The details for programs, in the form of Anthropic's protocol. */
  readonly details?: object | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** True: the connection ends with this answer, because the request was not read to its end. */
  readonly closes?: boolean | undefined;
  /** The error behind it, for the log alone: clients never see it. */
  readonly cause?: unknown;
}

const types: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
};

/** An answer that is not a success. Its message is for the client. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly param: string | null;
  readonly code: string | null;
  readonly details: object | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly closes: boolean;

  constructor(status: number, message: string, parts: ApiErrorParts = {}) {
    super(message, "cause" in parts ? { cause: parts.cause } : undefined);
    this.status = status;
    this.param = parts.param ?? null;
    this.code = parts.code ?? null;
    this.details = parts.details;
    this.headers = parts.headers ?? {};
    this.closes = parts.closes ?? false;
  }

  /** The word of its kind. */
  get type(): string {
    return types[this.status] ?? (this.status >= 500 ? "server_error" : "invalid_request_error");
  }

  /** The JSON of the answer. */
  get envelope(): object {
    return { error: { message: this.message, type: this.type, param: this.param, code: this.code } };
  }
}

/** A request that no client should repeat as it is. */
export function badRequest(message: string, param?: string, code?: string): ApiError {
  return new ApiError(400, message, { param, code });
}

/** A request for something that this server does not do. */
export function unsupported(message: string, param: string): ApiError {
  return badRequest(message, param, "unsupported");
}

/** A request that may be repeated after some seconds. */
export function tooMany(message: string, code: string, seconds: number): ApiError {
  return new ApiError(429, message, { code, headers: { "retry-after": String(Math.max(1, Math.ceil(seconds))) } });
}

/** Runs checks of a request. A `TypeError` of them is the request's fault: status 400, with the member as `param`. */
export function checked<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw faultOf(error);
  }
}

/** The same for a call that checks its arguments before it begins, and rejects. */
export async function checkedCall<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw faultOf(error);
  }
}

function faultOf(error: unknown): unknown {
  return error instanceof TypeError ? badRequest(error.message, (error as OptionError).param) : error;
}
