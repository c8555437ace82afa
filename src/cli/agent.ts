// An engine with hooks, tools and models as the options of the command line say: what run and chat have in common.
// Must not: run anything, or touch the addon; it uses the package.
import path from "node:path";
import {
  bundledModel,
  createEngine,
  type Engine,
  type Session,
  type SessionOptions,
  type SessionTool,
} from "../index.js";
import { type AgentOptions, loadOptionsOf, samplingOptionsOf } from "./agent-options.js";
import { demoTools } from "./demo-tools.js";
import { type AddHooks, loadHooks, nativeHook } from "./load-hooks.js";
import { loadSession } from "./load-session.js";
import { loadTools } from "./load-tools.js";
import { PointCount } from "./point-count.js";
import type { RunView } from "./run-view.js";
import { UsageError } from "./usage-error.js";

/** A model of the engine: its id there, and what the user named. */
export interface AgentModel {
  readonly id: string;
  readonly path: string;
}

/** What the files have that options name. */
interface AgentFiles {
  readonly hooks: readonly AddHooks[];
  readonly session: SessionOptions;
  /** Undefined: those of the demonstration, which depend on the model. */
  readonly tools: readonly SessionTool[] | undefined;
}

export class Agent {
  readonly engine: Engine;
  readonly #options: AgentOptions;
  readonly #files: AgentFiles;
  readonly #view: RunView;
  #tracing: Promise<void> | undefined;

  private constructor(engine: Engine, options: AgentOptions, files: AgentFiles, view: RunView) {
    this.engine = engine;
    this.#options = options;
    this.#files = files;
    this.#view = view;
  }

  /** Without a model yet, so that hooks see it being loaded. Close it, whatever happens. Errors: UsageError names the file. */
  static async open(options: AgentOptions, view: RunView): Promise<Agent> {
    const files = await readFiles(options);
    const { gpu, logLevel } = options;
    const engine = await createEngine({ models: {}, gpu, ...(logLevel !== undefined && { logLevel }) });
    try {
      for (const add of files.hooks) await add(engine);
    } catch (error) {
      await engine.close();
      throw error;
    }
    return new Agent(engine, options, files, view);
  }

  /** From now on the view is shown what hooks decide. */
  trace(): void {
    this.#tracing ??= follow(this.engine, this.#view);
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
      // What is wrong with options is the fault of their file, where there is one.
      if (file !== undefined || this.#options.session === undefined || !(error instanceof Error)) throw error;
      throw new UsageError(`--session ${this.#options.session}: ${error.message}`);
    }
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

  /** Closes the engine; resolves when all of the trace has been shown. */
  async close(): Promise<void> {
    await this.engine.close();
    await this.#tracing;
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
      ...samplingOptionsOf(this.#options),
      tools: [...(session.tools ?? []), ...(tools ?? demoTools(bundled))],
    };
  }
}

async function readFiles({ hooks, native, session, tools }: AgentOptions): Promise<AgentFiles> {
  return {
    session: session === undefined ? {} : await loadSession(session),
    tools: typeof tools === "boolean" ? (tools ? undefined : []) : (await Promise.all(tools.map(loadTools))).flat(),
    hooks: [...(await Promise.all(hooks.map(loadHooks))).flat(), ...native.map(nativeHook)],
  };
}

async function follow(engine: Engine, view: RunView): Promise<void> {
  for await (const event of engine.trace()) {
    if (event.type !== "decision") view.trace(event);
    const hooks = event.type === "decision" ? event.hooks.filter(({ name }) => name !== PointCount.hookName) : [];
    if (event.type === "decision" && hooks.length > 0) view.trace({ ...event, hooks });
  }
}

function isBundled(model: string): boolean {
  return path.resolve(model) === bundledModel;
}
