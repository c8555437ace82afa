// `llama-hooks bench`: measures the cost of hooks on this machine, with a model of the user's choice. Must not: measure
// in its own process.
import { existsSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { writeFileAtomically } from "../../base/files/atomic-write.js";
import { paintFor } from "../../base/paint.js";
import { stopSignals } from "../../base/platform-process.js";
import { syntheticModel } from "../../bench/measure/models.js";
import type { BenchResults } from "../../bench/results/results.js";
import { decodeText } from "../../bench/text/decode-table.js";
import { pageWidth } from "../../bench/text/grid.js";
import { headText, warningsText } from "../../bench/text/head.js";
import { ownHooksText } from "../../bench/text/own-hooks-text.js";
import { LlamaHooksError } from "../../index.js";
import { failureOf, failureText } from "../process/error-text.js";
import { exitCodes, UsageError } from "../process/exit.js";
import { interruptible } from "../process/interrupt.js";
import { jsonLine } from "../process/json-line.js";
import { sanitizeData } from "../process/sanitize.js";
import { withTemporaryFolder } from "../process/temporary-folder.js";
import { columnsOf } from "../process/terminal.js";
import { measureContenders } from "./bench-contenders.js";
import { checkOwnHooks, measureUserHooks } from "./bench-hooks.js";
import { type BenchOptions, type ChosenOptions, withUsual } from "./bench-options.js";

/** Runs the command and returns its exit code. */
export async function bench(given: BenchOptions): Promise<number> {
  const options = withUsual(given);
  if (options.model !== undefined && options.synthetic !== undefined)
    throw new UsageError("give either --model or --synthetic, not both");
  if (typeof options.json === "string") checkTarget("--json", options.json);
  const own = options.hooks.length + options.native.length > 0;
  if (own) checkOwnHooks(options);
  const measure = own ? measureUserHooks : measureContenders;
  return interruptible((signal) => measureAndShow(measure, options, signal), stopSignals);
}

type Measure = (options: ChosenOptions, model: string, signal: AbortSignal) => Promise<BenchResults>;

async function measureAndShow(measure: Measure, options: ChosenOptions, signal: AbortSignal): Promise<number> {
  try {
    await show(await withModel(options, (model) => measure(options, model, signal)), options);
    return exitCodes.ok;
  } catch (error) {
    if (signal.aborted) return exitCodes.interrupted;
    if (error instanceof UsageError) throw error;
    report(error, options.json === true);
    return exitCodes.failed;
  }
}

function checkTarget(option: string, file: string): void {
  const folder = path.dirname(path.resolve(file));
  if (!existsSync(folder)) throw new UsageError(`${option} ${file}: there is no folder ${folder}`);
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new UsageError(`${option} ${file}: it is a folder`);
}

/** Writes a synthetic model for this run only: it takes a second to write, and some hundred megabytes of disk. */
async function withModel<T>(
  { model, synthetic = "0.5b" }: BenchOptions,
  work: (model: string) => Promise<T>,
): Promise<T> {
  if (model !== undefined) return work(model);
  return withTemporaryFolder("bench", async (folder) => work(await syntheticModel(folder, synthetic)));
}

async function show(results: BenchResults, { json }: BenchOptions): Promise<void> {
  if (json === true) process.stdout.write(jsonLine(results));
  else {
    const paint = paintFor(process.stdout);
    const shown = sanitizeData(results); // names of devices and errors of contenders
    const width = Math.min(columnsOf(process.stdout), pageWidth);
    const table = shown.ownHooks === undefined ? decodeText(shown, paint) : ownHooksText(shown, paint, width);
    const parts = [headText(shown, paint, width), warningsText(shown, paint, width), table];
    process.stdout.write(`${parts.filter((part) => part !== "").join("\n\n")}\n`);
  }
  if (typeof json === "string") await writeResults(json, `${JSON.stringify(results)}\n`);
}

/** Errors: INVALID_ARGUMENT names the file. */
async function writeResults(file: string, text: string): Promise<void> {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== false)
    return writeFileAtomically(file, text, { followsLink: true });
  // A device or a pipe, such as /dev/stdout, cannot be replaced.
  await writeFile(file, text).catch((cause: unknown) => {
    throw new LlamaHooksError("INVALID_ARGUMENT", `${file} cannot be written: ${(cause as Error).message}`, { cause });
  });
}

function report(error: unknown, json: boolean): void {
  const failure = failureOf(error);
  if (json) process.stdout.write(jsonLine({ type: "error", ...failure }));
  else process.stderr.write(`${failureText(failure)}\n`);
}
