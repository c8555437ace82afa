// Embeddings and rankings over HTTP.
import { expect, test } from "vitest";
import { openEmbedder } from "../support/embeddings.js";
import { openServer, refusalOf, serveEngine } from "../support/http/server.js";

test("the client of OpenAI gets the engine's vectors, in base64 as it asks for by itself", async () => {
  const { engine } = await openEmbedder();
  const { client, post } = await serveEngine(engine);
  const texts = ["one text", "and another"];
  const own = await engine.embed(texts);
  const answer = await client.embeddings.create({ model: "default", input: texts });
  expect(answer.data.map(({ index, embedding }) => [index, embedding])).toEqual(
    own.embeddings.map((vector, index) => [index, Array.from(vector)]),
  );
  const tokens = own.tokens.reduce((sum, one) => sum + one, 0);
  expect(answer.usage).toEqual({ prompt_tokens: tokens, total_tokens: tokens });
  const one = await post("/v1/embeddings", { model: "default", input: texts[0], dimensions: own.dimensions });
  const { data } = (await one.json()) as { data: { embedding: number[] }[] };
  // Alone, because texts that are computed together round otherwise.
  const { embedding: alone } = await engine.embed("one text");
  expect(data.map(({ embedding }) => embedding)).toEqual([Array.from(alone)]);
});

test("dimensions shortens vectors, which keep the length 1 unless the client wants the model's own", async () => {
  const { engine } = await openEmbedder();
  const { post } = await serveEngine(engine);
  const vectorOf = async (more: object): Promise<number[]> => {
    const answer = await post("/v1/embeddings", { model: "default", input: "one text", ...more });
    return ((await answer.json()) as { data: { embedding: number[] }[] }).data[0]?.embedding ?? [];
  };
  const whole = await vectorOf({});
  const first = whole.slice(0, 3);
  const length = Math.hypot(...first);
  const short = await vectorOf({ dimensions: 3 });
  expect(short).toHaveLength(3);
  short.forEach((number, index) => expect(number).toBeCloseTo((first[index] ?? 0) / length, 5));
  const raw = await vectorOf({ normalize: false });
  expect(await vectorOf({ dimensions: 3, normalize: false })).toEqual(raw.slice(0, 3));
});

test("tokens stand for their text, alone or in arrays; those of no text are refused", async () => {
  const { engine } = await openEmbedder();
  const { post } = await serveEngine(engine);
  const tokens = await engine.tokenize("one text");
  const { embedding } = await engine.embed("one text");
  for (const input of [tokens, [tokens]]) {
    const { data } = (await (await post("/v1/embeddings", { input })).json()) as { data: { embedding: number[] }[] };
    expect(data.map((one) => one.embedding)).toEqual([Array.from(embedding)]);
  }
});

test("wrong requests for embeddings are refused", async () => {
  const { engine } = await openEmbedder();
  const { post } = await serveEngine(engine);
  const bad = "invalid_request_error";
  const found = [];
  for (const members of [
    {},
    { input: [] },
    { input: [1_000_000, 2] },
    { input: [[1], []] },
    { input: [[1], [-1]] },
    { input: ["a", 1] },
    { input: "a", encoding_format: "hex" },
    { input: "a", dimensions: 100_000 },
    { input: "a", pooling: "none" },
    { input: "word ".repeat(2000) },
    { input: "a", model: "other" },
  ])
    found.push((await refusalOf(await post("/v1/embeddings", { model: "default", ...members }))).slice(0, 4));
  expect(found).toEqual([
    [400, bad, null, "input"],
    [400, bad, null, "input"],
    [400, bad, "unsupported", "input[0]"],
    [400, bad, null, "input[1]"],
    [400, bad, null, "input[1][0]"],
    [400, bad, null, "input[1]"],
    [400, bad, null, "encoding_format"],
    [400, bad, "unsupported", "dimensions"],
    [400, bad, "unsupported", "pooling"],
    [400, bad, "context_length_exceeded", "input"],
    [404, "not_found_error", "model_not_found", "model"],
  ]);
});

test("a ranking has the engine's scores, and the documents if they are asked for", async () => {
  const { engine } = await openEmbedder({ reranks: true });
  const { post } = await serveEngine(engine);
  const documents = ["cats", "dogs and more", "birds"];
  const own = await engine.rerank("animals", documents);
  const whole = await post("/v1/rerank", { model: "default", query: "animals", documents });
  expect(await whole.json()).toEqual({
    object: "list",
    model: "default",
    results: own.results.map(({ index, relevanceScore }) => ({ index, relevance_score: relevanceScore })),
    usage: { prompt_tokens: own.tokens, total_tokens: own.tokens },
  });
  const asked = { query: "animals", documents: documents.map((text) => ({ text })), top_n: 1, return_documents: true };
  const best = own.results[0]?.index ?? -1;
  expect(await (await post("/v1/rerank", asked)).json()).toMatchObject({
    results: [{ index: best, document: { text: documents[best] } }],
  });
});

test("wrong requests for a ranking are refused, and so is a model that ranks nothing", async () => {
  const { engine } = await openEmbedder({ reranks: true });
  const { post } = await serveEngine(engine);
  const found = [];
  for (const members of [
    {},
    { query: "q" },
    { query: "q", documents: [] },
    { query: "q", documents: [5] },
    { query: "q", documents: ["a"], top_n: 0 },
  ])
    found.push((await refusalOf(await post("/v1/rerank", members))).slice(3));
  expect(found).toEqual([["query"], ["documents"], ["documents"], ["documents[0]"], ["top_n"]]);
  const { post: other } = await openServer();
  const refused = await other("/v1/rerank", { query: "q", documents: ["a"] });
  expect(await refusalOf(refused)).toEqual([400, "invalid_request_error", "unsupported", null]);
});
