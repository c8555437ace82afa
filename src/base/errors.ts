// The error type. Must not: know where an error came from, or how it is shown.
import type { Decision } from "../generated/results.js";
import type { ErrorCode } from "../generated/errors.js";

/** What a `LlamaHooksError` may carry beside its code and message. */
export interface LlamaHooksErrorOptions {
  /** What lies behind: what a hook threw (any value), an abort reason, a system error. */
  readonly cause?: unknown;
  /** The decision of the hooks that caused the error, if hooks did. */
  readonly decision?: Decision | undefined;
  /** Further facts, as the engine gave them. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** Every error of this package but misuse, which is a `TypeError`. */
export class LlamaHooksError extends Error {
  override readonly name = "LlamaHooksError";
  readonly code: ErrorCode;
  declare readonly decision?: Decision;
  declare readonly details?: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: LlamaHooksErrorOptions = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    if (options.decision !== undefined) this.decision = options.decision;
    if (options.details !== undefined) this.details = options.details;
  }
}
