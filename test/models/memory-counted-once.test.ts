// The figures of engine.memory() while embedding contexts, adapters and models are created.
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Engine, EngineOptions } from "../../src/index.js";
import { writeSyntheticModel } from "../../src/testing/index.js";
import { embeddingModel } from "../support/embeddings.js";
import { openEngine, tempDir } from "../support/engine.js";
import { writeLora } from "../support/models/lora.js";

const mib = 2 ** 20;
const names = ["a", "b", "c", "d"];
const poolings = ["mean", "cls", "last", "none"] as const;
const used = (engine: Engine): number => engine.memory()[0]?.usedBytes ?? NaN;

/** The most that is shown while work is under way; what comes before or after it cannot be missed. */
async function most(engine: Engine, work: Promise<unknown>): Promise<number> {
  let largest = 0;
  const progress = { ended: false };
  const end = work.finally(() => (progress.ended = true));
  while (!progress.ended) {
    for (let looks = 0; looks < 200; looks++) largest = Math.max(largest, used(engine));
    await setImmediate();
  }
  await end;
  return largest;
}

async function withModels(file: string, options: EngineOptions = {}): Promise<Engine> {
  const engine = await openEngine([], { ...options, models: {} });
  for (const name of names) await engine.models.load(name, { path: file, threads: 1, contextSize: 512 });
  return engine;
}

/** The figure once all contexts are made, after each pooling, and the most that was shown meanwhile. */
async function embed(engine: Engine): Promise<{ after: number; shown: number }[]> {
  const steps = [];
  for (const pooling of poolings) {
    const calls = names.map((model) => engine.embed("A text.", { model, pooling }));
    const shown = await most(engine, Promise.all(calls));
    steps.push({ shown, after: used(engine) });
  }
  return steps;
}

test("a context for embeddings that is made is counted once, and fits into a budget for what there is then", async () => {
  const file = await embeddingModel({ kind: "decoder" });
  const probe = await withModels(file, { memoryBudget: 4096 });
  const final = (await embed(probe)).at(-1)?.after ?? NaN;
  const engine = await withModels(file, { memoryBudget: Math.ceil(final / mib) });
  const asked: unknown[] = [];
  engine.hooks.on("vramPressure", (event) => void asked.push(event));
  for (const { shown, after } of await embed(engine)) expect(shown).toBeLessThanOrEqual(after);
  expect(used(engine)).toBe(final);
  expect(asked).toEqual([]);
});

test.each(["encoder", "decoder"] as const)(
  "without a budget, too, what is kept for a context of the %s is about what it takes",
  async (kind) => {
    const engine = await withModels(await embeddingModel({ kind }));
    let before = used(engine);
    for (const { shown, after } of await embed(engine)) {
      expect(shown - before).toBeLessThanOrEqual(1.25 * (after - before));
      before = after;
    }
  },
);

test("an adapter that is loaded is counted once", async () => {
  const folder = await tempDir();
  const model = path.join(folder, "model.gguf");
  const shape = { layers: 3, embedding: 64, heads: 4, kvHeads: 2, feedForward: 128, vocabulary: 400 };
  await writeSyntheticModel(model, shape, { quantization: "F16" });
  const lora = { tensor: "blk.0.attn_q.weight", inputs: shape.embedding, outputs: shape.embedding, rank: 4096 };
  const adapter = await writeLora(path.join(folder, "adapter"), lora);
  const engine = await withModels(model);
  const loads = names.flatMap((name) =>
    [1, 2, 3, 4, 5, 6, 7, 8].map((number) => engine.adapters.load(`${name}-${number}`, { path: adapter, model: name })),
  );
  const shown = await most(engine, Promise.all(loads));
  expect(shown).toBeLessThanOrEqual(used(engine));
});

test("models that are loaded at once are counted once, and keep to the budget", async () => {
  const file = await embeddingModel({ kind: "decoder" });
  const final = used(await withModels(file, { memoryBudget: 4096 }));
  const engine = await openEngine([], { models: {}, memoryBudget: Math.ceil(final / mib) });
  const loads = names.map((name) => engine.models.load(name, { path: file, threads: 1, contextSize: 512 }));
  expect(await most(engine, Promise.all(loads))).toBeLessThanOrEqual(final);
  expect(used(engine)).toBe(final);
});
