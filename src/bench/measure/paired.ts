// Measures the cost of hooks in pairs: one process repeats the same generation, alternately with and without hooks.
// Differences between processes (memory layout, cache, other load) affect both sides alike. Must not: compare with
// another engine.
import { createEngine, type Engine, type Gpu } from "../../index.js";
import { hookSets } from "./hook-sets.js";

export interface PairedJob {
  readonly model: string;
  readonly gpu: Gpu;
  readonly threads: number;
  readonly prompt: string;
  /** The tokens of each generation after its first one. */
  readonly tokens: number;
  readonly contextSize: number;
  /** The names of the hook sets; each is paired with a generation without hooks. */
  readonly with: readonly string[];
  readonly pairs: number;
}

/** Tokens per second of each pair: without hooks, and with each hook set. */
export interface PairedSpeeds {
  readonly without: readonly number[];
  readonly with: Readonly<Record<string, readonly number[]>>;
}

export async function measurePaired(job: PairedJob): Promise<PairedSpeeds> {
  const { model, gpu, threads, contextSize, pairs } = job;
  const engine = await createEngine({ model, gpu, threads, contextSize, parallel: 1 });
  const sets = ["engine", ...job.with];
  const speeds = new Map(sets.map((name) => [name, [] as number[]]));
  try {
    // Warm up: the first generation reads the prompt and touches code and pages for the first time.
    for (const name of sets) await speedWith(engine, name, job);
    for (let pair = 0; pair < pairs; pair++) {
      // Each variant comes first equally often.
      const from = pair % sets.length;
      for (const name of [...sets.slice(from), ...sets.slice(0, from)])
        speeds.get(name)?.push(await speedWith(engine, name, job));
    }
  } finally {
    await engine.close();
  }
  const of = (name: string): readonly number[] => speeds.get(name) ?? [];
  return { without: of("engine"), with: Object.fromEntries(job.with.map((name) => [name, of(name)])) };
}

async function speedWith(engine: Engine, name: string, { prompt, tokens }: PairedJob): Promise<number> {
  const add = hookSets[name];
  if (add === undefined) throw new TypeError(`no hooks ${JSON.stringify(name)}`);
  const hooks = add(engine);
  try {
    const start = performance.now();
    const { usage } = await engine.generate(prompt, {
      maxTokens: tokens + 1,
      ignoreEos: true,
      raw: true,
      temperature: 0,
    });
    const wallMs = performance.now() - start;
    if (usage.completionTokens !== tokens + 1)
      throw new Error(`${usage.completionTokens} tokens instead of ${tokens + 1}`);
    return (tokens * 1000) / (wallMs - usage.promptMs);
  } finally {
    for (const hook of hooks) hook.dispose();
  }
}
