// Loads the addon and declares the types of its functions. The only file that loads it.
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { type AddonFiles, findAddon, loadFailure } from "./find-addon.js";

/** The error of a call that the addon refuses at once: a status name and a message, as in engine.h. */
export interface NativeError {
  code: string;
  message: string;
  [detail: string]: unknown;
}

/**
 * A long-running native call. Events are buffered natively: `onWake` is called when there are some, and again only
 * after they were drained. The call waits while 256 events or 1 MiB are buffered, unless it is cancelled.
 */
export interface NativeTask {
  /** The number of the call, which events of the trace have as `task`. Unique in the process. */
  number(): number;
  /** Turns the delivery of events on or off. While it is off, none are built. */
  subscribe(on: boolean): void;
  /** Takes the buffered events, one JSON text each. */
  drain(): string[];
  /** Sets whether the call keeps the process alive [true]. */
  keepAlive(on: boolean): void;
  /** Asks the task to stop. Does not wait. */
  cancel(reason: string | null): void;
}

/** Called exactly once: `json` is the result if `status` is 0, else {"code", "message", ...}. */
export type OnEnd = (status: number, json: string) => void;
export type OnWake = () => void;
/** `scope`: hooks for this call only; 0: none. `cancelled`: the call begins cancelled, for this reason. */
export type CallArguments = [
  onWake: OnWake,
  onEnd: OnEnd,
  subscribed: boolean,
  scope: number,
  cancelled?: string | null,
];

/**
 * A hook call into JavaScript. Returns the answer, or `undefined` if `answerHook(callId, ...)` will give it later. An
 * answer is `[kind, text]`: 0 continue (text: JSON of changed fields, or null), 1 cancel (text: the reason, or null), 2
 * failed (text: JSON {"status", "message", "cause_id"}), 3 the event did not match the hook (synchronous answers only).
 */
export type HookAnswer = readonly [kind: 0 | 1 | 2 | 3, text: string | null];
/** Large lists and objects of a context, which has null in their place: the name and the JSON of each, in turns. */
export type Apart = readonly string[];
export type OnHookCall = (
  hookId: number,
  callId: number,
  contextJson: string,
  /**
   * NativeTask.number() of the call that it belongs to; 0: none; -1: it is called on the stack of the code that caused
   * it.
   */
  task: number,
  apart?: Apart,
) => HookAnswer | undefined;

/** Like OnHookCall, except that 1 means: the call failed, and the text is for the model. */
export type OnToolCall = (functionId: number, callId: number, callJson: string, task: number) => HookAnswer | undefined;

/** The reason why the engine stopped waiting for an answer. */
export type Abandoned = "deadline" | "cancelled" | "closed";

/** One answer of a remote model. A stream that is collected without an end has failed with REMOTE_FAILED. */
export interface NativeStream {
  /** Sends a piece. Returns a status: 0, BUSY (send it again once woken) or CANCELLED (end the stream). */
  piece(json: string): number;
  /** Says how much of the prompt is read, in tokens. Returns a status, as piece() does. */
  progress(processed: number, total: number, cached: number): number;
  /** Calls `wake` when the stream has room again after BUSY, and when the rest of the answer is not wanted any more. */
  onWake(wake: () => void): void;
  /** Ends the answer: 0, or the status of an error. */
  end(status: number, endJson: string): void;
}

/** Begins an answer of the remote model `number`, for the call with the number `task`. Must not throw. */
export type OnModelCall = (number: number, requestJson: string, stream: NativeStream, task: number) => void;

export interface NativeTool {
  name: string;
  description: string;
  /** JSON Schema, as JSON. */
  parameters: string;
  /** Milliseconds; 0: no timeout; negative: the session's default. */
  deadlineMs: number;
  /** A set of LH_TOOL_* bits. */
  flags: number;
  /** The reason why the parameters are unusable; the tool is then not offered. */
  fault: string | null;
  /** Hints, as JSON. */
  annotations: string | null;
  origin: string | null;
  /** Function numbers for onToolCall. */
  run: number;
  check: number;
}

