// An engine with hooks, tools and models as the options of the command line say: what run and chat have in common.
// Must not: run anything, or touch the addon; it uses the package.
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { unlessAborted } from "../../base/unless-aborted.js";
import {
  bundledModel,
  createEngine,
  type Engine,
  type Run,
  type RunEvent,
  type RunResult,
  type SamplingOptions,
  type Session,
  type SessionOptions,
  type TraceEvent,
} from "../../index.js";
import type { AgentFiles } from "./agent-files.js";
import { type AgentOptions, loadOptionsOf, samplingOption, samplingOptionsOf } from "../options/agent-options.js";
import { demoTools } from "./demo-tools.js";
import { failureOf } from "../process/error-text.js";
import { FigureCollector } from "../view/run-figures.js";
import { CallTracker } from "../view/call-tracker.js";
import { isOwnHook } from "../view/own-hooks.js";
import type { HookFailed, RunView } from "../view/run-view.js";
import { TraceFile } from "./trace-file.js";
import { UsageError } from "../process/exit.js";

/** A model of the engine: its id there, and what the user named. */
export interface AgentModel {
  readonly id: string;
  readonly path: string;
}

export class Agent {
  readonly engine: Engine;
  readonly #options: AgentOptions;
  readonly #files: AgentFiles;
  readonly #view: RunView;
  readonly #traceFile: TraceFile | undefined;
  readonly #marks: CallTracker | undefined;
  readonly #figures: FigureCollector;
  /** What the user has set since, which goes before the command line. */
  readonly #set = new Map<string, string | number>();
  #following: Promise<void> | undefined;
  #tellsFailure = true;

  private constructor(
    engine: Engine,
    options: AgentOptions,
    files: AgentFiles,
    view: RunView,
    traceFile: TraceFile | undefined,
  ) {
    this.engine = engine;
    this.#traceFile = traceFile;
    this.#options = options;
    this.#files = files;
    this.#view = view;
    this.#figures = new FigureCollector(engine);
    if (options.trace === true) this.#marks = new CallTracker(engine);
  }

  /**
   * Without a model yet, so that hooks see it being loaded. Close it, whatever happens. Errors: FileError names the file;
   * INVALID_ARGUMENT when that of the trace cannot be written.
   */
  static async open(options: AgentOptions, files: AgentFiles, view: RunView, signal: AbortSignal): Promise<Agent> {
    const { gpu, logLevel } = options;
    const traceFile = options.traceFile === undefined ? undefined : await TraceFile.open(options.traceFile);
    const engine = await createEngine({ models: {}, gpu, ...(logLevel !== undefined && { logLevel }) });
    const agent = new Agent(engine, options, files, view, traceFile);
    if (traceFile !== undefined) agent.follow();
    try {
      for (const add of files.hooks) await unlessAborted(add(engine), signal);
    } catch (error) {
      await agent.close();
      throw error;
    }
    return agent;
  }

  /** From now on the view is shown what hooks decide, or, when nobody asked for the trace, the first failure of one. */
  follow(): void {
    this.#following ??= this.#follow();
  }

  /** Of the failures to come the first is shown again. */
  tellNextFailure(): void {
    this.#tellsFailure = true;
  }

