// Measures what hooks of each kind cost: the package's contenders, each in a separate process.
import { runContender } from "../../bench/measure/child.js";
import { labelOf } from "../../bench/measure/contenders.js";
import { decodeResults } from "../../bench/measure/decode-results.js";
import type { Description, DescribeRequest } from "../../bench/measure/describe.js";
import { contextFor, type Job } from "../../bench/measure/job.js";
import { type Contender, measureInRounds, turnCount, turnLabel } from "../../bench/measure/rounds.js";
import { noiseOf } from "../../bench/results/noise.js";
import type { BenchResults } from "../../bench/results/results.js";
import { startProgress } from "../../bench/text/progress.js";
import { type ChosenOptions, modelName, promptTokens, resultsWithout } from "./bench-options.js";

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

export async function measureContenders(
  options: ChosenOptions,
  model: string,
  signal: AbortSignal,
): Promise<BenchResults> {
  const { gpu, rounds, threads = 0, compare } = options;
  const request: DescribeRequest = { model, gpu, threads, promptTokens };
  const description = await runContender<Description>("describe", request, signal);
  const contenders = contendersFor(options, description);
  const name = modelName(options, description);
  const progress = startProgress(name, turnCount(contenders, rounds));
  try {
    const { measured, skipped } = await measureInRounds(contenders, {
      rounds,
      signal,
      onTurn: (contender, round) => progress.say(`${round + 1}/${rounds}`, turnLabel(contender)),
      onDone: (count) => progress.advance(count),
    });
    progress.end(`${turnCount(contenders, rounds)} measurements`, true);
    const decode = decodeResults(name, measured);
    return {
      ...resultsWithout(options, description, compare === true ? ["node-llama-cpp"] : []),
      decode,
      skipped: skipped.map(({ contender, reason }) => ({ model: name, contender: turnLabel(contender), reason })),
      warnings: noiseOf(decode),
    };
  } catch (error) {
    progress.end(signal.aborted ? "interrupted" : "failed", false);
    throw error;
  }
}

function contendersFor(options: ChosenOptions, { info, prompt, promptTokens: read }: Description): Contender[] {
  const { gpu, compare, quick } = options;
  const all = [...ours, ...(compare === true ? theirs : [])];
  const taken = quick === true ? all.filter(([, sequences]) => sequences === 1) : all;
  return taken.map(([name, sequences, rounds]) => {
    // Several write more in the same time.
    const tokens = sequences === 1 ? options.tokens : Math.ceil(options.tokens / 2);
    const contextSize = contextFor(read, tokens);
    const job: Job = { model: info.path, gpu, threads: info.threads, prompt, tokens, sequences, contextSize };
    const measure: Contender["measure"] = (signal) => runContender(name, job, signal);
    return { name, label: labelOf(name), sequences, ...(rounds !== undefined && { rounds }), measure };
  });
}
