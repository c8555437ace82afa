import path from "node:path";
import { expect, test } from "vitest";
import { cancel, type Engine } from "../../src/index.js";
import { writeSyntheticModel } from "../../src/testing/index.js";
import { script } from "../fixtures/child.js";
import { openEngine, rejection, scriptModel, tempDir } from "../support/engine.js";

/** 311 MB of weights. */
const shape = { layers: 10, embedding: 1024, heads: 16, kvHeads: 4, feedForward: 4096, vocabulary: 4000 };
const small = { threads: 1, contextSize: 256, parallel: 1, batchSize: 64 } as const;
const mib = 2 ** 20;

function states(engine: Engine): string[] {
  return engine.models.list().map(({ modelId, state }) => `${modelId} ${state}`);
}

/** The two, in a folder. */
async function files(): Promise<{ dir: string; first: string; second: string }> {
  const dir = await tempDir();
  const [first, second] = [path.join(dir, "first.gguf"), path.join(dir, "second.gguf")];
  await writeSyntheticModel(first, shape, { quantization: "F16", seed: 1 });
  await writeSyntheticModel(second, shape, { quantization: "F16", seed: 2 });
  return { dir, first, second };
}

async function says(engine: Engine, model: string): Promise<number> {
  return (await engine.generate("Hi", { model, raw: true, ignoreEos: true, maxTokens: 2 })).usage.completionTokens;
}

test("two models of 300 MB under a budget of 400 MiB: hooks refuse, decide who goes, and let go", async () => {
  const made = await files();
  const engine = await openEngine([], { models: {}, memoryBudget: 400 });
  await engine.models.load("tiny", { path: await scriptModel(["I am tiny."]), ...small });
  const first = await engine.models.load("first", { path: made.first, ...small });
  const tiny = engine.models.describe("tiny").measured.hostBytes;
  expect(first.measured.hostBytes).toBeGreaterThan(300e6);
  const load = (): Promise<object> => engine.models.load("second", { path: made.second, ...small });

  const refusal = engine.hooks.on("vramPressure", () => cancel("not now"));
  expect(await rejection(load())).toMatchObject({ code: "INSUFFICIENT_MEMORY" });
  refusal.dispose();
  expect(states(engine)).toEqual(["first ready", "tiny ready"]);
  expect(await says(engine, "first")).toBe(2);
  expect((await engine.generate("Who?", { model: "tiny" })).text).toBe("I am tiny.");

  const plans: (readonly string[])[] = [];
  const freed: [string, number][] = [];
  engine.hooks.on("modelUnload", (event) => void freed.push([event.modelId, event.freed.hostBytes]));
  // The engine's own plan evicts the least recently used model.
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

/** The process's own memory holds what a swap might leave behind; of the pages of files, this asks which weights are mapped. */
const swaps = `
  const { readFileSync } = await import("node:fs");
  const mapped = () => [...new Set(readFileSync("/proc/self/maps", "utf8").match(/[^/\\s]+[.]gguf/g))];
  const engine = await createEngine({ models: {}, ...onCpu, memoryBudget: 400 });
  let asked = 0;
  engine.hooks.on("vramPressure", () => void asked++);
  for (const id of ["first", "second"])
    await engine.models.load(id, { path: model + "/" + id + ".gguf", lazy: true, contextSize: 256, parallel: 1, batchSize: 64 });
  const swap = async (times) => {
    const sizes = [];
    for (let i = 0; i < times; i++) {
      const name = i % 2 === 0 ? "first" : "second";
      await engine.generate("Hi", { model: name, raw: true, ignoreEos: true, maxTokens: 1 });
      gc();
      sizes.push(ownBytes());
    }
    return sizes.slice(-20).sort((a, b) => a - b)[10];
  };
  // The heaps of the threads, of V8 and of glibc have their size after some 100 swaps.
  const before = await swap(100);
  const resident = process.memoryUsage.rss();
  asked = 0;
  const after = await swap(200);
  const states = engine.models.list().map(({ state }) => state);
  console.log(JSON.stringify({ before, resident, after, asked, states, mapped: mapped() }));
  await engine.close();
`;

// 30 seconds on a quiet machine; what others compute beside it may make a swap ten times as long.
const limitMs = 600_000;

test(
  "200 swaps of models of 300 MB under a budget of 400 MiB leave the process as large as it was",
  async () => {
    const { code, stdout, stderr } = await script(swaps, (await files()).dir, ["--expose-gc"], {}, limitMs);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { before, resident, after, ...end } = JSON.parse(stdout) as {
      before: number;
      resident: number;
      after: number;
    };
    console.log(`${resident} bytes resident, ${before} its own before 200 swaps, ${after} after`);
    expect(end).toEqual({ asked: 200, states: ["cold", "ready"], mapped: ["second.gguf"] });
    expect(after - before).toBeLessThan(0.03 * resident);
  },
  limitMs,
);
