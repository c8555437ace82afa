import { copyFile, readFile, utimes } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import type { Engine, ModelInfo } from "../../src/index.js";
import { writeSyntheticModel } from "../../src/testing/index.js";
import { adaptedModel } from "../support/adapters.js";
import { openEngine, rejection, scriptModel, tempDir } from "../support/engine.js";

const shape = { layers: 4, embedding: 512, heads: 8, kvHeads: 4, feedForward: 2048, vocabulary: 4000 };
const small = { threads: 1, contextSize: 512, parallel: 1 } as const;

/** 34 MB of weights. */
async function bigModel(): Promise<string> {
  const file = path.join(await tempDir(), "big.gguf");
  await writeSyntheticModel(file, shape, { quantization: "F16" });
  return file;
}

function weights({ memory }: ModelInfo): number {
  return memory.reduce((sum, { modelBytes }) => sum + modelBytes, 0);
}

function all({ memory }: ModelInfo): number {
  return memory.reduce((sum, one) => sum + one.modelBytes + one.contextBytes + one.computeBytes, 0);
}

const used = (engine: Engine): number => engine.memory()[0]?.usedBytes ?? NaN;

test("two ids of one file share its weights, each with its own context", async () => {
  const engine = await openEngine([], { models: {} });
  const estimates: number[] = [];
  const freed: [string, number][] = [];
  engine.hooks.on("modelLoad", ({ estimate }) => void estimates.push(estimate.hostBytes));
  engine.hooks.on("modelUnload", (event) => void freed.push([event.modelId, event.freed.hostBytes]));
  const file = await bigModel();
  const short = await engine.models.load("short", { path: file, ...small });
  const long = await engine.models.load("long", { path: file, ...small, contextSize: 2048, pinned: true });
  expect([short.contextSize, long.contextSize]).toEqual([512, 2048]);
  expect([short.sharesWeightsWith, long.sharesWeightsWith]).toEqual([[], ["short"]]);
  expect(engine.models.describe("short").sharesWeightsWith).toEqual(["long"]);
  expect(weights(short)).toBeGreaterThan(30e6);
  expect(weights(long)).toBe(0);
  const layers = ({ memory }: Pick<ModelInfo, "memory">): number[] => memory.map((one) => one.layers);
  const third = await engine.models.estimate({ path: file, ...small });
  expect([short, long, third].map(layers)).toEqual([[4], [4], [4]]);
  expect([short, long].map(({ measured }) => measured.hostBytes)).toEqual([all(short), all(long)]);
  expect(Math.abs((estimates[1] ?? 0) - all(long))).toBeLessThan(0.01 * all(long));
  expect(used(engine)).toBe(all(short) + all(long));

  await engine.models.unload("short");
  const alone = engine.models.describe("long");
  expect([weights(alone), alone.sharesWeightsWith]).toEqual([weights(short), []]);
  expect(used(engine)).toBe(all(alone));
  await engine.generate("Hi", { model: "long", maxTokens: 4 });
  await engine.models.unload("long");
  expect(used(engine)).toBe(0);
  expect(freed).toEqual([
    ["short", all(short) - weights(short)],
    ["long", all(alone)],
  ]);
});

test("loads of one file at once read it once, and two that run at once say the same", async () => {
  const engine = await openEngine([], { models: {} });
  const file = await bigModel();
  const bytesRead = async (): Promise<number> =>
    Number(/rchar: (\d+)/.exec(await readFile("/proc/self/io", "utf8"))?.[1]);
  const ids = ["a", "b", "c", "d"];
  const before = process.platform === "linux" ? await bytesRead() : 0;
  await Promise.all(ids.map((id) => engine.models.load(id, { path: file, ...small, mmap: false })));
  if (process.platform === "linux") expect((await bytesRead()) - before).toBeLessThan(60e6);
  const infos = engine.models.list();
  expect(infos.map(weights).filter((bytes) => bytes > 0)).toHaveLength(1);
  expect(used(engine)).toBe(infos.reduce((sum, info) => sum + all(info), 0));
  const said = await Promise.all(ids.map((model) => engine.generate("Hi", { model, maxTokens: 20, temperature: 0 })));
  expect(new Set(said.map(({ text }) => text)).size).toBe(1);
});

