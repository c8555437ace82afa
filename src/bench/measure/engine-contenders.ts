// llama-hooks as a contender, measured through its public API. Must not: do more during generation than the measured
// hook.
import { setTimeout as sleep } from "node:timers/promises";
import { createEngine, type GenerateResult } from "../../index.js";
import { type AddHooks, hookSets, noHooks } from "./hook-sets.js";
import { type Job, promptsOf } from "./job.js";
import { type Timing, timingTogether } from "./timing.js";

/** Reads the events of a generation. Without a reader, the engine creates no events. */
type Reader = (events: AsyncIterable<unknown>) => Promise<void>;

const reads: Reader = async (events) => {
  for await (const _ of events);
};

/** Takes longer for each event than a small model takes for a token, so that the model waits and no event is lost. */
const readsSlowly: Reader = async (events) => {
  for await (const _ of events) await sleep(1);
};

const readers: Readonly<Record<string, Reader>> = { "engine-streamed": reads, "engine-slow-reader": readsSlowly };

export const engineContenders: Readonly<Record<string, (job: Job) => Promise<Timing>>> = Object.fromEntries([
  ...Object.entries(hookSets).map(([name, add]) => [name, (job: Job) => measure(job, add)]),
  ...Object.entries(readers).map(([name, reader]) => [name, (job: Job) => measure(job, noHooks, reader)]),
]);

async function measure(job: Job, addHooks: AddHooks, reader?: Reader): Promise<Timing> {
  const { model, gpu, threads, sequences, contextSize, tokens } = job;
  const begin = performance.now();
  const engine = await createEngine({ model, gpu, threads, contextSize, parallel: sequences });
  const loadMs = performance.now() - begin;
  try {
    addHooks(engine, job.library);
    const options = { maxTokens: tokens + 1, ignoreEos: true, raw: true, temperature: 0 };
    const start = performance.now();
    const generations = promptsOf(job).map((prompt) => engine.generate(prompt, options));
    if (reader !== undefined) await Promise.all(generations.map(reader));
    const results = await Promise.all(generations);
    const wallMs = performance.now() - start;
    check(results, tokens + 1);
    const usages = results.map(({ usage }) => usage);
    return { loadMs, ...timingTogether(usages, wallMs) };
  } finally {
    await engine.close();
  }
}

function check(results: readonly GenerateResult[], tokens: number): void {
  for (const { usage, finishReason } of results) {
    if (usage.completionTokens === tokens) continue;
    throw new Error(`${usage.completionTokens} tokens instead of ${tokens}, finish reason ${finishReason}`);
  }
}
