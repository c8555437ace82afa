// The Session class: a conversation with an agent. The engine holds its state.
import { calledAt, errorsNameCallers } from "../base/call-site.js";
import type { Causes } from "../base/causes.js";
import { checkObject, optionalName, optionalString, requiredString } from "../base/check.js";
import { checkParameters, parameterKeys, parametersToWire } from "../base/check-parameters.js";
import { LlamaHooksError } from "../base/errors.js";
import { toJson } from "../base/wire.js";
import type { JsonSchema, SchemaOutput, StandardSchema } from "../generate/json-schema.js";
import { type Input, messagesFromWire, textOfParts, type TextPart } from "../generate/messages.js";
import {
  compactChecks,
  type CompactParameters,
  historyChecks,
  type HistoryParameters,
} from "../generated/parameters.js";
import type { CompactionResult, RunEvent, ToolRecord, WaitingCall } from "../generated/results.js";
import type { Message } from "../generated/points.js";
import { insideCall } from "../hooks/hook-calls.js";
import { type HookHost, Hooks } from "../hooks/hooks.js";
import type { NeverMatched } from "../hooks/never-matched.js";
import { Task } from "../native/task.js";
import { Run } from "./run.js";
import { passTools } from "./pass-tools.js";
import { compactionResultFromWire, waitingFromWire } from "./run-result.js";
import {
  type CheckedRun,
  type CheckedSession,
  checkResume,
  checkRun,
  checkSession,
  checkTools,
  type ResumeOptions,
  type RunOptions,
  type SessionOptions,
  type SessionOrigin,
  type SessionTool,
  type WaitingAnswer,
} from "./session-options.js";
import type { ToolFunctions } from "./tool-functions.js";
import { type TierOptions, tiersToWire } from "./tier-options.js";
import type { AnsweredResultWith, RunResultWith } from "./typed-calls.js";
import { type ChangeWatcher, type RunWatcher, type WatchedSession, Watchers } from "./watchers.js";

/** Options of `session.compact()`. */
export type CompactOptions = CompactParameters;

/** Options of `session.fork()`. */
export interface ForkOptions {
  /** Id of the message that the copy ends with [the last one]. */
  readonly at?: string;
}

/** The parts of the engine that a session uses. */
export interface SessionHost extends HookHost {
  readonly causes: Causes;
  readonly functions: ToolFunctions;
  readonly neverMatched: NeverMatched;
  /** Called before long work begins. */
  begins(): void;
}

/** The arguments of the constructor of a session. */
export type SessionParts = ConstructorParameters<typeof Session>;

/**
 * A conversation whose runs call the model and its tools in turn. Open one with `engine.session()`,
 * `engine.restoreSession()` or `engine.sessions`, and close it after use (`await using` does). Closing the engine
 * closes its open sessions.
 * `Call` and `Event` are the types of the calls in results and of the events: unions by the names of the tools that
 * `engine.session({ tools })` was given. A `Session` without them is a session of any tools. What `setTools()` sets
 * later has no effect on the types.
 */
