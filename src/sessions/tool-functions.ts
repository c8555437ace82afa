// Calls the functions of tools when the engine asks for it. Must not: let an exception or a rejection escape.
import type { Abandoned, HookAnswer, OnToolCall } from "../native/addon.js";
import { contextOf, type InContext } from "../native/callers.js";
import { failedAnswer } from "../hooks/hook-answer.js";
import { type Call, inCall } from "../hooks/hook-calls.js";
import type { Causes } from "../base/causes.js";
import { LlamaHooksError } from "../base/errors.js";
import {
  isObject,
  isThenable,
  optionalBoolean,
  optionalNumber,
  optionalString,
  requiredString,
  wrong,
} from "../base/check.js";
import { isA, messageOf } from "../base/thrown.js";
import { toJson } from "../base/wire.js";
import { jsonValue } from "../generate/json-value.js";
import type { ToolContext, ToolResult } from "../generate/tool.js";
import { type AskingEngine, elicitFor } from "./ask-user.js";

/** A call of a tool, in the engine's form. */
export interface ToolFunctionCall {
  readonly tool_call_id: string;
  readonly tool_name: string;
  readonly args: Record<string, unknown>;
  readonly session_id: string;
}

/** Returns the result for the model; throws on failure. */
export type ToolFunction = (call: ToolFunctionCall, context: ToolContext) => unknown;

/** The functions of the engine that tool calls use. */
export interface ToolFunctionsEngine extends AskingEngine {
  give(callId: number, kind: HookAnswer[0], text: string | null): void;
  /** Throws NOT_FOUND if the call is over. */
  direct(callId: number, type: string, paramsJson: string): void;
  /** `total` negative: unknown. Throws NOT_FOUND if the call is over. */
  progress(callId: number, done: number, total: number, message: string | null): void;
}

const reasons = {
  deadline: ["TOOL_TIMEOUT", "The tool passed its deadline"],
  cancelled: ["CANCELLED", "The run was cancelled"],
  closed: ["CLOSED", "The engine was closed"],
} as const;

/** A function, and the form in which its value is passed to the engine. */
interface Known {
  readonly run: ToolFunction;
  readonly toWire: (value: unknown) => unknown;
}

/** The tool functions of one engine and their running calls. */
export class ToolFunctions {
  readonly #functions = new Map<number, Known>();
  readonly #open = new Map<number, { readonly call: Call; readonly abort: (reason: Error) => void }>();
  readonly #causes: Causes;
  readonly #engine: ToolFunctionsEngine;
  #last = 0;

  constructor(causes: Causes, engine: ToolFunctionsEngine) {
    this.#causes = causes;
    this.#engine = engine;
  }

  /**
   * Returns the number by which the engine calls the function. `answersJson`: its value is JSON, not a tool's result.
   */
  add(run: ToolFunction, { answersJson = false } = {}): number {
    this.#functions.set(++this.#last, { run, toWire: answersJson ? (value) => value : resultToWire });
    return this.#last;
  }

  /** Removes a function that no call will use any more. The engine says when, for functions that it has taken. */
  remove(id: number): void {
    this.#functions.delete(id);
  }

