// Builds an engine with hooks, tools and models from the options of the command line, for run and chat.
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { unlessAborted } from "../../base/unless-aborted.js";
import {
  bundledModel,
  createEngine,
  type Engine,
  type HookSet,
  type Run,
  type RunEvent,
  type RunResult,
  type SamplingOptions,
  type Session,
  type SessionOptions,
  type SessionTool,
  type TraceEvent,
} from "../../index.js";
import type { AgentFiles } from "./agent-files.js";
import { type AgentOptions, loadOptionsOf, samplingOption, samplingOptionsOf } from "../options/agent-options.js";
import { demoTools } from "./demo-tools.js";
import { McpServers } from "../mcp/mcp-servers.js";
import type { Inspector } from "../../inspector/index.js";
import { openInspection } from "./inspection.js";
import { failureOf } from "../process/error-text.js";
import { FigureCollector } from "../view/run-figures.js";
import { CallTracker } from "../view/call-tracker.js";
import { isOwnHook } from "../view/own-hooks.js";
import type { RunView } from "../view/run-view.js";
import { TraceFile } from "./trace-file.js";
import { UsageError } from "../process/exit.js";
import { sanitize } from "../process/sanitize.js";

/** A model of the engine: its id and the path that the user named. */
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
  /** Sampling values that the user has set during the chat. They override the command line. */
  readonly #set = new Map<string, string | number>();
  #following: Promise<void> | undefined;
  #inspector: Inspector | undefined;
  #mcp: McpServers | undefined;

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
   * Opens an engine without a model, so that hooks see the model being loaded. The caller must close it in every case.
   * `person`: makes the hooks that ask the person at the terminal.
   * Errors: FileError names the file; INVALID_ARGUMENT if the trace file cannot be written; those of the MCP servers.
   */
  static async open(
    options: AgentOptions,
    files: AgentFiles,
    view: RunView,
    signal: AbortSignal,
    person?: () => Promise<HookSet>,
  ): Promise<Agent> {
    const { gpu, logLevel, allowHttp } = options;
    const traceFile = options.traceFile === undefined ? undefined : await TraceFile.open(options.traceFile);
    const engine = await createEngine({
      models: {},
      gpu,
      ...(logLevel !== undefined && { logLevel }),
      ...(allowHttp !== undefined && { allowHttp }),
    });
    const agent = new Agent(engine, options, files, view, traceFile);
    if (traceFile !== undefined) agent.follow();
    try {
      agent.#inspector = (await openInspection(engine, options, view.warning.bind(view)))?.inspector;
      for (const add of files.hooks) await unlessAborted(add(engine), signal);
      // Last, so that hooks of files may answer first. With the page, questions are asked there.
      if (agent.#inspector === undefined && person !== undefined) engine.hooks.use(await person());
      agent.#mcp = await McpServers.start(options.mcp, {
        signal,
        report: (problem) => view.warning(sanitize(problem)),
      });
    } catch (error) {
      await agent.close();
      throw error;
    }
    return agent;
  }

  /** Starts to follow the trace: for the figures, the trace file and, with --trace, the view. */
  follow(): void {
    this.#following ??= this.#follow();
  }

  async load(model: AgentModel, signal: AbortSignal): Promise<void> {
    const name = path.basename(model.path);
    const onProgress = (progress: number): void => this.#view.loading(progress, name);
    const onDownload = this.#view.downloading.bind(this.#view);
    const control = { signal, onProgress, onDownload };
    await this.engine.models.load(model.id, { path: model.path, ...loadOptionsOf(this.#options) }, control);
  }

  /** Opens a session with the model, which may be loaded later. `file`: a saved session to continue. */
  session(model: AgentModel, more: SessionOptions = {}, file?: string): Session {
    const others = this.#otherTools(model);
    const tools = [...others, ...(this.#mcp?.tools ?? [])];
    const options = { ...this.#sessionOptions(model), tools, ...more };
    try {
      const session = file === undefined ? this.engine.session(options) : this.engine.restoreSession(file, options);
      this.#mcp?.follow(session, others);
      return session;
    } catch (error) {
      // An invalid option comes from one of the option files, or from two files that contradict each other.
      const { tools: given, session, mcp } = this.#options;
      const files = [
        ...(Array.isArray(given) ? given.map((one) => `--tools ${one}`) : []),
        ...mcp.map(({ text }) => `--mcp ${text}`),
        ...(session === undefined ? [] : [`--session ${session}`]),
      ];
      if (file !== undefined || files.length === 0 || !(error instanceof Error)) throw error;
      throw new UsageError(`${files.join(", ")}: ${error.message}`);
    }
  }

  /** Shows a run until it ends. */
  async show(run: Run): Promise<RunResult> {
    for await (const event of run) {
      // The trace is a separate stream: the decisions about this call have arrived in it but may not have been read
      // yet.
      if (beside.has(event.type)) await setImmediate();
      this.#view.event(event, event.type === "end" ? this.#figures.of(event.result) : undefined);
    }
    return run;
  }

  /** The user's sampling options. Runs get them as well, because they override the options of tiers. */
  get sampling(): SamplingOptions {
    return { ...samplingOptionsOf(this.#options), ...Object.fromEntries(this.#set) };
  }

  /** Applies from the next run on. Undefined restores the value of the command line. Errors: UsageError. */
  setSampling(name: string, value: string | undefined): void {
    const option = samplingOption(name);
    if (value === undefined) this.#set.delete(option.attribute);
    else this.#set.set(option.attribute, option.parse(value));
  }

  /** The system prompt of new sessions. */
  get system(): string | undefined {
    return this.#options.system ?? this.#files.session.system;
  }

  /** The names of tiers with their own system prompt, which replaces the session's. */
  get tiersWithSystem(): string[] {
    const tiers = Object.entries(this.#files.session.tiers ?? {});
    return tiers.flatMap(([name, { system }]) => (system === undefined ? [] : [name]));
  }

  /** True: a page shows the engine. */
  get isInspected(): boolean {
    return this.#inspector !== undefined;
  }

  /**
   * Closes the engine. Resolves when the whole trace has been shown and written: true, or false if the trace file could
   * not be written. The view has then shown the error. The page of the inspector closes after `stay`.
   */
  async close(stay?: () => Promise<void>): Promise<boolean> {
    await this.engine.close();
    await this.#following;
    await this.#mcp?.close();
    const isWritten = await this.#writeTrace();
    await stay?.();
    await this.#inspector?.close();
    return isWritten;
  }

  async #writeTrace(): Promise<boolean> {
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
      if (shown !== undefined && this.#options.trace === true) this.#view.trace(shown, call);
    }
  }

  #sessionOptions({ id, path }: AgentModel): SessionOptions {
    const { session } = this.#files;
    return {
      // The bundled model answers best with greedy decoding.
      ...(isBundled(path) && { temperature: 0 }),
      ...session,
      model: id,
      ...(this.#options.system !== undefined && { system: this.#options.system }),
      ...this.sampling,
    };
  }

  /** The tools of files, and of the demonstration: the user's own models get tools only if an option names them. */
  #otherTools({ path }: AgentModel): readonly SessionTool[] {
    if (this.#options.tools === false) return [];
    const { session, tools } = this.#files;
    const usual = this.#options.mcp.length === 0 && isBundled(path) ? demoTools : [];
    return [...(session.tools ?? []), ...(tools ?? usual)];
  }
}

/** Events that are shown together with decisions of the trace. */
const beside: ReadonlySet<RunEvent["type"]> = new Set(["delegation", "toolResult", "end"]);

/** The event without the hooks that the command itself added; undefined if no other hook is left. */
function withoutOwnHooks(event: TraceEvent): TraceEvent | undefined {
  if (event.type !== "decision") return event.event === "hookEnded" && isOwnHook(event) ? undefined : event;
  const hooks = event.hooks.filter((hook) => !isOwnHook(hook));
  return hooks.length > 0 ? { ...event, hooks } : undefined;
}

function isBundled(model: string): boolean {
  return path.resolve(model) === bundledModel;
}
