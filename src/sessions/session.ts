// A conversation with an agent. Must not: hold state that the engine holds.
import type { Causes } from "../base/causes.js";
import { checkObject, optionalOneOf, requiredString } from "../base/check.js";
import { checkParameters, parameterKeys, parametersToWire } from "../base/check-parameters.js";
import { LlamaHooksError } from "../base/errors.js";
import { toJson } from "../base/wire.js";
import { messagesFromWire } from "../generate/messages.js";
import {
  compactChecks,
  type CompactParameters,
  historyChecks,
  type HistoryParameters,
} from "../generated/parameters.js";
import type { CompactionResult, RunResult } from "../generated/results.js";
import type { ToolSettings } from "../generate/tool.js";
import type { Message } from "../generated/points.js";
import type { HookSet } from "../hooks/define-hooks.js";
import { insideCall } from "../hooks/hook-calls.js";
import { type HookHost, Hooks } from "../hooks/hooks.js";
import type { Outcome } from "../native/running.js";
import { Task } from "../native/task.js";
import { Run } from "./run.js";
import { compactionResultFromWire } from "./run-result.js";
import {
  type CheckedRun,
  type CheckedSession,
  checkRun,
  checkSession,
  type RunOptions,
  type SessionOptions,
} from "./session-options.js";
import { FunctionSet, type ToolFunctions } from "./tool-functions.js";
import { checkOf, runOf } from "./validated-tool.js";

/** Options of `session.compact()`. */
export interface CompactOptions extends CompactParameters {
  readonly strategy?: "summarize" | "truncate" | "tool-results";
}

/** What a session needs of its engine. */
export interface SessionHost extends HookHost {
  readonly causes: Causes;
  readonly functions: ToolFunctions;
  /** To be called before what takes time begins. */
  begins(): void;
}

/**
 * Asked at each run as it is asked for, in the engine's words: its hooks are the run's last ones, and it is told the end before
 * anybody else. `stopped`: when the run has ended, if it was asked to stop; at once if not.
 */
export type RunWatcher = (
  json: string,
  stopped: () => Promise<void>,
) => {
  readonly hooks: readonly HookSet[];
  ended(outcome: Outcome<RunResult>): void;
};

/** What a recording of a session stands on. */
export interface WatchedSession {
  readonly opened: CheckedSession;
  stop(): void;
}

const jsonResult = 1;
const trusted = 2;
const exclusive = 4;

/** Bits of lh_tool.flags. */
function flagsOf(settings: ToolSettings): number {
  return jsonResult | (settings.trusted ? trusted : 0) | (settings.exclusive ? exclusive : 0);
}

/**
 * A conversation whose runs call the model and its tools in turn. Made by `engine.session()` or `engine.restoreSession()`. Close it when it is no longer
 * needed (`await using` does): what is open then is closed with the engine.
 */
