// `llama-hooks run`: one model, one prompt, its tools and its hooks. Must not: touch the addon; it uses the package.
import { fileURLToPath } from "node:url";
import {
  bundledModel,
  createEngine,
  defaultModelId,
  type Engine,
  type Gpu,
  LlamaHooksError,
  type RunResult,
  type SamplingOptions,
  type SessionTool,
} from "../index.js";
import { demoTools } from "./demo-tools.js";
import { type AddHooks, loadHooks, nativeHook } from "./load-hooks.js";
import { loadTools } from "./load-tools.js";
import { JsonView, type RunView, TextView } from "./run-view.js";
import { Terminal } from "./terminal.js";
import { UsageError } from "./usage-error.js";

export interface RunOptions {
  readonly model?: string;
  readonly prompt?: string;
  readonly system?: string;
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

export const exitCodes = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** A demonstration asks twice: for an answer that a hook changes, and for one that a hook stops. */
const demoPrompts = ["What is the weather in Oslo?", "What is 12 * 7, and what does secrets.txt say?"] as const;
const demoHooks = fileURLToPath(new URL("../../examples/demo-hooks.mjs", import.meta.url));

/** Runs the command; gives the exit code. Hooks that cancel or halt are a normal end. */
export async function run(options: RunOptions): Promise<number> {
  const prompts = options.prompt === undefined && options.demo === true ? demoPrompts : [options.prompt];
  if (prompts[0] === undefined) throw new UsageError("--prompt is missing (or use --demo)");
  const view: RunView = options.json === true ? new JsonView() : new TextView(new Terminal());
  const files = [...(options.demo === true ? [demoHooks] : []), ...options.hooks];
  const tools = await toolsOf(options);
  const add: AddHooks[] = (await Promise.all(files.map(loadHooks))).flat().concat(options.native.map(nativeHook));
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort(new Error("interrupted")));
  process.stdout.on("error", () => stop.abort(new Error("stdout was closed")));
  try {
    return await runPrompts(prompts as readonly string[], add, tools, options, view, stop.signal);
  } catch (error) {
    if (stop.signal.aborted) return exitCodes.interrupted;
    view.error(
      error instanceof LlamaHooksError ? error.code : "FAILED",
      error instanceof Error ? error.message : String(error),
    );
    return exitCodes.failed;
  }
}

async function runPrompts(
  prompts: readonly string[],
  add: readonly AddHooks[],
  tools: readonly SessionTool[],
  options: RunOptions,
  view: RunView,
  signal: AbortSignal,
): Promise<number> {
  const path = options.model ?? bundledModel;
  // Hooks come before the model, so that they see it being loaded.
  const engine = await createEngine({ models: {}, gpu: options.gpu });
  let tracing: Promise<void> | undefined;
  const results: RunResult[] = [];
  try {
    for (const one of add) await one(engine);
    if (options.trace === true || options.demo === true) tracing = follow(engine, view);
    const size = options.contextSize === undefined ? {} : { contextSize: options.contextSize };
    const onProgress = (progress: number): void => view.loading(progress, path.replace(/^.*[\\/]/, ""));
    await engine.models.load(defaultModelId, { path, ...size }, { signal, onProgress });
    for (const prompt of prompts) {
      view.start(prompt, path);
      const system = options.system === undefined ? {} : { system: options.system };
      const session = engine.session({ ...system, tools, ...samplingOf(options, path === bundledModel) });
      const run = session.run(prompt, { signal });
      for await (const event of run) view.event(event);
      results.push(await run);
      if (signal.aborted) break;
    }
    view.summary(results, engine.hooks.stats());
  } finally {
    await engine.close();
    await tracing;
  }
  if (signal.aborted) return exitCodes.interrupted;
  return results.some(({ limit }) => limit === "maxIterations") ? exitCodes.failed : exitCodes.ok;
}

async function follow(engine: Engine, view: RunView): Promise<void> {
  for await (const event of engine.trace()) view.trace(event);
}

async function toolsOf({ tools, model }: RunOptions): Promise<readonly SessionTool[]> {
  if (typeof tools !== "boolean") return (await Promise.all(tools.map(loadTools))).flat();
  return tools ? demoTools(model === undefined || model === bundledModel) : [];
}

/** The bundled model is at its best when it always takes the likeliest token. */
function samplingOf({ maxTokens, temperature, seed }: RunOptions, bundled: boolean): SamplingOptions {
  const heat = temperature ?? (bundled ? 0 : undefined);
  return {
    ...(maxTokens !== undefined && { maxTokens }),
    ...(heat !== undefined && { temperature: heat }),
    ...(seed !== undefined && { seed }),
  };
}
