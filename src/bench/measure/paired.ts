// What hooks cost, measured in pairs: one process, the same generation again and again, with hooks and without in turn.
// What differs between processes (where the code and the cache happened to lie, what else ran) is the same on both sides.
// Must not: compare with anybody else's engine.
import { createEngine, type Engine, type Gpu } from "../../index.js";
import { hookSets } from "./hook-sets.js";

export interface PairedJob {
  readonly model: string;
  readonly gpu: Gpu;
  readonly threads: number;
  readonly prompt: string;
  /** Tokens of each generation after its first one. */
  readonly tokens: number;
  readonly contextSize: number;
  /** Names of hook sets, each of which is paired with none. */
  readonly with: readonly string[];
  readonly pairs: number;
}

/** Speeds by pair, tokens a second: those without hooks, and of each hook set. */
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
    // The first generation reads the prompt; code and pages that nobody has touched are not to count either.
    for (const name of sets) await speedWith(engine, name, job);
    for (let pair = 0; pair < pairs; pair++) {
      // Each comes first as often as any other.
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
