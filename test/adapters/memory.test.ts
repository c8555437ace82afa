// Room for adapters under a budget.
import path from "node:path";
import { expect, test } from "vitest";
import { cancel, type Engine } from "../../src/index.js";
import { writeSyntheticModel } from "../../src/testing/index.js";
import { openEngine, rejection, tempDir } from "../support/engine.js";
import { gate } from "../support/gate.js";
import { writeLora } from "../support/models/lora.js";

const mib = 2 ** 20;
const shape = { layers: 3, embedding: 64, heads: 4, kvHeads: 2, feedForward: 128, vocabulary: 400 };
const used = (engine: Engine): number => engine.memory()[0]?.usedBytes ?? NaN;
const states = (engine: Engine): string[] => engine.models.list().map(({ modelId, state }) => `${modelId} ${state}`);
interface Made {
  readonly engine: Engine;
  readonly model: string;
  /** An adapter of 16 MiB, and one of 12 KiB. */
  readonly big: string;
  readonly small: string;
  readonly load: (id: string, pinned?: boolean) => Promise<unknown>;
  /** The memory of a model that is alone. */
  readonly first: number;
  readonly budget: number;
}

/** An engine whose budget two models leave 10 MiB of, or so. */
async function tight(): Promise<Made> {
  const folder = await tempDir();
  const model = path.join(folder, "model.gguf");
  await writeSyntheticModel(model, shape, { quantization: "F16" });
  const lora = { tensor: "blk.0.attn_q.weight", inputs: shape.embedding, outputs: shape.embedding };
  const big = await writeLora(path.join(folder, "big"), { ...lora, rank: 32_768 });
  const small = await writeLora(path.join(folder, "small"), { ...lora, rank: 24 });
  const load = (engine: Engine, id: string, pinned = false): Promise<unknown> =>
    engine.models.load(id, { path: model, threads: 1, contextSize: 32_768, pinned });
  const probe = await openEngine([], { models: {} });
  await load(probe, "one");
  const first = used(probe);
  await load(probe, "two");
  expect(used(probe) - first).toBeGreaterThan(8 * mib);
  const memoryBudget = Math.floor(used(probe) / mib) + 10;
  await probe.close();
  const engine = await openEngine([], { models: {}, memoryBudget });
  const loads = async (id: string, pinned?: boolean): Promise<unknown> => load(engine, id, pinned);
  return { engine, model, big, small, load: loads, first, budget: memoryBudget * mib };
}

/** With models "a" and "b", and what vramPressure is asked. */
async function withTwo(): Promise<Made & { readonly asked: unknown[] }> {
  const made = await tight();
  await made.load("a");
  await made.load("b");
  const asked: unknown[] = [];
  made.engine.hooks.on("vramPressure", ({ cause, plan, candidates }) => {
    asked.push([cause, plan, candidates.map(({ modelId }) => modelId)]);
  });
  return { ...made, asked };
}

test("an adapter that does not fit has an idle model given up, and one that fits has not", async () => {
  const { engine, asked, big, small, first, budget } = await withTwo();
  await engine.adapters.load("small", { path: small, model: "a" });
  expect(asked).toEqual([]);
  await engine.adapters.load("big", { path: big, model: "a" });
  expect(asked).toEqual([["load", ["b"], ["b"]]]); // and never its own model
  expect(states(engine)).toEqual(["a ready", "b cold"]);
  expect(used(engine)).toBeGreaterThan(first + 16 * mib);
  expect(used(engine)).toBeLessThanOrEqual(budget);
  const options = { model: "a", raw: true, maxTokens: 2, ignoreEos: true };
  const { usage } = await engine.generate("Hi", { ...options, adapters: [{ id: "big" }] });
  expect(usage.completionTokens).toBe(2);
});

test("a hook that refuses makes the load fail, and both models and the other adapter stay", async () => {
  const { engine, big, small } = await withTwo();
  await engine.adapters.load("small", { path: small, model: "a" });
  engine.hooks.on("vramPressure", () => cancel("b is needed"), { name: "keeper" });
  const before = used(engine);
  expect(await rejection(engine.adapters.load("big", { path: big, model: "a" }))).toMatchObject({
    code: "INSUFFICIENT_MEMORY",
    message: expect.stringMatching(/^the adapter "big" of "a" needs 16\.\d MiB on CPU, .*keeper.*b is needed/),
  });
  expect([states(engine), used(engine)]).toEqual([["a ready", "b ready"], before]);
  expect(engine.adapters.list().map(({ adapterId }) => adapterId)).toEqual(["small"]);
  // The name is free.
  await engine.adapters.load("big", { path: small, model: "b" });
});

test("a hook there cannot wait for its own model to be unloaded", async () => {
  const { engine, big } = await withTwo();
  const refusals: unknown[] = [];
  engine.hooks.on("vramPressure", async () => void refusals.push(await rejection(engine.models.unload("a"))));
  await engine.adapters.load("big", { path: big, model: "a" });
  expect(refusals).toMatchObject([{ code: "REENTRANT" }]);
  expect(states(engine)).toEqual(["a ready", "b cold"]);
});

test("a file that is not an adapter has nothing given up", async () => {
  const { engine, asked, model } = await withTwo();
  expect(await rejection(engine.adapters.load("big", { path: model, model: "a" }))).toMatchObject({
    code: "MODEL_FILE_INVALID",
  });
  expect([asked, states(engine)]).toEqual([[], ["a ready", "b ready"]]);
});

test("a model that was given up comes back when there is room for its adapters, too", async () => {
  const { engine, big, load } = await tight();
  await load("a");
  await engine.adapters.load("big", { path: big, model: "a" });
  await load("rock", true); // for which "a" has to go
  expect(states(engine)).toEqual(["a cold", "rock ready"]);
  const options = { model: "a", raw: true, maxTokens: 2, ignoreEos: true };
  expect(await rejection(engine.generate("Hi", options))).toMatchObject({ code: "INSUFFICIENT_MEMORY" });
  expect(states(engine)).toEqual(["a cold", "rock ready"]);
  await engine.adapters.unload("big");
  expect((await engine.generate("Hi", options)).usage.completionTokens).toBe(2);
});

test("loading an adapter brings its model back, and one that was unloaded meanwhile stays away", async () => {
  const { engine, big, small, load } = await tight();
  await load("a");
  await engine.adapters.load("small", { path: small, model: "a" });
  await load("b");
  await engine.adapters.load("big", { path: big, model: "b" }); // for which "a" has to go
  expect(states(engine)).toEqual(["a cold", "b ready"]);
  // The hook unloads "small" of "a" while "a" comes back. For "other", "b" is evicted with its adapter.
  engine.hooks.on("modelLoad", async () => engine.adapters.unload("small"));
  await engine.adapters.load("other", { path: small, model: "a" });
  expect(states(engine)).toEqual(["a ready", "b cold"]);
  const listed = engine.adapters.list().map(({ adapterId, modelId }) => `${adapterId} of ${modelId}`);
  expect(listed).toEqual(["other of a", "big of b"]);
});

test("an engine that is closed while a hook is asked ends the load, and nothing hangs", async () => {
  const { engine, big } = await withTwo();
  const asked = gate();
  const never = new Promise<undefined>(() => {});
  engine.hooks.on("vramPressure", () => {
    asked.open();
    return never;
  });
  const load = rejection(engine.adapters.load("big", { path: big, model: "a" }));
  await asked.passed;
  await engine.close();
  expect(await load).toMatchObject({ code: "CLOSED" });
});
