// The models are what the types of AI SDK 6 ask for; the compiler checks it. test/clients/node-22/types is the same for
// AI SDK 7.
import { createProviderRegistry, embed, generateText, rerank } from "ai-v6";
import { expect, test } from "vitest";
import { llamaHooks } from "../../src/ai-sdk/index.js";
import { openEngine, rejection } from "../support/engine.js";

test("AI SDK 6 takes the provider and its models without a cast", async () => {
  const engine = await openEngine(["Hello."]);
  const three = llamaHooks(engine);
  const texts = [
    (await generateText({ model: three(), prompt: "Hi" })).text,
    (await generateText({ model: createProviderRegistry({ three }).languageModel("three:default"), prompt: "Hi" }))
      .text,
  ];
  expect(texts).toEqual(Array(2).fill("Hello."));
  expect((await embed({ model: three.embeddingModel("default"), value: "one" })).embedding.length).toBeGreaterThan(1);
  // This model is not a reranker, which it says when it is used.
  const ranking = rerank({ model: three.rerankingModel("default"), query: "a", documents: ["b"] });
  expect(await rejection(ranking)).toMatchObject({ code: "UNSUPPORTED_BY_MODEL" });
});
