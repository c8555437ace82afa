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
  /** Always "LlamaHooksError", whatever the code. */
  override readonly name = "LlamaHooksError";
  /** What kind of failure it is: stable, where messages may change. */
  readonly code: ErrorCode;
  /** The decision of the hooks that caused it, if hooks did. */
  declare readonly decision?: Decision;
  /** Further facts, as the engine gave them; absent where there are none. */
  declare readonly details?: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: LlamaHooksErrorOptions = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    if (options.decision !== undefined) this.decision = options.decision;
    if (options.details !== undefined) this.details = options.details;
  }
}