  async load(model: AgentModel, signal: AbortSignal): Promise<void> {
    const name = path.basename(model.path);
    const onProgress = (progress: number): void => this.#view.loading(progress, name);
    const onDownload = this.#view.downloading.bind(this.#view);
    const control = { signal, onProgress, onDownload };
    await this.engine.models.load(model.id, { path: model.path, ...loadOptionsOf(this.#options) }, control);
  }

  /** A session with the model, which need not be loaded yet. `file`: one that a session was saved to, to go on from. */
  session(model: AgentModel, more: SessionOptions = {}, file?: string): Session {
    const options = { ...this.#sessionOptions(model), ...more };
    try {
      return file === undefined ? this.engine.session(options) : this.engine.restoreSession(file, options);
    } catch (error) {
      // What is wrong with options is the fault of their files, where there are any: of two it may be that they do not go together.
      const { tools, session } = this.#options;
      const files = [
        ...(Array.isArray(tools) ? tools.map((one) => `--tools ${one}`) : []),
        ...(session === undefined ? [] : [`--session ${session}`]),
      ];
      if (file !== undefined || files.length === 0 || !(error instanceof Error)) throw error;
      throw new UsageError(`${files.join(", ")}: ${error.message}`);
    }
  }

  /** Shows a run until it ends. */
  async show(run: Run): Promise<RunResult> {
    for await (const event of run) {
      // The trace is another stream: what hooks made of a call and its result is there by now, and may not have been read.
      if (beside.has(event.type)) await setImmediate();
      this.#view.event(event, event.type === "end" ? this.#figures.of(event.result) : undefined);
    }
    return run;
  }

  /** What the user says of sampling: for the runs, too, as it goes before what tiers say. */
  get sampling(): SamplingOptions {
    return { ...samplingOptionsOf(this.#options), ...Object.fromEntries(this.#set) };
  }

  /** From the next run on. Undefined: as the command line says. Errors: UsageError. */
  setSampling(name: string, value: string | undefined): void {
    const option = samplingOption(name);
    if (value === undefined) this.#set.delete(option.attribute);
    else this.#set.set(option.attribute, option.parse(value));
  }

  /** The system prompt that sessions begin with. */
  get system(): string | undefined {
    return this.#options.system ?? this.#files.session.system;
  }

  /** The names of tiers with a system prompt of their own, which goes before that of the session. */
  get tiersWithSystem(): string[] {
    const tiers = Object.entries(this.#files.session.tiers ?? {});
    return tiers.flatMap(([name, { system }]) => (system === undefined ? [] : [name]));
  }

  /**
   * Closes the engine; resolves when all of the trace has been shown, and written where it is to be: false where that could
   * not be done, which the view has been told.
   */
  async close(): Promise<boolean> {
    await this.engine.close();
    await this.#following;
    try {
      await this.#traceFile?.write();
      return true;
    } catch (error) {
      this.#view.error(failureOf(error));
      return false;
    }
  }

  async #follow(): Promise<void> {
    for await (const event of this.engine.trace()) {
      const call = this.#marks?.callOf(event);
      this.#figures.take(event);
      const shown = withoutOwnHooks(event);
      if (shown !== undefined) this.#traceFile?.add(shown);
      if (this.#options.trace === true) {
        if (shown !== undefined) this.#view.trace(shown, call);
      } else if (this.#tellsFailure && hasFailed(event)) {
        this.#tellsFailure = false;
        this.#view.hookFailed(event);
      }
    }
  }

  #sessionOptions({ id, path }: AgentModel): SessionOptions {
    const { session, tools } = this.#files;
    const bundled = isBundled(path);
    return {
      // It is at its best when it always takes the likeliest token.
      ...(bundled && { temperature: 0 }),
      ...session,
      model: id,
      ...(this.#options.system !== undefined && { system: this.#options.system }),
      ...this.sampling,
      // A model of the user's own gets nothing that nobody has asked for.
      tools: this.#options.tools === false ? [] : [...(session.tools ?? []), ...(tools ?? (bundled ? demoTools : []))],
    };
  }
}

/** Events that are shown with something of the trace. */
const beside: ReadonlySet<RunEvent["type"]> = new Set(["delegation", "toolResult", "end"]);

/** The event as if the hooks were not there that the command has added. */
function withoutOwnHooks(event: TraceEvent): TraceEvent | undefined {
  if (event.type !== "decision") return event;
  const hooks = event.hooks.filter((hook) => !isOwnHook(hook));
  return hooks.length > 0 ? { ...event, hooks } : undefined;
}

/** What was cut short because nobody wants the answer any more is no failure of the hook. */
function hasFailed(event: TraceEvent): event is HookFailed {
  if (event.type !== "decision") return event.event === "observerFailed";
  return event.hooks.some(({ error }) => error !== undefined && error.code !== "CANCELLED" && error.code !== "CLOSED");
}

function isBundled(model: string): boolean {
  return path.resolve(model) === bundledModel;
}
