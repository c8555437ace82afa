import path from "node:path";
import { expect, test } from "vitest";
import { distance, normalized, openEmbedder, reference, tokensOf } from "../support/embeddings.js";
import { openEngine, tempDir } from "../support/engine.js";
import { writeLora } from "../support/models/lora.js";

const ownOf = reference();

const texts = [
  "A text.",
  "Another one, which is longer than the first: it has a second part, too.",
  "x",
  "A text.",
  ...Array.from({ length: 40 }, (_, i) => `Number ${i} of many, ${"and so on ".repeat(i % 7)}`),
];
const some = [0, 1, 2, 20, 42];
const pick = <T>(all: readonly T[]): T[] => some.map((i) => all[i] as T);

for (const kind of ["encoder", "decoder"] as const) {
  for (const pooling of ["mean", "cls", "last"] as const) {
    test(`vectors of an ${kind} by ${pooling} are llama.cpp's own, of one text and of a batch`, async () => {
      const { engine, file } = await openEmbedder({ kind, pooling });
      const own = await ownOf(file, "vectors", await tokensOf(engine, pick(texts)));
      const one = await engine.embed(texts[1] as string);
      expect(one).toMatchObject({ modelId: "default", pooling, dimensions: 64 });
      expect(one.embedding).toBeInstanceOf(Float32Array);
      expect(distance(one.embedding, normalized(own[1] as number[]))).toBeLessThan(1e-5);
      const { embeddings, tokens } = await engine.embed(texts);
      expect(embeddings).toHaveLength(texts.length);
      pick(embeddings).forEach((vector, i) =>
        expect(distance(vector, normalized(own[i] as number[]))).toBeLessThan(1e-5),
      );
      const counts = await tokensOf(engine, texts);
      expect(tokens).toEqual(counts.map(({ length }) => length));
      expect(tokens.reduce((sum, count) => sum + count)).toBeGreaterThan(512);
    });
  }
}

test("vectors are those that llama.cpp gives, and no others, while the same model generates", async () => {
  const { engine, file } = await openEmbedder({ kind: "decoder", contextLength: 4096 });
  const own = await ownOf(file, "vectors", await tokensOf(engine, pick(texts)));
  const options = { raw: true, temperature: 0, maxTokens: 1200, ignoreEos: true };
  const alone = await engine.generate("Once", options);
  expect(alone.usage.completionTokens).toBe(1200);
  const generation = engine.generate("Once", options);
  let seen = 0;
  for await (const event of generation) {
    // At most some hundred tokens are written ahead of who reads: more come after each of these.
    if (event.type !== "token" || ++seen % 100 !== 1) continue;
    const one = await engine.embed(texts[1] as string);
    expect(distance(one.embedding, normalized(own[1] as number[]))).toBeLessThan(1e-5);
    const { embeddings } = await engine.embed(texts);
    pick(embeddings).forEach((vector, i) =>
      expect(distance(vector, normalized(own[i] as number[]))).toBeLessThan(1e-5),
    );
  }
  expect(seen).toBeGreaterThan(700);
  expect((await generation).text).toBe(alone.text);
});

test("a pooling that is asked for is used in place of the model's own", async () => {
  const { engine } = await openEmbedder({ kind: "encoder", pooling: "cls" });
  const byDefault = await engine.embed("A text.");
  expect(byDefault.pooling).toBe("cls");
  const mean = await engine.embed("A text.", { pooling: "mean" });
  const named = await engine.embed("A text.", { pooling: "cls" });
  expect(mean.pooling).toBe("mean");
  expect(distance(mean.embedding, byDefault.embedding)).toBeGreaterThan(1e-3);
  expect(named.embedding).toEqual(byDefault.embedding);
});

