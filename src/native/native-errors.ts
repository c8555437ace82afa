// Calls of the addon, and its errors as JavaScript errors. Must not: decide what is an error.
import type { Causes } from "../base/causes.js";
import { decisionFromWire, decisionsFromWire } from "./decisions.js";
import { toolRecordsFromWire } from "./tool-records.js";
import type { ErrorCode } from "../generated/errors.js";
import { LlamaHooksError, type LlamaHooksErrorOptions } from "../base/errors.js";
import { isObject } from "../base/check.js";
import { camelDeep, camelTop } from "../base/wire.js";

/** Turns what the addon reports into a {@link LlamaHooksError}, with the causes of one engine. */
export class NativeErrors {
  readonly #causes: Causes | undefined;
  #closed = false;

  constructor(causes?: Causes) {
    this.#causes = causes;
  }

  /** An error of a call that was refused at once: what the addon threw. Anything else is passed on as it is. */
  refused(error: unknown): unknown {
    const native: unknown = error instanceof Error ? (error as Error & { native?: unknown }).native : undefined;
    return isObject(native) ? this.fromObject(native) : error;
  }

  /** An error of a task: `{"code", "message", ...}`. */
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
    return new LlamaHooksError(code as ErrorCode, typeof message === "string" ? message : String(code), options);
  }

  /** What a run had come to when it failed, as its result has it: the arguments of tools keep their own keys. */
  #details(told: Record<string, unknown>): Record<string, unknown> {
    const { messages, tool_calls: toolCalls, child_tool_calls: childToolCalls, decisions, ...rest } = told;
    const details = camelDeep(rest) as Record<string, unknown>;
    if (Array.isArray(messages)) details["messages"] = messages.map(camelTop);
    if (Array.isArray(toolCalls)) details["toolCalls"] = toolRecordsFromWire(toolCalls, this.#causes);
    if (Array.isArray(childToolCalls)) details["childToolCalls"] = toolRecordsFromWire(childToolCalls, this.#causes);
    if (Array.isArray(decisions)) details["decisions"] = decisionsFromWire(decisions, this.#causes);
    return details;
  }

  /** From now on calls fail with CLOSED, whether the addon would still answer them or not. */
  close(): void {
    this.#closed = true;
  }

  /** Runs a call of the addon. */
  call<T>(run: () => T): T {
    if (this.#closed) throw new LlamaHooksError("CLOSED", "The engine is closed");
    return this.read(run);
  }

  /** Runs one that only reads, also when the engine is closed. */
  read<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      throw this.refused(error);
    }
  }
}
