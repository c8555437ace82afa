// `llama-hooks run`: one model, one prompt, its tools and its hooks. Must not: touch the addon; it uses the package.
import { fileURLToPath } from "node:url";
import {
  bundledModel,
  createEngine,
  defaultModelId,
  type Engine,
  type Gpu,
  LlamaHooksError,
  type SamplingOptions,
  type Session,
  type SessionOptions,
  type SessionTool,
} from "../index.js";
import { demoTools } from "./demo-tools.js";
import { exitCodes } from "./exit-codes.js";
import { type AddHooks, loadHooks, nativeHook } from "./load-hooks.js";
import { loadSession } from "./load-session.js";
import { loadTools } from "./load-tools.js";
import { PointCount } from "./point-count.js";
import { JsonView, type RunView, TextView } from "./run-view.js";
import { Terminal } from "./terminal.js";
import { UsageError } from "./usage-error.js";

export interface RunOptions {
  readonly model?: string;
  readonly prompt?: string;
  readonly system?: string;
  /** File of session options. */
  readonly session?: string;
  readonly trace?: boolean;
  readonly json?: boolean;
  readonly hooks: readonly string[];
  readonly native: readonly string[];
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly seed?: number;
  readonly gpu: Gpu;
  readonly contextSize?: number;
  readonly demo?: boolean;
  /** Files of tools; true: those of the demonstration; false: none. */
  readonly tools: readonly string[] | boolean;
}

/** Two tool calls, one of which a hook stops, a task for another agent, a result that a hook changes, a completion. */
const demo = {
  prompt: "What is 12 * 7, and what does secrets.txt say? Have the scout check the weather in Oslo.",
  hooks: example("demo-hooks.mjs"),
  session: example("demo-session.mjs"),
} as const;

function example(name: string): string {
  return fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
}

/** Runs the command; gives the exit code. Hooks that cancel or halt are a normal end. */
export async function run(options: RunOptions): Promise<number> {
  const shows = options.demo === true;
  const prompt = options.prompt ?? (shows ? demo.prompt : undefined);
  if (prompt === undefined) throw new UsageError("--prompt is missing (or use --demo)");
  const view: RunView = options.json === true ? new JsonView() : new TextView(new Terminal());
  const files = [...(shows ? [demo.hooks] : []), ...options.hooks];
  const sessionFile = options.session ?? (shows && options.prompt === undefined ? demo.session : undefined);
  const session: SessionOptions = {
    ...(sessionFile !== undefined && (await loadSession(sessionFile))),
    ...(options.system !== undefined && { system: options.system }),
    ...samplingOf(options),
  };
  const tools = [...(session.tools ?? []), ...(await toolsOf(options))];
  const add: AddHooks[] = (await Promise.all(files.map(loadHooks))).flat().concat(options.native.map(nativeHook));
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort(new Error("interrupted")));
  process.stdout.on("error", () => stop.abort(new Error("stdout was closed")));
  try {
    return await runPrompt(prompt, add, { ...session, tools }, options, view, stop.signal);
  } catch (error) {
    if (stop.signal.aborted) return exitCodes.interrupted;
    if (error instanceof UsageError) throw error;
    view.error(
      error instanceof LlamaHooksError ? error.code : "FAILED",
      error instanceof Error ? error.message : String(error),
    );
    return exitCodes.failed;
  }
}

async function runPrompt(
  prompt: string,
  add: readonly AddHooks[],
  sessionOptions: SessionOptions,
  options: RunOptions,
  view: RunView,
  signal: AbortSignal,
): Promise<number> {
  const path = options.model ?? bundledModel;
  // Hooks come before the model, so that they see it being loaded.
  const engine = await createEngine({ models: {}, gpu: options.gpu });
  let tracing: Promise<void> | undefined;
  try {
    for (const one of add) await one(engine);
    const count = options.demo === true ? new PointCount(engine) : undefined;
    if (options.trace === true || options.demo === true) tracing = follow(engine, view);
    // Before the model is loaded, so that what is wrong with options shows at once.
    const session = openSession(engine, sessionOptions, options);
    const size = options.contextSize === undefined ? {} : { contextSize: options.contextSize };
    const onProgress = (progress: number): void => view.loading(progress, path.replace(/^.*[\\/]/, ""));
    const onDownload = view.downloading.bind(view);
    await engine.models.load(defaultModelId, { path, ...size }, { signal, onProgress, onDownload });
    view.start(prompt, path);
    const run = session.run(prompt, { signal });
    for await (const event of run) view.event(event);
    const result = await run;
    const stats = engine.hooks.stats();
    await session.close();
    await engine.close();
    view.summary(result, stats, count?.summary());
    if (signal.aborted) return exitCodes.interrupted;
    return result.limit === null || result.limit === "maxTokens" ? exitCodes.ok : exitCodes.failed;
  } finally {
    await engine.close();
    await tracing;
  }
}

/** What is wrong with options is the fault of their file, where there is one. */
function openSession(engine: Engine, sessionOptions: SessionOptions, { session: file }: RunOptions): Session {
  try {
    return engine.session(sessionOptions);
  } catch (error) {
    if (file === undefined || !(error instanceof Error)) throw error;
    throw new UsageError(`--session ${file}: ${error.message}`);
  }
}

async function follow(engine: Engine, view: RunView): Promise<void> {
  for await (const event of engine.trace()) {
    if (event.type !== "decision") view.trace(event);
    const hooks = event.type === "decision" ? event.hooks.filter(({ name }) => name !== PointCount.hookName) : [];
    if (event.type === "decision" && hooks.length > 0) view.trace({ ...event, hooks });
  }
}

async function toolsOf({ tools, model }: RunOptions): Promise<readonly SessionTool[]> {
  if (typeof tools !== "boolean") return (await Promise.all(tools.map(loadTools))).flat();
  return tools ? demoTools(isBundled(model)) : [];
}

function isBundled(model: string | undefined): boolean {
  return model === undefined || model === bundledModel;
}

/** The bundled model is at its best when it always takes the likeliest token. */
function samplingOf({ maxTokens, temperature, seed, model }: RunOptions): SamplingOptions {
  const heat = temperature ?? (isBundled(model) ? 0 : undefined);
  return {
    ...(maxTokens !== undefined && { maxTokens }),
    ...(heat !== undefined && { temperature: heat }),
    ...(seed !== undefined && { seed }),
  };
}
