// Control vectors: adapters that add to what the layers of a model give.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import type { AdapterChoice, Engine } from "../../src/index.js";
import { text, writeGguf } from "../../src/testing/gguf-writer.js";
import { writeSyntheticModel } from "../../src/testing/index.js";
import { openEngine, rejection, tempDir } from "../support/engine.js";

const shape = { layers: 3, embedding: 64, heads: 4, kvHeads: 2, feedForward: 128, vocabulary: 400 };
const width = shape.embedding;

/** By layer, from 1. */
type Directions = Readonly<Record<string, readonly number[]>>;

async function writeVector(file: string, directions: Directions, type: "F32" | "F16" = "F32"): Promise<string> {
  const tensors = Object.entries(directions).map(([layer, numbers]) => ({
    name: `direction.${layer}`,
    dimensions: [numbers.length],
    type,
    data: () => [
      type === "F32" ? new Uint8Array(Float32Array.from(numbers).buffer) : new Uint8Array(numbers.length * 2),
    ],
  }));
  await writeGguf(file, { metadata: new Map([["general.architecture", text("controlvector")]]), tensors });
  return file;
}

const along = (seed: number, strength: number): number[] =>
  Array.from({ length: width }, (_, i) => strength * Math.sin(seed * (i + 1) * 1.7));

async function opened(): Promise<{ engine: Engine; model: string; folder: string }> {
  const folder = await tempDir();
  const model = path.join(folder, "model.gguf");
  await writeSyntheticModel(model, shape, { quantization: "F16" });
  const engine = await openEngine([], { models: { m: { path: model, threads: 1, parallel: 2, contextSize: 256 } } });
  return { engine, model, folder };
}

async function load(engine: Engine, folder: string, id: string, directions: Directions): Promise<void> {
  await engine.adapters.load(id, { path: await writeVector(path.join(folder, `${id}.gguf`), directions) });
}

type Said = readonly { readonly token: number; readonly logprob: number }[];

/** The tokens that the model says, with their log probabilities. */
async function says(engine: Engine, adapters: readonly AdapterChoice[], prompt = "What now?"): Promise<Said> {
  const options = { adapters, maxTokens: 6, ignoreEos: true, temperature: 0, logprobs: true } as const;
  const { logprobs } = await engine.generate(prompt, options);
  if (logprobs === undefined || logprobs.length === 0) throw new Error("no probabilities");
  return logprobs.map(({ token, logprob }) => ({ token, logprob }));
}

/** But for what the order of additions makes of the last digits. */
function same(a: Said, b: Said): boolean {
  return (
    a.length === b.length &&
    a.every(({ token, logprob }, i) => token === b[i]?.token && Math.abs(logprob - b[i].logprob) < 1e-3)
  );
}

test("a control vector changes what a model says by its strength, and at strength 0 nothing", async () => {
  const { engine, folder } = await opened();
  await load(engine, folder, "v", { 1: along(1, 0.5), 2: along(2, 0.5) });
  expect(engine.adapters.list()).toMatchObject([
    { adapterId: "v", modelId: "m", kind: "control_vector", scale: 1, rank: 0, tensors: 2 },
  ]);
  const plain = await says(engine, []);
  const strong = await says(engine, [{ id: "v", scale: 4 }]);
  const others = [await says(engine, [{ id: "v" }]), await says(engine, [{ id: "v", scale: -4 }]), plain];
  expect(others.map((other) => same(other, strong))).toEqual([false, false, false]);
  expect(same(await says(engine, [{ id: "v", scale: 0 }]), plain)).toBe(true);
  expect(same(await says(engine, [{ id: "v", scale: 4 }]), strong)).toBe(true);
  expect(same(await says(engine, []), plain)).toBe(true);
});

test("strengths multiply and vectors add up, also over several layers", async () => {
  const { engine, folder } = await opened();
  const [a, b] = [along(1, 1), along(2, 1)];
  await load(engine, folder, "a", { 1: a });
  await load(engine, folder, "b", { 1: b, 2: b });
  await load(engine, folder, "both", { 1: a.map((one, i) => 2 * one - (b[i] ?? 0) / 2), 2: b.map((one) => -one / 2) });
  const apart = await says(engine, [
    { id: "a", scale: 2 },
    { id: "b", scale: -0.5 },
  ]);
  expect(same(await says(engine, [{ id: "both" }]), apart)).toBe(true);
  expect(same(await says(engine, [{ id: "a", scale: 2 }]), apart)).toBe(false);
});