export class Session<Call = ToolRecord, Event = RunEvent> implements AsyncDisposable {
  /** The id, in hooks `meta.sessionId`. */
  readonly id: string;
  /** Hooks of the session's runs and compactions, and of the runs that those delegate to. They are removed at close. */
  readonly hooks: Hooks;
  /** The scope of its hooks in the addon; 0: not created yet. */
  #hookScope = 0;
  readonly #host: SessionHost;
  /** The options of the session, with later changes. */
  #opened: CheckedSession;
  readonly #watchers = new Watchers();
  /** Runs that were requested but have not begun; the engine does not know them yet. */
  readonly #toBegin = new Set<CheckedRun>();
  readonly #runs = new Set<Run>();
  #last: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  static {
    errorsNameCallers(Session, "save", "compact");
  }

  /** Called by `engine.session()`, `engine.restoreSession()` and `fork()` only. */
  constructor(host: SessionHost, id: string, opened: CheckedSession) {
    this.#host = host;
    this.id = id;
    this.#opened = opened;
    this.hooks = new Hooks(host, () => (this.#hookScope ||= host.native.sessionHooks(id)));
  }

  /** `restore`: path of a saved session. */
  static open<Call, Event>(
    host: SessionHost,
    options: SessionOptions | undefined,
    restore?: string,
  ): Session<Call, Event> {
    return new Session(...Session.partsOf(host, options, restore === undefined ? {} : { restore }));
  }

  /** Errors: `TypeError`, with the wrong option. */
  static check(options: SessionOptions | undefined): void {
    checkSession(options);
  }

  /** Opens a session in the engine, for a constructor. */
  static partsOf(host: SessionHost, options: SessionOptions | undefined, origin: SessionOrigin): SessionParts {
    const { opening, ...opened } = checkSession(options, origin);
    const { tier, tiers = {} } = options ?? {};
    host.neverMatched.add("tier", [...Object.keys(tiers), ...(tier === undefined ? [] : [tier])]);
    return [host, passTools(host, opened.tools, (tools) => host.native.openSession(opening, tools)), opened];
  }

  /** Adds a watcher, for `recordRun()` and for stored sessions. */
  static watch(session: Session, watcher: RunWatcher, changes?: ChangeWatcher): WatchedSession {
    return { opened: session.#opened, stop: session.#watchers.add(watcher, changes) };
  }

  /**
   * Starts a run: the user's message, a string or text parts, then model calls and tool calls in turn, until the model
   * answers without a tool call or something ends the run.
   * A list of messages ends with the user's message; those before it are added to the conversation first, as they are.
   * Misuse throws `TypeError` at once. A hook that ends the run, an aborted signal, `cancel()` and a limit resolve the
   * run with `finishReason` "halted", "cancelled" or "limit", tool calls that wait for an answer with "waiting". Errors
   * reject it with a `LlamaHooksError`: SESSION_BUSY while another run of the session is under way (with
   * `whenBusy: "wait"` the run waits), NOT_FOUND if the session is closed, and those of `engine.generate()`. With
   * `answer`, the last message follows that schema, and `result.answer` has the value. Every tool call has exactly one
   * result, however the run ends. If the model said nothing, the run leaves the history unchanged.
   *
   * @example
   * ```ts
   * const run = session.run("What is a fjord?");
   * for await (const piece of run.textStream) process.stdout.write(piece);
   * const { finishReason, limit, steps } = await run;
   * console.log(finishReason, limit, steps.length);
   * ```
   */
  run<const S extends JsonSchema | StandardSchema>(
    input: Input,
    options: RunOptions & { readonly answer: S },
  ): Run<AnsweredResultWith<SchemaOutput<S>, Call>, Event>;
  run(input: Input, options?: RunOptions): Run<RunResultWith<Call>, Event>;
  run(input: Input, options?: RunOptions): unknown {
    return this.#start(checkRun(input, options));
  }

  #start(checked: CheckedRun): Run {
    this.#host.begins();
    const after = checked.waits && !insideCall() ? this.#last : undefined;
    const { hooks, ...watched } = this.#watchers.begin(checked, () => Run.stopped(run));
    this.#toBegin.add(checked);
    const begins = (): void => void this.#toBegin.delete(checked);
    const all = { ...checked, hooks: [...checked.hooks, ...hooks] };
    const run: Run = new Run(this.#host, this.id, all, this.#host.causes, { after, begins, ...watched });
    this.#runs.add(run);
    this.#follow(Run.ended(run).then(() => void this.#runs.delete(run)));
    return run;
  }

  /** Makes the next run begin after `ended`. */
  #follow(ended: Promise<void>): void {
    const before = this.#last;
    this.#last = before === undefined ? ended : Promise.all([before, ended]).then(() => undefined);
  }

  /**
   * Queues a user message. A run under way takes it up before its next iteration, through userMessage, and continues
   * even if it would have ended. Without a run, the message is part of the next one. Errors: NOT_FOUND.
   *
   * @example
   * ```ts
   * const run = session.run("Summarize the notes.");
   * session.queue("In German, please."); // the run takes it up before its next iteration
   * console.log((await run).text);
   * ```
   */
  queue(message: string | readonly TextPart[]): void {
    const what = "The message of queue()";
    const content = requiredString(Array.isArray(message) ? textOfParts(message, what) : message, what);
    this.#host.errors.call(() => this.#host.native.queueMessage(this.id, content));
  }

  /**
   * Replaces the tools of the session, all but the control tools: at once, or, while a run is under way, before the
   * next iteration of the run that you have started. Calls under way, and delegated runs, keep the tools that they
   * began with; forks keep the tools that the session had when they were made. Errors, as when a session is opened,
   * with nothing changed: `TypeError`; INVALID_ARGUMENT, also if a tier or a phase names a tool that would be gone;
   * NOT_FOUND.
   *
   * @example
   * ```ts
   * const calculate = tool({ name: "calculate", run: () => 84 });
   * session.setTools([search, calculate]); // before the next iteration of a run that is under way
   * ```
   */
  setTools(tools: readonly SessionTool[]): void {
    const checked = checkTools(tools);
    passTools(this.#host, checked, (given) => this.#host.native.setSessionTools(this.id, given));
    this.#opened = { ...this.#opened, tools: checked };
    this.#watchers.tools(checked);
  }

  /**
   * Replaces the tiers of the session, when `setTools()` does. Answers that hooks had remembered for a tier that is
   * gone are forgotten. Errors, with nothing changed: `TypeError`; INVALID_ARGUMENT as when a session is opened, and if
   * the session or a conversation of a delegated task needs a tier that would be gone; NOT_FOUND. If it comes to need
   * one after this call and before the next iteration, nothing changes, and `error` hooks get INVALID_ARGUMENT.
   *
   * @example
   * ```ts
   * session.setTiers({ lead: { model: "small" }, coder: { model: "big" } });
   * ```
   */
  setTiers(tiers: Readonly<Record<string, TierOptions>>): void {
    const wire = tiersToWire(tiers);
    this.#host.neverMatched.add("tier", Object.keys(wire));
    this.#host.errors.call(() => this.#host.native.setSessionTiers(this.id, toJson(wire)));
    const json = toJson({ ...(JSON.parse(this.#opened.json) as object), tiers: wire });
    this.#opened = { ...this.#opened, json };
    this.#watchers.tiers(wire as Record<string, unknown>);
  }

  /** The runs that have not ended, in the order in which they were started. */
  get runs(): readonly Run[] {
    return [...this.#runs];
  }

  /**
   * Cancels the runs that have not ended, as `run.cancel()` does. Errors: `TypeError`, as there.
   *
   * @example
   * ```ts
   * session.cancel("the user has left");
   * for (const run of session.runs) console.log((await run).finishReason); // cancelled
   * ```
   */
  cancel(reason?: string): void {
    const why = optionalString(reason, "The reason of cancel()");
    for (const run of this.#runs) run.cancel(why);
  }

  /**
   * The tool calls that wait for an answer, because a hook at `permissionCheck` answered `defer: true`; none by
   * default. Their run has ended as `waiting`, and `resume(answers)` continues it. A saved session keeps them. Errors:
   * NOT_FOUND.
   */
  get waiting(): readonly WaitingCall[] {
    const json = this.#host.errors.call(() => this.#host.native.sessionWaiting(this.id));
    return waitingFromWire(JSON.parse(json));
  }

  /** Pauses runs before their next iteration, until `resume()`. A cancel ends the wait. Errors: NOT_FOUND. */
  pause(): void {
    this.#host.errors.call(() => this.#host.native.pauseSession(this.id, true));
  }

  /** Ends a pause. No-op on a session that is not paused. Errors: NOT_FOUND. */
  resume(): void;
  /**
   * Continues the run whose tool calls wait, in a new run (in its hooks, `meta.resumes` is the id of the first): with
   * the results of the calls that are allowed now, and of those that were allowed before. The current tools, rules and
   * guards check all of them again, and `permissionCheck` fires for each answer (`answered`); nothing else is decided
   * or done twice. A rule or a guard that denies a call holds whatever the answer. Calls that were allowed before the
   * session was saved are asked about again. As long as a call has no answer, no call of its message runs, and the run
   * ends as `waiting` again. Limits continue to count; the time of `maxRunMs` begins anew. The option `answer` of the
   * waiting run still applies; pass it again for `result.answer`. Misuse throws `TypeError` at once. Errors: those of
   * `run()`; INVALID_ARGUMENT for an id that no call that waits has.
   *
   * @example
   * ```ts
   * session.hooks.on("permissionCheck", ({ permission }) => (permission === "ask" ? { defer: true } : undefined));
   * await session.run("Pay the invoice.");
   * const [payment] = session.waiting;
   * if (payment !== undefined) await session.resume({ [payment.id]: "allow" });
   * ```
   */
  resume<const S extends JsonSchema | StandardSchema>(
    answers: Readonly<Record<string, WaitingAnswer>>,
    options: ResumeOptions & { readonly answer: S },
  ): Run<AnsweredResultWith<SchemaOutput<S>, Call>, Event>;
  resume(answers: Readonly<Record<string, WaitingAnswer>>, options?: ResumeOptions): Run<RunResultWith<Call>, Event>;
  resume(answers?: Readonly<Record<string, WaitingAnswer>>, options?: ResumeOptions): unknown {
    if (answers !== undefined || options !== undefined) return this.#start(checkResume(answers, options));
    this.#host.errors.call(() => this.#host.native.pauseSession(this.id, false));
    return undefined;
  }

  /**
   * Returns the conversation so far, including a run under way, as hooks left it, without the system prompt. Every tool
   * call has a result; a pending one reads `not run: the session was interrupted`. By default the messages are those
   * that the model is shown; `compacted: false` returns also what compactions removed or shortened. Errors: NOT_FOUND.
   *
   * @example
   * ```ts
   * for (const { role, content } of session.history()) console.log(role, content);
   * const everything = session.history({ compacted: false }); // also the messages that compactions removed
   * ```
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
   * Compacts the conversation, whatever its size: preCompact and postCompact fire. Errors: SESSION_BUSY while a run is
   * under way or waits; NOT_FOUND; HOOK_CANCELLED if a hook stops it; and those of a model call if the model writes the
   * summary.
   *
   * @example
   * ```ts
   * const { compacted, tokensBefore, tokensAfter } = await session.compact({
   *   strategy: "summarize",
   *   instructions: "Keep all names and dates.",
   * });
   * if (compacted) console.log(`${tokensBefore} tokens before, ${tokensAfter} after`);
   * ```
   */
  async compact(options?: CompactOptions): Promise<CompactionResult> {
    const { native, errors, causes } = this.#host;
    this.#host.begins();
    const what = "compact() options";
    const given = checkObject(options, what, parameterKeys(compactChecks));
    const request = toJson(parametersToWire(checkParameters(compactChecks, given, what)));
    if (this.#toBegin.size > 0)
      throw new LlamaHooksError("SESSION_BUSY", `a run of the session ${this.id} is about to begin`);
    const task = new Task((_, onEnd) => native.compactSession(this.id, request, onEnd), { errors });
    const nothing = (): void => undefined;
    this.#follow(task.ended.then(nothing, nothing));
    return compactionResultFromWire(await task.ended, causes);
  }

  /**
   * Saves the session to a file, at any time: the messages of `history()`, the conversations with tiers, todos and
   * anchors. Tools, hooks and content that hooks replaced are not saved. The file is written atomically, and only its
   * owner can read it. `engine.restoreSession()` opens it. Errors: NOT_FOUND; INVALID_ARGUMENT if the file cannot be
   * written.
   *
   * @example
   * ```ts
   * await session.save("session.json"); // at any time, also during a run, in a hook or in a tool
   * const later = engine.restoreSession("session.json", options); // the same tools and tiers
   * ```
   */
  // oxlint-disable-next-line typescript/require-await -- errors reject, and writing may use a separate thread one day
  async save(path: string): Promise<void> {
    const file = requiredString(path, "The path of save()");
    this.#host.errors.call(() => this.#host.native.saveSession(this.id, file));
  }

  /**
   * Returns a copy of the session that continues independently from the messages of `history()`, with the same tools,
   * options and hooks. Disposing of a hook removes it from both. The model does not read the common beginning again.
   * With `at`, the id of a message of `history()`, the copy ends with that message, as after `rewind()`. Errors:
   * `TypeError`; NOT_FOUND, also for an unknown message; INVALID_ARGUMENT as for `rewind()`.
   *
   * @example
   * ```ts
   * const other = session.fork();
   * const [a, b] = await Promise.all([session.run("Answer as a poem."), other.run("Answer as a list.")]);
   * console.log(a.text, b.text);
   * await other.close();
   * ```
   */
  fork(options?: ForkOptions): Session<Call, Event> {
    const { at } = checkObject(options, "fork() options", ["at"]);
    const message = optionalName(at, "at") ?? "";
    const { native, errors } = this.#host;
    const id = errors.call(() => native.forkSession(this.id, message));
    const copy = new Session<Call, Event>(this.#host, id, this.#opened);
    if (this.#hookScope !== 0) Hooks.share(this.hooks, copy.hooks);
    return copy;
  }

  /**
   * Rewinds the session: the conversation ends with the message of that id (`history()`); with `null` it is empty.
   * Later messages, and tool calls that wait, are dropped. Tier, phase, todos, anchors and remembered permissions
   * return to their state at that message; usage, queued messages and conversations with tiers stay. The message may
   * also be one that a compaction has dropped (`history({ compacted: false })`); compactions of that message or later
   * ones are undone. Errors: SESSION_BUSY while a run is under way; NOT_FOUND; INVALID_ARGUMENT if a tool call would
   * lose its result, or if the tier or phase at that message no longer exists.
   *
   * @example
   * ```ts
   * const [first] = session.history();
   * await session.run("And in winter?");
   * if (first?.id !== undefined) session.rewind(first.id); // the conversation ends with that message
   * ```
   */
  rewind(messageId: string | null): void {
    const id = messageId === null ? "" : requiredString(messageId, "The message of rewind()");
    this.#host.errors.call(() => this.#host.native.rewindSession(this.id, id));
    this.#watchers.rewound();
  }

  /**
   * Cancels running work and ends the session: sessionEnd fires. A second call returns when the first one has finished.
   * A tool of the session may close it. Errors: REENTRANT inside a hook that the session's run or close is waiting for.
   */
  close(): Promise<void> {
    if (this.#closing !== undefined && insideCall()) return this.#closeAgain(this.#closing);
    this.#closing ??= calledAt(this.close, () => this.#close()).catch((error: unknown) => {
      this.#closing = undefined; // a refused close, for example inside a hook, may be repeated later
      throw error;
    });
    return this.#closing;
  }

  /** Calls `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Only the engine knows whether the first close waits for the caller of this one. */
  async #closeAgain(first: Promise<void>): Promise<void> {
    const { native, errors } = this.#host;
    await Promise.resolve(); // the first close did the same, so it reaches the engine first
    const again = new Task((_, onEnd) => native.closeSession(this.id, onEnd), { errors });
    await again.ended.catch((error: unknown) => {
      if (error instanceof LlamaHooksError && error.code === "REENTRANT") throw error;
    });
    await first;
  }

  async #close(): Promise<void> {
    const { native, errors } = this.#host;
    this.#host.begins();
    if (this.#hookScope !== 0) this.#host.neverMatched.report(this.hooks);
    // Runs requested before this call begin first, and are cancelled, too. If there are none, no tool call begins any
    // more.
    if (this.#toBegin.size > 0) await Promise.resolve();
    const task = new Task((_, onEnd) => native.closeSession(this.id, onEnd), { errors });
    await task.ended.catch((error: unknown) => {
      // Already closed with the engine, or about to be.
      if (!(error instanceof LlamaHooksError && error.code === "CLOSED")) throw error;
    });
    this.#opened = { ...this.#opened, tools: [] }; // no one can record it any more
    Hooks.ended(this.hooks);
    if (this.#hookScope !== 0) native.freeHooks(this.#hookScope);
    this.#hookScope = 0;
  }
}
