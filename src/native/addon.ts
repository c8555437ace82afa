// The one module that loads the addon and gives its functions types. Must not: add policy or defaults.
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { type AddonFiles, findAddon, loadFailure } from "./find-addon.js";

/** What the addon answers when a call is refused at once: a status name and a message, as engine.h has them. */
export interface NativeError {
  code: string;
  message: string;
  [detail: string]: unknown;
}

/**
 * A long-running native call. Events are buffered natively; `onWake` is called, once until they are drained, when there
 * are some. While 256 of them, or 1 MiB, lie there, the call waits; a cancelled one does not.
 */
export interface NativeTask {
  /** Whether events are delivered. While they are not, none is built. */
  subscribe(on: boolean): void;
  /** Takes the buffered events: one JSON text each. */
  drain(): string[];
  /** Whether the process stays alive for this call [true]. */
  keepAlive(on: boolean): void;
  /** Asks the task to stop. Returns at once. */
  cancel(reason: string | null): void;
}

/** Settled exactly once: `json` is the result when `status` is 0, else {"code", "message", ...}. */
export type OnEnd = (status: number, json: string) => void;
export type OnWake = () => void;

/**
 * One hook call handed to JavaScript. Returns the answer at once, or `undefined` when it will come through
 * `answerHook(callId, ...)`. An answer is `[kind, text]`: 0 go on (text: JSON of changed fields, or null),
 * 1 cancel (text: the reason, or null), 2 failed (text: JSON {"status", "message", "cause_id"}), 3 the call was not for
 * this hook (only at once).
 */
export type HookAnswer = readonly [kind: 0 | 1 | 2 | 3, text: string | null];
export type OnHookCall = (hookId: number, callId: number, contextJson: string) => HookAnswer | undefined;

/** Like OnHookCall; 1: it failed, and the text is what the model is told. */
export type OnToolCall = (functionId: number, callId: number, callJson: string) => HookAnswer | undefined;

/** Why nobody waits for an answer any more. */
export type Abandoned = "deadline" | "cancelled" | "closed";

export interface NativeTool {
  name: string;
  description: string;
  /** JSON Schema, as JSON. */
  parameters: string;
  /** Milliseconds; 0: none; negative: the session's. */
  deadlineMs: number;
  /** Bits of LH_TOOL_*. */
  flags: number;
  /** What is wrong with the parameters, so that the tool is not offered. */
  fault: string | null;
  /** Numbers of functions, for onToolCall. */
  run: number;
  check: number;
}

export interface NativeHookOptions {
  name: string;
  priority: number;
  /** Milliseconds; 0: none. */
  deadlineMs: number;
  /** Bits of LH_HOOK_*. */
  flags: number;
  /** Tests as JSON, or null. */
  when: string | null;
  /** A handler that is called even when nobody waits for its answer any more. */
  told?: boolean;
}

export interface NativeEngine {
  /** The scope of hooks for single calls, as a number: 1 a run's, 2 a generation's. To be freed. */
  openHooks(kind: 1 | 2): number;
  /** The scope of a session's hooks. To be freed; they stay until the session has closed. */
  sessionHooks(id: string): number;
  freeHooks(scope: number): void;
  /** `scope` 0: the engine's. */
  addHook(scope: number, point: number, options: NativeHookOptions): number;
  addNativeHook(
    scope: number,
    library: string,
    symbol: string | null,
    point: number,
    options: NativeHookOptions,
  ): number;
  /** False when there is no such hook. Never waits. */
  removeHook(id: number): boolean;
  /** All points for -1. */
  clearHooks(scope: number, point: number): void;
  hasHook(scope: number, point: number): boolean;
  listHooks(scope: number): string;
  /** Gives the answer of a call that `onHookCall` left open. Ignored when the call is over (deadline, abort). */
  answerHook(callId: number, kind: HookAnswer[0], text: string | null): void;
  /** Of a call of a tool that is under way. */
  giveDirective(callId: number, type: string, paramsJson: string): void;

