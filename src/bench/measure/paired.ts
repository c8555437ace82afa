// Measures the cost of hooks in pairs: one process repeats the same generation, alternately with and without hooks.
// Differences between processes (memory layout, cache, other load) affect both sides alike. Must not: compare with
// another engine.
import { createEngine, type Engine, type Gpu } from "../../index.js";
import { hookSets } from "./hook-sets.js";
import { inTurn } from "./in-turn.js";

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
  const names = ["engine", ...job.with];
  try {
    const speeds = await inTurn(
      names.map((name) => () => speedWith(engine, name, job)),
      pairs,
    );
    const of = (name: string): readonly number[] => speeds[names.indexOf(name)] ?? [];
    return { without: of("engine"), with: Object.fromEntries(job.with.map((name) => [name, of(name)])) };
  } finally {
    await engine.close();
  }
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
