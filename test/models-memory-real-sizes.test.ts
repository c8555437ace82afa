import path from "node:path";
import { expect, test } from "vitest";
import { cancel, type Engine } from "../src/index.js";
import { writeSyntheticModel } from "../src/testing/index.js";
import { openEngine, rejection, scriptModel, tempDir } from "./support/engine.js";

/** 311 MB of weights. */
const shape = { layers: 10, embedding: 1024, heads: 16, kvHeads: 4, feedForward: 4096, vocabulary: 4000 };
const small = { threads: 1, contextSize: 256, parallel: 1, batchSize: 64 } as const;
const mib = 2 ** 20;

function states(engine: Engine): string[] {
  return engine.models.list().map(({ modelId, state }) => `${modelId} ${state}`);
}

async function says(engine: Engine, model: string): Promise<number> {
  return (await engine.generate("Hi", { model, raw: true, ignoreEos: true, maxTokens: 2 })).usage.completionTokens;
}

test("two models of 300 MB under a budget of 400 MiB: hooks refuse, decide who goes, and let go", async () => {
  const dir = await tempDir();
  const files = { first: path.join(dir, "first.gguf"), second: path.join(dir, "second.gguf") };
  await writeSyntheticModel(files.first, shape, { quantization: "F16", seed: 1 });
  await writeSyntheticModel(files.second, shape, { quantization: "F16", seed: 2 });
  const engine = await openEngine([], { models: {}, memoryBudget: 400 });
  await engine.models.load("tiny", { path: await scriptModel(["I am tiny."]), ...small });
  const first = await engine.models.load("first", { path: files.first, ...small });
  const tiny = engine.models.describe("tiny").measured.hostBytes;
  expect(first.measured.hostBytes).toBeGreaterThan(300e6);
  const load = (): Promise<object> => engine.models.load("second", { path: files.second, ...small });

  const refusal = engine.hooks.on("vramPressure", () => cancel("not now"));
  expect(await rejection(load())).toMatchObject({ code: "INSUFFICIENT_MEMORY" });
  refusal.dispose();
  expect(states(engine)).toEqual(["first ready", "tiny ready"]);
  expect(await says(engine, "first")).toBe(2);
  expect((await engine.generate("Who?", { model: "tiny" })).text).toBe("I am tiny.");

  const plans: (readonly string[])[] = [];
  const freed: [string, number][] = [];
  engine.hooks.on("modelUnload", (event) => void freed.push([event.modelId, event.freed.hostBytes]));
  // Of itself it is who was used least recently.
  const choice = engine.hooks.on("vramPressure", ({ plan }) => (plans.push(plan), { plan: ["tiny", "first"] }));
  await load();
  choice.dispose();
  expect(plans).toEqual([["first"]]);
  expect(states(engine)).toEqual(["first cold", "second ready", "tiny cold"]);
  expect(freed).toEqual([
    ["tiny", tiny],
    ["first", first.measured.hostBytes],
  ]);
  expect(engine.memory()[0]?.usedBytes).toBeLessThan(400 * mib);

  expect(await says(engine, "first")).toBe(2);
  expect(states(engine)).toEqual(["first ready", "second cold", "tiny cold"]);
});