export interface NativeHookOptions {
  name: string;
  priority: number;
  /** Milliseconds; 0: no timeout. */
  deadlineMs: number;
  /** A set of LH_HOOK_* bits. */
  flags: number;
  /** The tests of `when` as JSON, or null. */
  when: string | null;
  /** The fields that the hook reads, as a JSON list; null: all. */
  fields?: string | null;
  /** The file and line at which it is registered. */
  location?: string | undefined;
  /** True: the handler is called even if the engine has stopped waiting for its answer. */
  told?: boolean;
}

export interface NativeEngine {
  /** Creates a scope for hooks of a single call and returns its number; 1: a run, 2: a generation. To be freed. */
  openHooks(kind: 1 | 2): number;
  /** The scope of a session's hooks. To be freed; the hooks stay until the session is closed. */
  sessionHooks(id: string): number;
  freeHooks(scope: number): void;
  /** `scope` 0: the engine. */
  addHook(scope: number, point: number, options: NativeHookOptions): number;
  addNativeHook(
    scope: number,
    library: string,
    symbol: string | null,
    point: number,
    options: NativeHookOptions,
  ): number;
  /** Returns false for an unknown id. Never waits. */
  removeHook(id: number): boolean;
  /** `point` -1: all points. */
  clearHooks(scope: number, point: number): void;
  hasHook(scope: number, point: number): boolean;
  listHooks(scope: number): string;
  /** Answers a call that `onHookCall` left open. Ignored if the call is over (timeout, abort). */
  answerHook(callId: number, kind: HookAnswer[0], text: string | null): void;
  /** Adds a directive to a running tool call. */
  giveDirective(callId: number, type: string, paramsJson: string): void;
  /** Reports the progress of a running tool call. `total` negative: unknown. */
  tellProgress(callId: number, done: number, total: number, message: string | null): void;
  /** Fires `error` for the run of a running tool call. */
  reportFromTool(callId: number, code: string, message: string): void;
  /** Asks the user for a running tool call. Ends with an elicit result. */
  elicit(callId: number, requestJson: string, onEnd: OnEnd): NativeTask;

  /** `subscribed`: events are buffered from the start, as after `subscribe(true)`. */
  loadModel(id: string, optionsJson: string, onWake: OnWake, onEnd: OnEnd, subscribed: boolean): NativeTask;
  /**
   * Sets, before the first `addModel`, the function that computes the answers of remote models and the one that is
   * called when a remote model is released.
   */
  serveModels(onModelCall: OnModelCall, onModelReleased: (number: number) => void): void;
  /** Adds a remote model: `onModelCall`, called with `number`, computes its answers. */
  addModel(id: string, number: number, descriptionJson: string, onEnd: OnEnd): NativeTask;
  estimateModel(optionsJson: string, onEnd: OnEnd): NativeTask;
  unloadModel(id: string, reason: string | null, onEnd: OnEnd): NativeTask;
  listModels(): string;
  describeModel(id: string): string;
  embed(requestJson: string, onEnd: OnEnd): NativeTask;
  rerank(requestJson: string, onEnd: OnEnd): NativeTask;
  tokenize(id: string | null, requestJson: string): string;
  tokenizeStart(id: string | null, requestJson: string, onEnd: OnEnd): NativeTask;
  detokenize(id: string | null, requestJson: string): string;
  renderPrompt(id: string | null, requestJson: string, onEnd: OnEnd): NativeTask;
  loadAdapter(id: string, optionsJson: string, onEnd: OnEnd): NativeTask;
  unloadAdapter(id: string, onEnd: OnEnd): NativeTask;
  listAdapters(): string;
  swapAdapters(sessionId: string, requestJson: string, onEnd: OnEnd): NativeTask;
  generate(requestJson: string, ...call: CallArguments): NativeTask;
  /** Returns the session's id. */
  openSession(optionsJson: string, tools: readonly NativeTool[]): string;
  runSession(id: string, requestJson: string, ...call: CallArguments): NativeTask;
  sessionHistory(id: string, requestJson: string): string;
  sessionWaiting(id: string): string;
  queueMessage(id: string, content: string): void;
  /** Pauses or resumes the session. */
  pauseSession(id: string, paused: boolean): void;
  compactSession(id: string, requestJson: string, onEnd: OnEnd): NativeTask;
  setSessionTools(id: string, tools: readonly NativeTool[]): void;
  /** Tiers by name, in the engine's form. */
  setSessionTiers(id: string, tiersJson: string): void;
  saveSession(id: string, path: string): void;
  /** Returns the new session's id. `messageId`: where it ends; empty: with the last message. */
  forkSession(id: string, messageId: string): string;
  /** `messageId` empty: to the beginning. */
  rewindSession(id: string, messageId: string): void;
  /** Returns the session as text. */
  sessionRecord(id: string): string;
  /** Fires ON_ERROR for a failure outside the engine. */
  reportSession(id: string, code: string, message: string, where: string, onEnd: OnEnd): NativeTask;
  closeSession(id: string, onEnd: OnEnd): NativeTask;
  memory(): string;
  systemInfo(): string;
  /**
   * Starts the delivery of decisions and lifecycle events, buffered and coalesced like a task's events. `null` ends it.
   */
  trace(onWake: OnWake | null): void;
  drainTrace(): string[];
  close(onEnd: OnEnd): NativeTask;
}

