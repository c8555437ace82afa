// The models are what the AI SDK's own types ask for, in each version; the compiler checks it.
import * as v6 from "ai-v6";
import * as v7 from "ai-v7";
import { expect, test } from "vitest";
import { llamaHooks } from "../../src/ai-sdk/index.js";
import { openEngine, rejection } from "../support/engine.js";

test("each version of the AI SDK takes the provider and its models without a cast", async () => {
  const engine = await openEngine(["Hello."]);
  const three = llamaHooks(engine);
  const four = llamaHooks(engine, { spec: "v4" });
  const texts = [
    (await v6.generateText({ model: three(), prompt: "Hi" })).text,
    (
      await v6.generateText({
        model: v6.createProviderRegistry({ three }).languageModel("three:default"),
        prompt: "Hi",
      })
    ).text,
    (await v7.generateText({ model: three(), prompt: "Hi" })).text,
    (await v7.generateText({ model: four(), prompt: "Hi" })).text,
    (await v7.generateText({ model: v7.createProviderRegistry({ four }).languageModel("four:default"), prompt: "Hi" }))
      .text,
  ];
  expect(texts).toEqual(Array(5).fill("Hello."));
  expect((await v6.embed({ model: three.embeddingModel("default"), value: "one" })).embedding.length).toBeGreaterThan(
    1,
  );
  expect((await v7.embed({ model: four.embeddingModel("default"), value: "one" })).embedding.length).toBeGreaterThan(1);
  // This model is no reranker, which it says when it is used.
  for (const ranking of [
    v6.rerank({ model: three.rerankingModel("default"), query: "a", documents: ["b"] }),
    v7.rerank({ model: four.rerankingModel("default"), query: "a", documents: ["b"] }),
  ])
    expect(await rejection(ranking)).toMatchObject({ code: "UNSUPPORTED_BY_MODEL" });
});