export class Session implements AsyncDisposable {
  /** What hooks know it by, as `meta.sessionId`. */
  readonly id: string;
  /** The hooks of its runs and compactions, and of the runs that those delegate to. They are removed when it is closed. */
  readonly hooks: Hooks;
  /** Of its hooks, as the addon knows it; 0: not asked for yet. */
  #hookScope = 0;
  readonly #host: SessionHost;
  readonly #functions: FunctionSet;
  readonly #opened: CheckedSession;
  readonly #watchers = new Set<RunWatcher>();
  /** Runs that were asked for and have not begun: the engine does not know of them yet. */
  readonly #toBegin = new Set<CheckedRun>();
  #last: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  /** Made by `engine.session()`, `engine.restoreSession()` and `fork()` only. */
  constructor(host: SessionHost, id: string, functions: FunctionSet, opened: CheckedSession) {
    this.#host = host;
    this.id = id;
    this.#functions = functions;
    this.#opened = opened;
    this.hooks = new Hooks(host, () => (this.#hookScope ||= host.native.sessionHooks(id)));
  }

  /** `restore`: path of a file that a session was saved to. */
  static open(host: SessionHost, options: SessionOptions | undefined, restore?: string): Session {
    const opened = checkSession(options, restore);
    const { json, tools } = opened;
    const functions = new FunctionSet(host.functions);
    try {
      const native = tools.map(({ name, description, parameters, settings, fault, ...tool }) => ({
        name,
        description,
        parameters: toJson(parameters),
        deadlineMs: settings.deadlineMs ?? -1,
        flags: flagsOf(settings),
        fault,
        run: functions.add(runOf(tool)),
        check: functions.add(checkOf(tool)),
      }));
      const id = host.errors.call(() => host.native.openSession(json, native));
      return new Session(host, id, functions, opened);
    } catch (error) {
      functions.release();
      throw error;
    }
  }

  /** For `recordRun()`. */
  static watch(session: Session, watcher: RunWatcher): WatchedSession {
    session.#watchers.add(watcher);
    return {
      opened: session.#opened,
      stop: () => void session.#watchers.delete(watcher),
    };
  }

  /**
   * One run: what the user says, then model calls and tool calls in turn, until the model answers without a tool call or
   * something ends it. Misuse throws `TypeError` at once. A hook that ends it, an aborted signal, `cancel()` and a limit
   * resolve, with `finishReason` "halted", "cancelled" or "limit"; errors reject with a `LlamaHooksError`: SESSION_BUSY
   * while another run of the session is under way (with `whenBusy: "wait"` it waits), NOT_FOUND when it is closed, and those of `engine.generate()`.
   * Every tool call has exactly one result, however the run ends. A run in which the model said nothing leaves the history
   * as it was.
   */
  run(input: string, options?: RunOptions): Run {
    const checked = checkRun(input, options);
    this.#host.begins();
    const after = checked.waits && !insideCall() ? this.#last : undefined;
    const watched = [...this.#watchers].map((watcher) => watcher(checked.json, () => Run.stopped(run)));
    const hooks = [...checked.hooks, ...watched.flatMap((one) => one.hooks)];
    this.#toBegin.add(checked);
    const begins = (): void => void this.#toBegin.delete(checked);
    const came = (outcome: Outcome<RunResult>): void => {
      for (const one of watched) one.ended(outcome);
    };
    const run: Run = new Run(this.#host, this.id, { ...checked, hooks }, this.#host.causes, { after, begins, came });
    this.#follow(Run.ended(run));
    return run;
  }

  /** What a run that waits begins after. */
  #follow(ended: Promise<void>): void {
    const before = this.#last;
    this.#last = before === undefined ? ended : Promise.all([before, ended]).then(() => undefined);
  }

  /**
   * The user says something while a run is under way: it joins before the next iteration, through userMessage, and the run
   * goes on where it would have ended. Without a run it is said in the next one. Errors: NOT_FOUND.
   */
  queue(message: string): void {
    const content = requiredString(message, "The message of queue()");
    this.#host.errors.call(() => this.#host.native.queueMessage(this.id, content));
  }

  /** Runs wait before their next iteration, until `resume()`; a cancel ends the wait. Errors: NOT_FOUND. */
  pause(): void {
    this.#host.errors.call(() => this.#host.native.pauseSession(this.id, true));
  }

  /** Ends what `pause()` began; without effect on a session that is not paused. Errors: NOT_FOUND. */
  resume(): void {
    this.#host.errors.call(() => this.#host.native.pauseSession(this.id, false));
  }

  /**
   * What was said until now, by the run under way too, as hooks left it; without the system prompt, and never a tool call
   * without its result: one that is still to come is `not run: the session was interrupted`. As the model is shown it; with
   * `compacted: false` with all that compactions have left out or shortened. Errors: NOT_FOUND.
   */
  history(options?: HistoryParameters): readonly Message[] {
    const what = "history() options";
    const given = checkObject(options, what, parameterKeys(historyChecks));
    const request = toJson(parametersToWire(checkParameters(historyChecks, given, what)));
    return messagesFromWire(
      JSON.parse(this.#host.errors.call(() => this.#host.native.sessionHistory(this.id, request))),
    );
  }

  /**
   * Makes what the model is shown smaller, whatever its size: preCompact and postCompact fire. Errors: SESSION_BUSY while a
   * run is under way or waits, NOT_FOUND, and where the model writes the summary those of a model call, HOOK_CANCELLED when a hook stops it.
   */
  async compact(options?: CompactOptions): Promise<CompactionResult> {
    const { native, errors, causes } = this.#host;
    this.#host.begins();
    const what = "compact() options";
    const { strategy, ...given } = checkObject(options, what, parameterKeys(compactChecks));
    const checked = checkParameters(compactChecks, given, what);
    const known = optionalOneOf(strategy, `${what}.strategy`, ["summarize", "truncate", "tool-results"]);
    const request = toJson(parametersToWire({ ...checked, ...(known !== undefined && { strategy: known }) }));
    if (this.#toBegin.size > 0)
      throw new LlamaHooksError("SESSION_BUSY", `a run of the session ${this.id} is to begin`);
    const task = new Task((_, onEnd) => native.compactSession(this.id, request, onEnd), { errors });
    const nothing = (): void => undefined;
    this.#follow(task.ended.then(nothing, nothing));
    return compactionResultFromWire(await task.ended, causes);
  }

  /**
   * Writes the session to a file, at any time: what was said, as `history()` has it, the conversations with tiers, todos and
   * anchors; no tools, no hooks, nothing that a hook has replaced. The file is there whole, or as it was before, for its
   * owner alone to read. `engine.restoreSession()` goes on from it. Errors: NOT_FOUND, INVALID_ARGUMENT when it cannot be written.
   */
  // oxlint-disable-next-line typescript/require-await -- errors reject, and writing may take a thread of its own one day
  async save(path: string): Promise<void> {
    const file = requiredString(path, "The path of save()");
    this.#host.errors.call(() => this.#host.native.saveSession(this.id, file));
  }

  /**
   * A copy that goes its own way from what `history()` has, with the same tools, options and hooks (disposed of, a hook is
   * gone from both); what both begin with is in the KV cache once.
   * Errors: NOT_FOUND.
   */
  fork(): Session {
    const { native, errors } = this.#host;
    const id = errors.call(() => native.forkSession(this.id));
    if (this.#hookScope !== 0) Hooks.share(this.hooks);
    return new Session(this.#host, id, this.#functions.share(), this.#opened);
  }

  /**
   * Cancels what runs and ends the session: sessionEnd fires. A second close resolves when the first has. Errors: REENTRANT
   * inside a hook that holds up its run or its close, which this would wait for; a tool of the session may close it.
   */
  close(): Promise<void> {
    if (this.#closing !== undefined && insideCall()) return this.#closeAgain(this.#closing);
    this.#closing ??= this.#close().catch((error: unknown) => {
      this.#closing = undefined; // refused inside a hook, say: it may be closed later
      throw error;
    });
    return this.#closing;
  }

  /** `await using`: as `close()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Only the engine knows whether the first close waits for who asks now. */
  async #closeAgain(first: Promise<void>): Promise<void> {
    const { native, errors } = this.#host;
    await Promise.resolve(); // as the first does, which begins before
    const again = new Task((_, onEnd) => native.closeSession(this.id, onEnd), { errors });
    await again.ended.catch((error: unknown) => {
      if (error instanceof LlamaHooksError && error.code === "REENTRANT") throw error;
    });
    await first;
  }

  async #close(): Promise<void> {
    const { native, errors } = this.#host;
    this.#host.begins();
    await Promise.resolve(); // a run that was asked for before begins before: it is cancelled, too
    const task = new Task((_, onEnd) => native.closeSession(this.id, onEnd), { errors });
    await task.ended.catch((error: unknown) => {
      // Closed with the engine already, or about to be.
      if (!(error instanceof LlamaHooksError && error.code === "CLOSED")) throw error;
    });
    this.#functions.release();
    if (this.#hookScope !== 0) native.freeHooks(this.#hookScope);
    this.#hookScope = 0;
  }
}
