// `llama-hooks bench`: measures the cost of hooks on this machine, with a model of the user's choice. Must not: measure
// in its own process.
import { existsSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { runContender } from "../../bench/measure/child.js";
import { labelOf } from "../../bench/measure/contenders.js";
import { decodeResults } from "../../bench/measure/decode-results.js";
import type { Description, DescribeRequest } from "../../bench/measure/describe.js";
import { contextFor, type Job } from "../../bench/measure/job.js";
import { machine, versions } from "../../bench/measure/machine.js";
import { modelLabel, syntheticModel } from "../../bench/measure/models.js";
import { writeFileAtomically } from "../../base/files/atomic-write.js";
import { paintFor } from "../../base/paint.js";
import { stopSignals } from "../../base/platform-process.js";
import { noiseOf } from "../../bench/results/noise.js";
import { startProgress } from "../../bench/text/progress.js";
import type { BenchResults } from "../../bench/results/results.js";
import {
  type Contender,
  measureInRounds,
  type RoundsResult,
  turnCount,
  turnLabel,
} from "../../bench/measure/rounds.js";
import { decodeText } from "../../bench/text/decode-table.js";
import { headText, warningsText } from "../../bench/text/head.js";
import { type Gpu, LlamaHooksError } from "../../index.js";
import type { ShapeName } from "../../testing/index.js";
import { failureOf, failureText } from "../process/error-text.js";
import { exitCodes, UsageError } from "../process/exit.js";
import { sanitizeData, sanitizeName } from "../process/sanitize.js";
import { interruptible } from "../process/interrupt.js";
import { jsonLine } from "../process/json-line.js";
import { withTemporaryFolder } from "../process/temporary-folder.js";

export interface BenchOptions {
  readonly model?: string;
  readonly synthetic?: ShapeName;
  readonly tokens: number;
  /** [0: the best number for the model] */
  readonly threads?: number;
  readonly rounds: number;
  readonly gpu: Gpu;
  readonly compare?: boolean;
  /** True: write JSON to stdout instead of the table. */
  readonly json?: string | true;
  readonly html?: string;
}

const promptTokens = 48;
const many = 8;

/** A contender, the number of generations at once, and the number of rounds if it does not take part in all. */
type Entry = readonly [name: string, sequences: number, rounds?: number];

const ours: readonly Entry[] = [
  ["engine", 1],
  ["engine-observed", 1],
  ["engine-awaited", 1],
  ["engine-async", 1],
  ["engine-all-points", 1],
  ["engine", many, 3],
  ["engine-awaited", many, 3],
];
const theirs: readonly Entry[] = [
  ["node-llama-cpp", 1],
  ["node-llama-cpp-streamed", 1, 3],
  ["node-llama-cpp", many, 2],
];

/** Runs the command and returns its exit code. */
export async function bench(options: BenchOptions): Promise<number> {
  if (options.model !== undefined && options.synthetic !== undefined)
    throw new UsageError("give either --model or --synthetic, not both");
  if (typeof options.json === "string") checkTarget("--json", options.json);
  if (options.html !== undefined) checkTarget("--html", options.html);
  return interruptible((signal) => measureAndShow(options, signal), stopSignals);
}

async function measureAndShow(options: BenchOptions, signal: AbortSignal): Promise<number> {
  try {
    await show(await withModel(options, (model) => measure(options, model, signal)), options);
    return exitCodes.ok;
  } catch (error) {
    if (signal.aborted) return exitCodes.interrupted;
    tell(error, options.json === true);
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

async function measure(options: BenchOptions, model: string, signal: AbortSignal): Promise<BenchResults> {
  const { gpu, rounds } = options;
  const request: DescribeRequest = { model, gpu, threads: options.threads ?? 0, promptTokens };
  const description = await runContender<Description>("describe", request, signal);
  const contenders = contendersFor(options, description);
  const name =
    options.synthetic ?? (options.model === undefined ? "0.5b" : sanitizeName(path.basename(description.info.path)));
  const progress = startProgress(name, turnCount(contenders, rounds));
  try {
    const found = await measureInRounds(contenders, {
      rounds,
      signal,
      onTurn: (contender, round) => progress.say(`${round + 1}/${rounds}`, turnLabel(contender)),
      onDone: (count) => progress.advance(count),
    });
    progress.end(`${turnCount(contenders, rounds)} measurements`, true);
    return resultsOf(name, options, description, found);
  } catch (error) {
    progress.end(signal.aborted ? "interrupted" : "failed", false);
    throw error;
  }
}

function contendersFor(options: BenchOptions, { info, prompt, promptTokens }: Description): Contender[] {
  const { gpu } = options;
  return [...ours, ...(options.compare === true ? theirs : [])].map(([name, sequences, rounds]) => {
    // Several write more in the same time.
    const tokens = sequences === 1 ? options.tokens : Math.ceil(options.tokens / 2);
    const contextSize = contextFor(promptTokens, tokens);
    const job: Job = { model: info.path, gpu, threads: info.threads, prompt, tokens, sequences, contextSize };
    const measure: Contender["measure"] = (signal) => runContender(name, job, signal);
    return { name, label: labelOf(name), sequences, ...(rounds !== undefined && { rounds }), measure };
  });
}

function resultsOf(
  name: string,
  { model, tokens, rounds, gpu, compare }: BenchOptions,
  { info, system, promptTokens }: Description,
  { measured, skipped }: RoundsResult,
): BenchResults {
  const synthetic = model === undefined;
  const decode = decodeResults(name, measured);
  const label = sanitizeName(modelLabel(name, info));
  return {
    version: 1,
    date: new Date().toISOString(),
    machine: machine(system.devices, gpu !== false),
    versions: versions(system, compare === true ? ["node-llama-cpp"] : []),
    settings: { threads: info.threads, gpu: gpu === false ? "off" : gpu },
    models: [{ name, label, synthetic, bytes: info.fileBytes, promptTokens, tokens, rounds }],
    decode,
    skipped: skipped.map(({ contender, reason }) => ({ model: name, contender: turnLabel(contender), reason })),
    micro: [],
    instructions: [],
    rows: [],
    warnings: noiseOf(decode),
  };
}

async function show(results: BenchResults, { json, html }: BenchOptions): Promise<void> {
  if (json === true) process.stdout.write(jsonLine(results));
  else {
    const paint = paintFor(process.stdout);
    const shown = sanitizeData(results); // names of devices and errors of contenders
    const parts = [headText(shown, paint), warningsText(shown, paint), decodeText(shown, paint)];
    process.stdout.write(`${parts.filter((part) => part !== "").join("\n\n")}\n`);
  }
  if (typeof json === "string") await writeResults(json, `${JSON.stringify(results)}\n`);
  if (html === undefined) return;
  const { benchPage } = await import("../../bench/page/page.js");
  await writeResults(html, benchPage(results));
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

function tell(error: unknown, json: boolean): void {
  const failure = failureOf(error);
  if (json) process.stdout.write(jsonLine({ type: "error", ...failure }));
  else process.stderr.write(`${failureText(failure)}\n`);
}
