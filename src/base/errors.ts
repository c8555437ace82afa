// The error class of the package.
import type { Decision } from "../generated/results.js";
import type { ErrorCode } from "../generated/errors.js";
import { printable } from "./printable.js";

/** The optional parts of a `LlamaHooksError`, besides its code and message. */
export interface LlamaHooksErrorOptions {
  /** The underlying cause: the value that a hook threw, an abort reason, a system error. */
  readonly cause?: unknown;
  /** The decision of the hooks, if hooks caused the error. */
  readonly decision?: Decision | undefined;
  /** The option that is wrong. */
  readonly param?: string | undefined;
  /** Further data from the engine. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Every error of this package except misuse, which is a `TypeError`. The stack of an error of an async call shows where
 * the call was made, however the caller waits for it.
 */
export class LlamaHooksError extends Error {
  /** Marks the errors of every copy of the package. */
  static readonly #brand = Symbol.for("llama-hooks.error");

  static {
    Object.defineProperty(this.prototype, this.#brand, { value: true });
  }

  /**
   * True for errors of this package, and for errors of another copy of it in the process, such as one in a bundle or of
   * a dependency, for which `instanceof` is false.
   */
  static isInstance(value: unknown): value is LlamaHooksError {
    try {
      return (value as { readonly [brand: symbol]: unknown } | null | undefined)?.[LlamaHooksError.#brand] === true;
    } catch {
      return false; // a proxy
    }
  }

  /** Always "LlamaHooksError". */
  override readonly name = "LlamaHooksError";
  /** The kind of failure. Codes are stable; messages may change. */
  readonly code: ErrorCode;
  /** The decision of the hooks, if hooks caused the error. */
  declare readonly decision?: Decision;
  /** The option that is wrong, if the engine refused one: `toolChoice`, `answer`. */
  declare readonly param?: string;
  /** Further data from the engine, if there is any. */
  declare readonly details?: Readonly<Record<string, unknown>>;

  /** Control characters in `message`, which may quote untrusted text, are escaped. */
  constructor(code: ErrorCode, message: string, options: LlamaHooksErrorOptions = {}) {
    super(printable(message), "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    if (options.decision !== undefined) this.decision = options.decision;
    if (options.param !== undefined) this.param = options.param;
    if (options.details !== undefined) this.details = options.details;
  }
}
