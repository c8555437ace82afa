// The process that measures the user's own hooks: bench-hooks-process JSON, where JSON is an OwnHooksJob. It sends
// OwnHooksMessages to the process that started it, and ends with that.
import { type Description, describeModel } from "../../bench/measure/describe.js";
import { contextFor } from "../../bench/measure/job.js";
import { measureOwnHooks, type OwnHooksMeasured } from "../../bench/measure/own-hooks.js";
import { type Look, watched } from "../../bench/measure/watched.js";
import { stopSignals } from "../../base/platform-process.js";
import { createEngine, type Engine, type Gpu, LlamaHooksError } from "../../index.js";
import { type AddHooks, loadHooks, nativeHook } from "../load/hooks.js";
import { type Failure, failureOf } from "../process/error-text.js";
import { UsageError } from "../process/exit.js";

export interface OwnHooksJob {
  /** The files of --hooks and the texts of --native. */
  readonly hooks: readonly string[];
  readonly native: readonly string[];
  readonly model: string;
  readonly gpu: Gpu;
  /** 0: the engine's choice. */
  readonly threads: number;
  readonly promptTokens: number;
  readonly tokens: number;
  readonly pairs: number;
}

export type OwnHooksMessage =
  | { readonly type: "alive" }
  | { readonly type: "model"; readonly description: Description }
  | { readonly type: "pair"; readonly done: number }
  | { readonly type: "measured"; readonly measured: OwnHooksMeasured }
  /** `usage`: the files were named or written wrongly. */
  | { readonly type: "failure"; readonly failure: Failure; readonly usage: boolean };

/** Milliseconds between two signs of life. */
const aliveMs = 1000;
/** Seconds that the files may take to load, and the engine to close. */
const mostLoadingSeconds = 60;
const mostClosingSeconds = 5;
/** The engine's usual context, which leaves room for what hooks add to the prompt. */
const usualContext = 4096;
const roomForHooks = 1024;

async function measure({ hooks, native, ...job }: OwnHooksJob): Promise<OwnHooksMeasured> {
  const warnings: Error[] = [];
  process.on("warning", (warning) => warnings.push(warning));
  const adds = [...(await loadAll(hooks)), ...native.map(nativeHook)];
  const { model, gpu, threads, tokens, pairs, promptTokens } = job;
  const least = contextFor(promptTokens + roomForHooks, tokens);
  const engine = await createEngine({
    model,
    gpu,
    parallel: 2, // a hook may call the model
    ...(threads > 0 && { threads }),
    ...(least > usualContext && { contextSize: least }),
  });
  const description = await describeModel(engine, promptTokens);
  send({ type: "model", description });
  const { info, prompt } = description;
  const measured = await measureOwnHooks(engine, {
    model: info.modelId,
    prompt,
    raw: info.chatTemplate === null,
    tokens,
    pairs,
    warnings,
    add: (to) => addAll(adds, to),
    onPair: (done) => send({ type: "pair", done }),
  });
  await watched(engine.close(), (seconds) =>
    seconds < mostClosingSeconds ? undefined : new Error("the engine does not close"),
  ).catch(() => undefined); // the figures are there
  return measured;
}

async function loadAll(files: readonly string[]): Promise<AddHooks[]> {
  const loading = Promise.all(files.map(loadHooks)).then((found) => found.flat());
  const tooLong: Look = (seconds) =>
    seconds < mostLoadingSeconds
      ? undefined
      : new LlamaHooksError("HOOK_TIMEOUT", `--hooks ${files.join(", ")}: not loaded within ${seconds} seconds`);
  return watched(loading, tooLong, { holds: false });
}

async function addAll(adds: readonly AddHooks[], engine: Engine): Promise<void> {
  for (const add of adds) await add(engine);
  if (engine.hooks.list().length === 0) throw new UsageError("--hooks: no hook was added to the engine");
}

function send(message: OwnHooksMessage, sent?: () => void): void {
  process.send?.(message, undefined, undefined, () => sent?.());
}

async function main([json = "{}"]: readonly string[]): Promise<void> {
  // The terminal sends ctrl-C to this process, too; the one that started it decides.
  for (const signal of stopSignals) process.on(signal, () => undefined);
  process.once("disconnect", () => process.exit(1));
  process.channel?.unref(); // a file that waits for nothing is to be found out
  setInterval(() => send({ type: "alive" }), aliveMs).unref();
  try {
    const measured = await measure(JSON.parse(json) as OwnHooksJob);
    send({ type: "measured", measured }, () => process.exit());
  } catch (error) {
    send({ type: "failure", failure: failureOf(error), usage: error instanceof UsageError }, () => process.exit(1));
  }
}

void main(process.argv.slice(2));
