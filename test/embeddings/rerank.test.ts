import { expect, test } from "vitest";
import type { Engine } from "../../src/index.js";
import { openEmbedder, reference } from "../support/embeddings.js";
import { openEngine, rejection } from "../support/engine.js";

const ownOf = reference();

const query = "Where is it cold?";
const documents = ["In the north.", "In the south, as a rule.", "Who asks?", "Nowhere; it depends on the season."];

async function pairs(engine: Engine, template: string): Promise<number[][]> {
  const texts = documents.map((text) => template.replace("{query}", query).replace("{document}", text));
  return Promise.all(texts.map((text) => engine.tokenize(text, { parseSpecial: true })));
}

/** In the order of the documents. */
async function scores(engine: Engine, normalize = false): Promise<number[]> {
  const { results } = await engine.rerank(query, documents, { normalize });
  expect(results.map(({ relevanceScore }) => relevanceScore)).toEqual(
    results.map(({ relevanceScore }) => relevanceScore).toSorted((left, right) => right - left),
  );
  return [...results].sort((left, right) => left.index - right.index).map(({ relevanceScore }) => relevanceScore);
}

for (const kind of ["encoder", "decoder"] as const) {
  test(`scores of an ${kind} with a rerank template are llama.cpp's own`, async () => {
    const rerankTemplate = "Find: {query}\nIn: {document}\nSo?";
    const { engine, file } = await openEmbedder({ kind, reranks: true, rerankTemplate });
    const own = await ownOf(file, "scores", await pairs(engine, rerankTemplate));
    const found = await scores(engine);
    found.forEach((score, i) => expect(Math.abs(score - (own[i]?.[0] ?? NaN))).toBeLessThan(1e-5));
    expect(new Set(found).size).toBe(documents.length);
  });
}

test("without a template query and document stand between the model's begin and separator tokens", async () => {
  const { engine, file } = await openEmbedder({ kind: "encoder", reranks: true });
  const [begin = NaN, separator = NaN] = await engine.tokenize("[CLS][SEP]", { parseSpecial: true });
  const tokens = [begin, ...(await engine.tokenize(query)), separator, ...(await engine.tokenize("In the north."))];
  const own = await ownOf(file, "scores", [tokens]);
  const { results, tokens: read } = await engine.rerank(query, ["In the north."]);
  expect(Math.abs((results[0]?.relevanceScore ?? NaN) - (own[0]?.[0] ?? NaN))).toBeLessThan(1e-5);
  expect(read).toBe(tokens.length);
});

test("what query and documents have of the template's marks is their own text", async () => {
  const rerankTemplate = "{query}|{document}";
  const { engine } = await openEmbedder({ kind: "decoder", reranks: true, rerankTemplate });
  const { tokens } = await engine.rerank("{document}", ["d".repeat(30)]);
  expect(tokens).toBe("{document}|".length + 30);
});

test("the most relevant come first, and topN of them are enough", async () => {
  const { engine } = await openEmbedder({ kind: "encoder", reranks: true });
  const all = await engine.rerank(query, documents);
  expect(all.modelId).toBe("default");
  expect(all.results).toHaveLength(documents.length);
  const two = await engine.rerank(query, documents, { topN: 2 });
  expect(two.results).toEqual(all.results.slice(0, 2));
  expect((await engine.rerank(query, documents, { topN: 100 })).results).toEqual(all.results);
  expect(await engine.rerank(query, [])).toEqual({ modelId: "default", results: [], tokens: 0 });
});

test("normalized scores lie between 0 and 1; those of a model that gives probabilities are so already", async () => {
  const encoder = (await openEmbedder({ kind: "encoder", reranks: true })).engine;
  const raw = await scores(encoder);
  (await scores(encoder, true)).forEach((score, i) =>
    expect(score).toBeCloseTo(1 / (1 + Math.exp(-(raw[i] ?? NaN))), 12),
  );
  const decoder = (await openEmbedder({ kind: "decoder", reranks: true })).engine;
  expect(await scores(decoder, true)).toEqual(await scores(decoder));
});

test("a model without a rank head is refused, whatever its file says of pooling", async () => {
  for (const pooling of ["mean", "rank"] as const) {
    const { engine } = await openEmbedder({ kind: "encoder", pooling });
    expect(await rejection(engine.rerank(query, documents))).toMatchObject({
      code: "UNSUPPORTED_BY_MODEL",
      message: expect.stringContaining("no rank head") as string,
    });
    expect(engine.models.describe("default").embedding.reranks).toBe(false);
  }
  const writer = await openEngine(["Hello."]);
  expect(await rejection(writer.rerank(query, documents))).toMatchObject({ code: "UNSUPPORTED_BY_MODEL" });
});

test("a reranker embeds only by a pooling that is named", async () => {
  const { engine } = await openEmbedder({ kind: "encoder", reranks: true });
  expect(await rejection(engine.embed("A text."))).toMatchObject({ code: "UNSUPPORTED_BY_MODEL" });
  expect((await engine.embed("A text.", { pooling: "cls" })).dimensions).toBe(64);
});

test("a document that is too long is named, and an abort ends the call", async () => {
  const { engine } = await openEmbedder({ kind: "encoder", reranks: true, contextLength: 64 });
  const failure = await rejection(engine.rerank(query, ["short", "x".repeat(80)]));
  expect(failure).toMatchObject({
    code: "TEXT_TOO_LONG",
    message: expect.stringMatching(/^the query with documents\[1\] has \d+ tokens, and a text may have 64/) as string,
  });
  const signal = AbortSignal.abort();
  expect(await rejection(engine.rerank(query, documents, { signal }))).toMatchObject({ code: "CANCELLED" });
});

test("misuse of rerank() is a TypeError that names what is wrong", async () => {
  const { engine } = await openEmbedder({ reranks: true });
  const calls: [unknown, unknown, unknown, RegExp][] = [
    [1, documents, {}, /query.*1/],
    [query, "one", {}, /documents.*"one"/],
    [query, [1], {}, /documents.*\[0\].*1/],
    [query, documents, { topN: 0 }, /topN.*0/],
    [query, documents, { top: 1 }, /top.*topN/],
  ];
  for (const [first, second, options, message] of calls) {
    const failure = await rejection(engine.rerank(first as string, second as string[], options as object));
    expect(failure).toBeInstanceOf(TypeError);
    expect((failure as TypeError).message).toMatch(message);
  }
});

test("equal documents have equal scores, and stand in the order in which they were given", async () => {
  const { engine } = await openEmbedder({ kind: "encoder", reranks: true });
  const { results, tokens } = await engine.rerank(query, ["same", "other", ...Array<string>(9).fill("same")]);
  const same = results.filter(({ index }) => index !== 1);
  expect(same.map(({ index }) => index)).toEqual([0, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(new Set(same.map(({ relevanceScore }) => relevanceScore)).size).toBe(1);
  const [one, two] = [await engine.rerank(query, ["same"]), await engine.rerank(query, ["other"])];
  expect(tokens).toBe(10 * one.tokens + two.tokens);
});