  /** Called by the engine. The function runs in the async context of the run. */
  readonly onCall: OnToolCall = (functionId, callId, json, task) => {
    const known = this.#functions.get(functionId);
    if (known === undefined) return [1, "the session is closed"];
    const inContext = contextOf(task);
    return inContext(this.#call, known, callId, json, inContext);
  };

  readonly #call = (
    { run, toWire }: Known,
    callId: number,
    json: string,
    inContext: InContext,
  ): HookAnswer | undefined => {
    const given = JSON.parse(json) as ToolFunctionCall;
    const call = { id: callId, over: false, toolName: given.tool_name };
    const controller = new AbortController();
    const context: ToolContext = {
      elicit: elicitFor(this.#engine, call),
      signal: controller.signal,
      directive: (type, params = {}) => {
        const name = requiredString(type, "The type of a directive");
        if (!isObject(params)) throw wrong(`The params of the directive ${name}`, "an object", params);
        this.#direct(callId, name, toJson(params));
      },
      progress: (done, total, message) => {
        if (optionalNumber(done, "done of progress()", 0) === undefined)
          throw wrong("done of progress()", "a number of at least 0", done);
        const all = optionalNumber(total, "total of progress()", 0) ?? -1;
        const text = optionalString(message, "message of progress()");
        if (!call.over) this.#progress(callId, done, all, text === undefined ? null : forC(text));
      },
    };
    const failure = (thrown: unknown): HookAnswer => failureOf(thrown, this.#causes);
    const answerOf = (value: unknown): HookAnswer => {
      try {
        return [0, toJson(toWire(value))];
      } catch (thrown) {
        return failure(thrown);
      }
    };
    // The function may cancel its own run.
    this.#open.set(callId, { call, abort: (reason) => inContext(() => controller.abort(reason)) });
    try {
      const value = inCall(call, () => run(given, context));
      if (isThenable(value)) {
        Promise.resolve(value).then(
          (result) => this.#settle(callId, () => answerOf(result)),
          (thrown: unknown) => this.#settle(callId, () => failure(thrown)),
        );
        return undefined;
      }
      this.#close(callId);
      return answerOf(value);
    } catch (thrown) {
      this.#close(callId);
      return failure(thrown);
    }
  };

  /** Called by the engine: it no longer waits for the answer. */
  onAbandoned(callId: number, why: Abandoned): void {
    const [code, message] = reasons[why];
    this.#close(callId)?.(new LlamaHooksError(code, message));
  }

  /**
   * Passes the directive on at once, so that none is lost however the call ends. Once the call is over, a failure is
   * only a warning, because the tool may be unable to catch an exception.
   */
  #direct(callId: number, type: string, params: string): void {
    try {
      this.#engine.direct(callId, type, params);
    } catch (cause) {
      const message = `the directive ${type} came when the call of its tool was over`;
      process.emitWarning(new LlamaHooksError("INVALID_DIRECTIVE", message, { cause }));
    }
  }

  /** Ignores progress of a call that is over: the tool need not know that its call was given up. */
  #progress(callId: number, done: number, total: number, message: string | null): void {
    try {
      this.#engine.progress(callId, done, total, message);
    } catch (error) {
      if (!(isA(error, LlamaHooksError) && error.code === "NOT_FOUND")) throw error;
    }
  }

  #settle(callId: number, give: () => HookAnswer): void {
    if (this.#close(callId) !== undefined) this.#engine.give(callId, ...give());
  }

  /** Returns the function that aborts the signal of the call. Undefined: the call is already over. */
  #close(callId: number): ((reason: Error) => void) | undefined {
    const open = this.#open.get(callId);
    if (open === undefined) return undefined;
    this.#open.delete(callId);
    open.call.over = true;
    return open.abort;
  }
}

/** C would truncate a text at NUL. NUL becomes U+FFFD, like bytes that are not UTF-8. */
function forC(text: string): string {
  return text.replaceAll("\0", "\ufffd");
}

const resultKeys: readonly string[] = ["text", "isError", "parts"] satisfies (keyof ToolResult)[];

/** True if the object has the keys of a `ToolResult` and no others; every other object is a plain value of the tool. */
function isToolResult(
  value: unknown,
): value is Readonly<Record<keyof ToolResult, unknown>> & { readonly text: string } {
  return (
    isObject(value) && typeof value["text"] === "string" && Object.keys(value).every((key) => resultKeys.includes(key))
  );
}

/** Converts a tool's return value to the engine's form. Errors: `TypeError`, for a ToolResult with a wrong part. */
function resultToWire(value: unknown): Record<string, unknown> {
  if (!isToolResult(value)) return { result: forC(textOf(value)) };
  const { text, isError, parts } = value;
  if (parts !== undefined && !Array.isArray(parts)) throw wrong("parts of the result", "an array", parts);
  return {
    result: forC(text),
    ...(optionalBoolean(isError, "isError of the result") === true && { is_error: true }),
    ...(parts !== undefined && { parts: jsonValue(parts, "parts of the result") }),
  };
}

/** Converts a tool's return value to text: bytes are UTF-8, and anything that is not text becomes JSON. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined) return "";
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  const json = JSON.stringify(value) as string | undefined;
  if (json === undefined) throw new TypeError(`the result is a ${typeof value}, which JSON does not have`);
  return json;
}

/** Thrown by a check to refuse a call. Any other exception counts as a failure. */
export class Refusal extends Error {}

function failureOf(thrown: unknown, causes: Causes): HookAnswer {
  if (isA(thrown, Refusal)) return [1, forC(thrown.message)];
  return failedAnswer(forC(messageOf(thrown)), causes.keep(thrown));
}