test("who reads the weights for others may stop: the others have them all the same", async () => {
  const engine = await openEngine([], { models: {} });
  const file = await bigModel();
  const stop = new AbortController();
  const seen: number[] = [];
  const first = engine.models.load(
    "first",
    { path: file, ...small },
    {
      signal: stop.signal,
      onProgress: (progress) => progress > 0 && stop.abort(),
    },
  );
  const second = engine.models.load("second", { path: file, ...small }, { onProgress: (done) => void seen.push(done) });
  expect(await rejection(first)).toMatchObject({ code: "CANCELLED" });
  const info = await second;
  expect(seen.at(-1)).toBe(1);
  expect(weights(info)).toBeGreaterThan(30e6);
  expect(used(engine)).toBe(all(info));
});

test("weights that were loaded otherwise, or from a file that changed since, are others", async () => {
  const engine = await openEngine([], { models: {} });
  const file = await bigModel();
  const copy = path.join(await tempDir(), "copy.gguf");
  await copyFile(file, copy);
  const load = async (id: string, where: string, options = {}): Promise<readonly string[]> =>
    (await engine.models.load(id, { path: where, ...small, ...options })).sharesWeightsWith;
  expect(await load("one", file)).toEqual([]);
  expect(await load("read", file, { mmap: false })).toEqual([]);
  expect(await load("copy", copy)).toEqual([]);
  expect(await load("again", path.join(path.dirname(file), ".", "big.gguf"))).toEqual(["one"]);
  const later = new Date(Date.now() + 5000);
  await utimes(file, later, later);
  expect(await load("changed", file)).toEqual([]);
  expect(await load("like changed", file)).toEqual(["changed"]);
});

test("under a budget the second of a file takes its context alone, and giving up one of two frees no weights", async () => {
  const engine = await openEngine([], { models: {}, memoryBudget: 80 });
  const file = await bigModel();
  const candidates: Record<string, number>[] = [];
  engine.hooks.on("vramPressure", (event) => {
    candidates.push(Object.fromEntries(event.candidates.map(({ modelId, bytes }) => [modelId, bytes])));
  });
  const first = await engine.models.load("first", { path: file, ...small });
  const second = await engine.models.load("second", { path: file, ...small });
  const own = all(second);
  expect(candidates).toEqual([]);
  // Beside the two there is no room for one with as many weights: both must go, and with the second the weights.
  const other = path.join(await tempDir(), "other.gguf");
  await copyFile(file, other);
  await engine.models.load("other", { path: other, ...small });
  expect(candidates).toEqual([{ first: own, second: own }]);
  expect(engine.models.list().map(({ modelId, state }) => `${modelId} ${state}`)).toEqual([
    "first cold",
    "other ready",
    "second cold",
  ]);
  expect(used(engine)).toBe(all(first));
  await engine.generate("Hi", { model: "first", maxTokens: 2 });
  await engine.generate("Hi", { model: "second", maxTokens: 2 });
  expect(engine.models.describe("second").sharesWeightsWith).toEqual(["first"]);
});

test("adapters are of one id, also where another has the same weights", async () => {
  const { model, file } = await adaptedModel(["I am plain."], { pirate: ["Ahoy there!"], poet: ["Roses are red."] });
  const engine = await openEngine([], {
    models: { left: { path: model, ...small }, right: { path: model, ...small } },
  });
  expect(engine.models.describe("left").sharesWeightsWith).toEqual(["right"]);
  await engine.adapters.load("pirate", { path: file("pirate"), model: "left" });
  await engine.adapters.load("poet", { path: file("poet"), model: "right" });
  const ask = async (id: string, adapter?: string): Promise<string> =>
    (await engine.generate("Who?", { model: id, adapters: adapter === undefined ? [] : [{ id: adapter }] })).text;
  for (let i = 0; i < 20; i++) {
    expect(await Promise.all([ask("left", "pirate"), ask("right", "poet"), ask("left"), ask("right")])).toEqual([
      "Ahoy there!",
      "Roses are red.",
      "I am plain.",
      "I am plain.",
    ]);
  }
  expect(await rejection(ask("right", "pirate"))).toMatchObject({ code: "NOT_FOUND" });
  await engine.models.unload("left");
  expect(engine.adapters.list().map(({ adapterId }) => adapterId)).toEqual(["poet"]);
  expect(await ask("right", "poet")).toBe("Roses are red.");
});

test("200 loads, generations and unloads of one file at once, under many ids", async () => {
  const engine = await openEngine([], { models: {} });
  const file = await scriptModel(["Hello."]);
  await Promise.all(
    Array.from({ length: 8 }, async (_, id) => {
      for (let i = 0; i < 25; i++) {
        await engine.models.load(`${id}`, { path: file, ...small });
        expect((await engine.generate("Hi", { model: `${id}` })).text).toBe("Hello.");
        await engine.models.unload(`${id}`);
      }
    }),
  );
  expect(used(engine)).toBe(0);
});
