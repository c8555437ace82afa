// The models are what the types of AI SDK 7 ask for; scripts/test/clients.mjs compiles this. test/ai-sdk/types is the
// same for AI SDK 6.
import { createProviderRegistry, embed, generateText, rerank } from "ai";
import { expect, test } from "vitest";
import { llamaHooks } from "../../../src/ai-sdk/index.js";
import { openEngine, rejection } from "../../support/engine.js";

test("AI SDK 7 takes the providers of both interfaces and their models without a cast", async () => {
  const engine = await openEngine(["Hello."]);
  const three = llamaHooks(engine);
  const four = llamaHooks(engine, { spec: "v4" });
  const texts = [
    (await generateText({ model: three(), prompt: "Hi" })).text,
    (await generateText({ model: four(), prompt: "Hi" })).text,
    (await generateText({ model: createProviderRegistry({ four }).languageModel("four:default"), prompt: "Hi" })).text,
  ];
  expect(texts).toEqual(Array(3).fill("Hello."));
  expect((await embed({ model: four.embeddingModel("default"), value: "one" })).embedding.length).toBeGreaterThan(1);
  // This model is not a reranker, which it says when it is used.
  const ranking = rerank({ model: four.rerankingModel("default"), query: "a", documents: ["b"] });
  expect(await rejection(ranking)).toMatchObject({ code: "UNSUPPORTED_BY_MODEL" });
});