export interface NativeAddon {
  /** Throws an Error whose `native` property is a NativeError, like every function here that refuses a call. */
  createEngine(
    optionsJson: string,
    onHookCall: OnHookCall,
    /** Called for one call of a tool's function, by the number given to `openSession`; answered like a hook call. */
    onToolCall: OnToolCall,
    /** Called when a hook or tool call ends before its answer (timeout, abort, close), to abort its AbortSignal. */
    onAbandoned: (callId: number, why: Abandoned) => void,
    /** Called when a task starts. Returns the id of the hook call that the current code runs in; 0 outside of calls. */
    currentCall: () => number,
    /** Called when a hook, or a function of a tool, is not used any more: no call of it is running or about to come. */
    onReleased: (id: number, isTool: boolean) => void,
    /** Called with each warning, as lh_registry_warnings gives it. */
    onWarning: (json: string) => void,
  ): NativeEngine;
  /** The number of live lh_alloc blocks of the process. */
  allocBalance(): number;
  /**
   * Dispatches a context to `hooks` synchronously, without an engine. `call` gets a hook's index and answers like
   * OnHookCall, never later. Returns the result of lh_hook_dispatch.
   */
  dispatchPlainly(point: number, hooks: readonly NativeHookOptions[], contextJson: string, call: OnHookCall): string;
  /** The table of points, from hooks.h. */
  pointsJson(): string;
  statusName(status: number): string;
  /** Writes log lines up to this level to stderr, for the whole process: 0 none, 1 error, 2 warn, 3 info, 4 debug. */
  logToStderr(level: 0 | 1 | 2 | 3 | 4): void;
}

const require = createRequire(import.meta.url);

let addon: NativeAddon | undefined;

/**
 * Loads the addon at its first use, so that importing the package is free and cannot fail.
 * Errors: ADDON_MISSING, ADDON_NOT_LOADED, PLATFORM_UNSUPPORTED, INSUFFICIENT_MEMORY, VERSION_MISMATCH,
 * BACKEND_UNAVAILABLE.
 */
export function nativeAddon(): NativeAddon {
  addon ??= load(findAddon());
  return addon;
}

function load(files: AddonFiles): NativeAddon {
  const errors: Error[] = [];
  try {
    openLibraries(files);
  } catch (error) {
    errors.push(error as Error); // its RUNPATH is the fallback; the error is reported if that fails, too
  }
  try {
    return require(files.addon) as NativeAddon;
  } catch (error) {
    throw loadFailure(files, error as Error, errors);
  }
}

/** Opens the libraries that the addon needs, dependencies first. */
function openLibraries({ loader, libraries }: AddonFiles): void {
  const { open } = require(loader) as { open(path: string): void };
  const files = readdirSync(libraries);
  for (const name of ["ggml-base", "ggml", "llama", "llama-common"]) {
    // Some names carry backend and version: libllama.v0.5.0.so, libllama.metal.v0.5.0.dylib; Windows may have no "lib".
    const file = files.find((one) => new RegExp(`^(?:lib)?${name}\\..*(?<=\\.)(?:so|dylib|dll)$`).test(one));
    if (file !== undefined) open(path.join(libraries, file));
  }
}