test("without pooling there is a vector for each token, whose mean and last are those of the poolings", async () => {
  for (const kind of ["encoder", "decoder"] as const) {
    const { engine } = await openEmbedder({ kind });
    const of = async (pooling: "none" | "mean" | "last") =>
      engine.embed(["A text.", "And another."], { pooling, normalize: false });
    const { embeddings, tokens, dimensions } = await of("none");
    embeddings.forEach((rows, i) => expect(rows).toHaveLength((tokens[i] ?? 0) * dimensions));
    const rows = embeddings[1] as Float32Array;
    const count = tokens[1] as number;
    const mean = Array.from({ length: dimensions }, (_, column) => {
      const values = Array.from({ length: count }, (__, row) => rows[row * dimensions + column] ?? NaN);
      return values.reduce((sum, value) => sum + value) / count;
    });
    expect(distance((await of("mean")).embeddings[1] as Float32Array, mean)).toBeLessThan(1e-5);
    expect(distance((await of("last")).embeddings[1] as Float32Array, rows.subarray(-dimensions))).toBeLessThan(1e-5);
  }
});

test("vectors have length 1, or what the model gives them", async () => {
  const { engine } = await openEmbedder();
  const { embedding } = await engine.embed("A text.");
  const { embedding: raw } = await engine.embed("A text.", { normalize: false });
  expect(Math.hypot(...embedding)).toBeCloseTo(1, 6);
  expect(Math.hypot(...raw)).toBeGreaterThan(1.5);
  expect(distance(embedding, normalized([...raw]))).toBeLessThan(1e-6);
});

test("a model without a word on pooling gives the vector of the last token", async () => {
  const engine = await openEngine(["Hello."]);
  expect((await engine.embed("A text.")).pooling).toBe("last");
  expect(engine.models.describe("default").embedding).toMatchObject({ pooling: "last", reranks: false });
});

test("what a model can do is in its description", async () => {
  const { engine } = await openEmbedder({ kind: "encoder", dimensions: 96, contextLength: 128 });
  const { generates, infills, embedding, chatTemplate } = engine.models.describe("default");
  expect({ generates, infills, embedding }).toEqual({
    generates: false,
    infills: false,
    embedding: { dimensions: 96, pooling: "mean", maxTokens: 128, reranks: false },
  });
  expect(typeof chatTemplate === "string" || chatTemplate === null).toBe(true);
});

test("a hundred calls at once each get their own vectors", async () => {
  const { engine } = await openEmbedder({ kind: "decoder" });
  const calls = Array.from({ length: 100 }, (_, i) => `Call ${i}: ${"word ".repeat(i % 9)}`);
  const together = await Promise.all(calls.map((text) => engine.embed(text)));
  const { embeddings } = await engine.embed(calls);
  together.forEach(({ embedding }, i) => expect(distance(embedding, embeddings[i] as Float32Array)).toBeLessThan(1e-5));
});

test("an empty list has an empty answer", async () => {
  const { engine } = await openEmbedder();
  expect(await engine.embed([])).toEqual({
    modelId: "default",
    pooling: "mean",
    dimensions: 64,
    embeddings: [],
    tokens: [],
  });
});

test("vectors pass no hooks of text, and adapters do not act on them", async () => {
  const { engine } = await openEmbedder({ kind: "decoder", contextLength: 4096 });
  const alone = await engine.embed("A text.");
  const fired: string[] = [];
  for (const point of ["contextBudget", "preGenerate", "streamToken", "postGenerate"] as const) {
    engine.hooks.on(point, () => void fired.push(point));
  }
  engine.hooks.on("adapterSwap", () => void fired.push("adapterSwap"));
  const lora = { architecture: "qwen3", tensor: "blk.0.ffn_down.weight", inputs: 128, outputs: 64 };
  await engine.adapters.load("a", { path: await writeLora(path.join(await tempDir(), "a"), lora) });
  expect(Array.from((await engine.embed("A text.")).embedding)).toEqual(Array.from(alone.embedding));
  expect(fired).toEqual([]);
  const options = { raw: true, maxTokens: 400, ignoreEos: true, adapters: [{ id: "a" }] };
  const generation = engine.generate("Once", options);
  const meanwhile = await engine.embed("A text.");
  expect(distance(meanwhile.embedding, alone.embedding)).toBeLessThan(1e-6);
  await generation;
  expect(new Set(fired)).toEqual(
    new Set(["adapterSwap", "contextBudget", "preGenerate", "streamToken", "postGenerate"]),
  );
});
