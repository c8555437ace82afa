// Converts errors of the addon to JavaScript errors.
import type { Causes } from "../base/causes.js";
import { decisionFromWire, decisionsFromWire } from "./decisions.js";
import { toolRecordsFromWire } from "./tool-records.js";
import type { ErrorCode } from "../generated/errors.js";
import { LlamaHooksError, type LlamaHooksErrorOptions } from "../base/errors.js";
import { isObject } from "../base/check.js";
import { camelDeep, camelTop } from "../base/wire.js";

/** The codes of refused options, also of those that the model's template cannot do. */
const refusing: ReadonlySet<unknown> = new Set([
  "INVALID_ARGUMENT",
  "INVALID_SCHEMA",
  "INVALID_GRAMMAR",
  "TEMPLATE_FAILED",
  "TOOLS_UNSUPPORTED",
]);

/** The option that the engine's message is about: it begins with the place. */
function optionOf(message: string): string | undefined {
  return /^(?:params|request|options)\.([a-zA-Z]\w*)/.exec(message)?.[1];
}

/** Converts the addon's errors to {@link LlamaHooksError}, with the causes of one engine. */
export class NativeErrors {
  readonly #causes: Causes | undefined;
  #closed = false;

  constructor(causes?: Causes) {
    this.#causes = causes;
  }

  /** Converts the error of a call that the addon refused. Other values are returned unchanged. */
  refused(error: unknown): unknown {
    const native: unknown = error instanceof Error ? (error as Error & { native?: unknown }).native : undefined;
    return isObject(native) ? this.fromObject(native) : error;
  }

  /** Converts the error of a task: `{"code", "message", ...}`. */
  fromJson(json: string, signal?: AbortSignal): LlamaHooksError {
    return this.fromObject(JSON.parse(json) as Record<string, unknown>, signal);
  }

  fromObject(native: Record<string, unknown>, signal?: AbortSignal): LlamaHooksError {
    const { code, message, decision: wire, cause_id: causeId, ...rest } = native;
    const decision = isObject(wire) ? decisionFromWire(wire, this.#causes) : undefined;
    const options: { -readonly [K in keyof LlamaHooksErrorOptions]: LlamaHooksErrorOptions[K] } = { decision };
    const failure = decision?.hooks.find((hook) => hook.error !== undefined && "cause" in hook.error)?.error;
    if (typeof causeId === "number" && this.#causes?.has(causeId) === true) options.cause = this.#causes.get(causeId);
    else if (failure !== undefined) options.cause = failure.cause;
    else if (code === "CANCELLED" && signal?.aborted === true) options.cause = signal.reason;
    if (Object.keys(rest).length > 0) options.details = this.#details(rest);
    const words = typeof message === "string" ? message : String(code);
    const param = refusing.has(code) ? optionOf(words) : undefined;
    if (param !== undefined) options.param = param;
    return new LlamaHooksError(code as ErrorCode, words, options);
  }

  /** The partial result of a failed run, in the form of a result. Arguments of tools keep their keys. */
  #details(wire: Record<string, unknown>): Record<string, unknown> {
    const { messages, tool_calls: toolCalls, child_tool_calls: childToolCalls, decisions, ...rest } = wire;
    const details = camelDeep(rest) as Record<string, unknown>;
    if (Array.isArray(messages)) details["messages"] = messages.map(camelTop);
    if (Array.isArray(toolCalls)) details["toolCalls"] = toolRecordsFromWire(toolCalls, this.#causes);
    if (Array.isArray(childToolCalls)) details["childToolCalls"] = toolRecordsFromWire(childToolCalls, this.#causes);
    if (Array.isArray(decisions)) details["decisions"] = decisionsFromWire(decisions, this.#causes);
    return details;
  }

  /** From now on every call fails with CLOSED. */
  close(): void {
    this.#closed = true;
  }

  /** Runs a call of the addon. */
  call<T>(run: () => T): T {
    if (this.#closed) throw new LlamaHooksError("CLOSED", "The engine is closed");
    return this.read(run);
  }

  /** Runs a call that only reads, which also works after close. */
  read<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      throw this.refused(error);
    }
  }
}