  /** `subscribed`: events are kept from the first on, as if `subscribe(true)` had come before them. */
  loadModel(id: string, optionsJson: string, onWake: OnWake, onEnd: OnEnd, subscribed: boolean): NativeTask;
  estimateModel(optionsJson: string, onEnd: OnEnd): NativeTask;
  unloadModel(id: string, reason: string | null, onEnd: OnEnd): NativeTask;
  listModels(): string;
  describeModel(id: string): string;
  embed(requestJson: string, onEnd: OnEnd): NativeTask;
  rerank(requestJson: string, onEnd: OnEnd): NativeTask;
  tokenize(id: string | null, requestJson: string): string;
  detokenize(id: string | null, requestJson: string): string;
  renderPrompt(id: string | null, requestJson: string): string;
  loadAdapter(id: string, optionsJson: string, onEnd: OnEnd): NativeTask;
  unloadAdapter(id: string, onEnd: OnEnd): NativeTask;
  listAdapters(): string;
  swapAdapters(sessionId: string, requestJson: string, onEnd: OnEnd): NativeTask;
  /** `scope`: of hooks for this call alone; 0: none. */
  generate(requestJson: string, onWake: OnWake, onEnd: OnEnd, subscribed: boolean, scope: number): NativeTask;
  /** The session's id. */
  openSession(optionsJson: string, tools: readonly NativeTool[]): string;
  runSession(
    id: string,
    requestJson: string,
    onWake: OnWake,
    onEnd: OnEnd,
    subscribed: boolean,
    scope: number,
  ): NativeTask;
  sessionHistory(id: string, requestJson: string): string;
  queueMessage(id: string, content: string): void;
  /** Pauses, or resumes. */
  pauseSession(id: string, paused: boolean): void;
  compactSession(id: string, requestJson: string, onEnd: OnEnd): NativeTask;
  saveSession(id: string, path: string): void;
  /** Gives the id of the new one. */
  forkSession(id: string): string;
  closeSession(id: string, onEnd: OnEnd): NativeTask;
  memory(): string;
  systemInfo(): string;
  /** Decisions and lifecycle events, buffered and coalesced like a task's events; `null` ends it. */
  trace(onWake: OnWake | null): void;
  drainTrace(): string[];
  close(onEnd: OnEnd): NativeTask;
}

export interface NativeAddon {
  /** Throws an Error whose `native` property is a NativeError, as every function here does when it is refused. */
  createEngine(
    optionsJson: string,
    onHookCall: OnHookCall,
    /** One call of a tool's function, by the number that `openSession` was given; answered as a hook call is. */
    onToolCall: OnToolCall,
    /** A call of a hook or tool is over before it was answered (deadline, abort, close): its AbortSignal fires. */
    onAbandoned: (callId: number, why: Abandoned) => void,
    /** Asked as a task is started: the hook call that the code now running acts inside of; 0 outside of any. */
    currentCall: () => number,
    /** A hook is removed and none of its calls is under way or about to come. */
    onReleased: (hookId: number) => void,
  ): NativeEngine;
  /** Blocks of lh_alloc now alive in the process. */
  allocBalance(): number;
  /**
   * One dispatch of `hooks` on a context, without an engine and at once: `call` is given a hook's index, and answers as
   * OnHookCall does, but never later. Gives what lh_hook_dispatch does.
   */
  dispatchPlainly(point: number, hooks: readonly NativeHookOptions[], contextJson: string, call: OnHookCall): string;
  /** The table of points, as hooks.h gives it. */
  pointsJson(): string;
  statusName(status: number): string;
  /** Log lines up to this level go to stderr, for the whole process: 0 none, 1 error, 2 warn, 3 info, 4 debug. */
  logToStderr(level: 0 | 1 | 2 | 3 | 4): void;
}

const require = createRequire(import.meta.url);

let addon: NativeAddon | undefined;

/**
 * Loads the addon on first use, so that importing the package costs nothing and cannot fail.
 * Errors: ADDON_MISSING, ADDON_NOT_LOADED, PLATFORM_UNSUPPORTED, INSUFFICIENT_MEMORY, VERSION_MISMATCH, BACKEND_UNAVAILABLE.
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
    errors.push(error as Error); // its RUNPATH is the second way; what is wrong shows when that fails, too
  }
  try {
    return require(files.addon) as NativeAddon;
  } catch (error) {
    throw loadFailure(files, error as Error, errors);
  }
}

/** Those that the addon needs, each after what it needs itself. */
function openLibraries({ loader, libraries }: AddonFiles): void {
  const { open } = require(loader) as { open(path: string): void };
  const files = readdirSync(libraries);
  for (const name of ["ggml-base", "ggml", "llama", "llama-common"]) {
    // Some carry their release: libllama.v0.5.0.so.
    const file = files.find((one) => new RegExp(`^lib${name}(?:\\.v[\\d.]+)?\\.(?:so|dylib)$`).test(one));
    if (file !== undefined) open(path.join(libraries, file));
  }
}