test("one that drowns all else has the model say the same whatever it is asked", async () => {
  const { engine, folder } = await opened();
  await load(engine, folder, "loud", { 2: along(3, 1e5) });
  const said = await Promise.all(
    ["One?", "And a second, longer question.", "Third"].map(async (prompt) => {
      const answer = await says(engine, [{ id: "loud" }], prompt);
      return answer.map(({ token }) => token);
    }),
  );
  expect(new Set(said.map((tokens) => JSON.stringify(tokens))).size).toBe(1);
});

test("conversations with and without run at once, each as if it were alone", async () => {
  const { engine, folder } = await opened();
  await load(engine, folder, "v", { 1: along(1, 2) });
  await load(engine, folder, "w", { 2: along(2, 2) });
  const sets: AdapterChoice[][] = [[], [{ id: "v" }], [{ id: "w" }], [{ id: "v" }, { id: "w", scale: 0.5 }]];
  const alone: Said[] = [];
  for (const adapters of sets) alone.push(await says(engine, adapters));
  for (let round = 0; round < 10; round++) {
    const together = await Promise.all(sets.map((adapters) => says(engine, adapters)));
    // As its own, and as no other.
    const matrix = together.map((one) => alone.map((other) => same(one, other)));
    expect(matrix).toEqual(sets.map((_, i) => sets.map((_set, j) => i === j)));
  }
});

test("a session swaps to one and back; hooks see it as any adapter, and unloading waits for who uses it", async () => {
  const { engine, folder } = await opened();
  await load(engine, folder, "v", { 1: along(1, 3) });
  const swaps: unknown[] = [];
  engine.hooks.on("adapterSwap", ({ targetAdapter, scale }) => void swaps.push([targetAdapter, scale]));
  const session = engine.session({ maxTokens: 4, temperature: 0 });
  expect(await engine.adapters.swap(session, [{ id: "v", scale: 2 }])).toMatchObject([{ adapterId: "v", scale: 2 }]);
  await session.run("Hello").catch(() => {});
  await engine.adapters.swap(session, []);
  expect(swaps[0]).toEqual(["v", 2]);
  await engine.adapters.unload("v");
  expect(engine.adapters.list()).toEqual([]);
  expect(await rejection(engine.generate("Hi", { adapters: [{ id: "v" }] }))).toMatchObject({ code: "NOT_FOUND" });
});

test.each<[string, Directions, "F32" | "F16", string, RegExp]>([
  ["of another width", { 1: along(1, 1).slice(1) }, "F32", "ADAPTER_INCOMPATIBLE", /direction\.1' has 63 numbers.* 64/],
  ["of a layer that is not there", { 3: along(1, 1) }, "F32", "ADAPTER_INCOMPATIBLE", /direction\.3' .*it has 3/],
  ["of the first layer", { 0: along(1, 1) }, "F32", "MODEL_FILE_INVALID", /direction\.0/],
  ["with a number written in two ways", { "01": along(1, 1) }, "F32", "MODEL_FILE_INVALID", /direction\.01/],
  ["without a direction", {}, "F32", "MODEL_FILE_INVALID", /steers no layer/],
  ["of another type", { 1: along(1, 1) }, "F16", "MODEL_FILE_INVALID", /type F16/],
  ["with what is not a number", { 1: [NaN, ...along(1, 1).slice(1)] }, "F32", "MODEL_FILE_INVALID", /not finite/],
])("a control vector %s is refused", async (_, directions, type, code, message) => {
  const { engine, folder } = await opened();
  const file = await writeVector(path.join(folder, "bad.gguf"), directions, type);
  const refusal = await rejection(engine.adapters.load("bad", { path: file }));
  expect(refusal).toMatchObject({ code, message: expect.stringMatching(message) });
  expect((refusal as Error).message).toContain(file);
  await says(engine, []);
});

test("strengths at which numbers would be too large are refused", async () => {
  const { engine, folder } = await opened();
  await load(engine, folder, "huge", { 1: along(1, 1e37) });
  expect(await rejection(says(engine, [{ id: "huge", scale: 1000 }]))).toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining("too large") as string,
  });
  await says(engine, []);
});

test("a file cut off is refused", async () => {
  const { engine, folder } = await opened();
  const file = await writeVector(path.join(folder, "bad.gguf"), { 1: along(1, 1) });
  const { readFile } = await import("node:fs/promises");
  await writeFile(file, (await readFile(file)).subarray(0, -40));
  expect(await rejection(engine.adapters.load("bad", { path: file }))).toMatchObject({ code: "MODEL_FILE_INVALID" });
});
