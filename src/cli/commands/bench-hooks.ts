// Measures what the user's hooks cost, in a separate process. Must not: load the user's files here.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { reportedError, runForMessages } from "../../bench/measure/child.js";
import type { Description } from "../../bench/measure/describe.js";
import type { OwnHooksMeasured } from "../../bench/measure/own-hooks.js";
import { noiseOfPairs } from "../../bench/results/noise.js";
import type { BenchResults, OwnHooksResult } from "../../bench/results/results.js";
import { spread } from "../../bench/results/statistics.js";
import { startProgress } from "../../bench/text/progress.js";
import { LlamaHooksError } from "../../index.js";
import { nativeHook } from "../load/hooks.js";
import { type Failure, FileError } from "../process/error-text.js";
import { UsageError } from "../process/exit.js";
import { type ChosenOptions, promptTokens, resultsWithout } from "./bench-options.js";
import type { OwnHooksJob, OwnHooksMessage } from "./bench-hooks-process.js";

/**
 * The program is in the bundle, so that the hooks and the engine come from one copy of the package, which knows the
 * line of each hook.
 */
const program = fileURLToPath(new URL("../../bundle/command-bench-hooks.js", import.meta.url));

/** Seconds without a sign of life after which a hook is taken to run without end. */
const mostSilentSeconds = 20;

/** Errors: UsageError if a file does not exist, or an option cannot be taken beside the hooks. */
export function checkOwnHooks({ hooks, native, compare }: ChosenOptions): void {
  if (compare === true)
    throw new UsageError("--compare measures the package's own hooks: leave out --hooks and --native");
  for (const file of hooks) if (!existsSync(file)) throw new UsageError(`--hooks ${file}: no such file`);
  native.forEach(nativeHook);
}

/** Errors: UsageError and FileError name a file; those of `measureOwnHooks()`. */
export async function measureUserHooks(
  options: ChosenOptions,
  model: string,
  signal: AbortSignal,
): Promise<BenchResults> {
  const { hooks, native, gpu, threads = 0, tokens, rounds: pairs } = options;
  const job: OwnHooksJob = { hooks, native, model, gpu, threads, promptTokens, tokens, pairs };
  const files = [...hooks.map((file) => `--hooks ${file}`), ...native.map((text) => `--native ${text}`)];
  const progress = startProgress("your hooks", pairs);
  progress.say(`1/${pairs}`, "with and without your hooks");
  let description: Description | undefined;
  const onMessage = (sent: unknown): OwnHooksMeasured | Error | undefined => {
    const message = sent as OwnHooksMessage;
    if (message.type === "measured") return message.measured;
    if (message.type === "failure") return errorOf(message.failure, message.usage);
    if (message.type === "model") description = message.description;
    if (message.type === "pair") {
      progress.advance(1);
      progress.say(`${Math.min(message.done + 1, pairs)}/${pairs}`, "with and without your hooks");
    }
    return undefined;
  };
  try {
    const args = [program, JSON.stringify(job)];
    const measured = await runForMessages(args, { what: files.join(", "), onMessage, mostSilentSeconds, signal });
    if (measured === undefined) throw standsStill(files);
    if (measured instanceof Error) throw measured;
    if (description === undefined) throw new Error("the model was not described");
    progress.end(`${pairs} pairs`, true);
    return resultsOf(options, description, measured, files);
  } catch (error) {
    progress.end(signal.aborted ? "interrupted" : "failed", false);
    throw error;
  }
}

function resultsOf(
  options: ChosenOptions,
  description: Description,
  { withoutUs, withUs, hooks }: OwnHooksMeasured,
  files: readonly string[],
): BenchResults {
  const perSecond = (us: number): number => 1e6 / us;
  const pair = <T>(combine: (own: number, none: number) => T): T[] =>
    withUs.map((own, index) => combine(own, withoutUs[index] ?? own));
  const ownHooks: OwnHooksResult = {
    files,
    generations: withUs.length,
    without: spread(withoutUs.map(perSecond)),
    with: spread(withUs.map(perSecond)),
    ratio: spread(pair((own, none) => none / own)),
    addedUs: spread(pair((own, none) => own - none)),
    hooks,
  };
  return { ...resultsWithout(options, description), ownHooks, warnings: noiseOfPairs(ownHooks.ratio) };
}

/** JavaScript that never pauses cannot be asked which hook it belongs to. */
function standsStill(files: readonly string[]): LlamaHooksError {
  return new LlamaHooksError(
    "HOOK_TIMEOUT",
    `JavaScript stood still for ${mostSilentSeconds} seconds: a hook of ${files.join(", ")} runs without end, or blocks its thread`,
  );
}

function errorOf({ code, message, where }: Failure, usage: boolean): Error {
  if (usage) return new UsageError(message);
  const error = reportedError({ code, message });
  return where === undefined ? error : new FileError(message, where, error);
}
