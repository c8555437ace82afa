// embed(), embedMany() and rerank() of the AI SDK, and the registry of providers.
import { expect, test } from "vitest";
import { describeVersions } from "../support/integrations/ai-sdk.js";
import { openEmbedder } from "../support/embeddings.js";
import { openEngine, rejection } from "../support/engine.js";

describeVersions(({ sdk, provider, spec }) => {
  test("embed() and embedMany() give the engine's vectors and count tokens", async () => {
    const { engine } = await openEmbedder();
    const model = provider(engine).embeddingModel("default");
    const texts = ["one", "two words", "three words here"];
    const one = await engine.embed("one");
    const { embedding, usage } = await sdk.embed({ model, value: "one" });
    expect([embedding, usage.tokens]).toEqual([[...one.embedding], one.tokens]);
    const own = await engine.embed(texts);
    const many = await sdk.embedMany({ model, values: texts });
    expect(many.embeddings).toEqual(own.embeddings.map((vector) => [...vector]));
    expect(many.usage.tokens).toBe(own.tokens.reduce((sum, count) => sum + count, 0));
  });

  test("options of embed() pass through providerOptions, and wrong ones are TypeErrors", async () => {
    const { engine } = await openEmbedder();
    const model = provider(engine).textEmbeddingModel("default");
    const embed = (llamaHooks: object) =>
      sdk.embed({ model, value: "one", providerOptions: { llamaHooks: llamaHooks as never } });
    const own = await engine.embed("one", { normalize: false, pooling: "last" });
    expect((await embed({ normalize: false, pooling: "last" })).embedding).toEqual([...own.embedding]);
    for (const pooling of ["none", "best"])
      expect(await rejection(embed({ pooling }))).toMatchObject({ param: expect.stringMatching(/pooling$/) });
  });

  test("rerank() sorts texts and objects by the engine's scores", async () => {
    const { engine } = await openEmbedder({ kind: "encoder", reranks: true });
    const model = provider(engine).rerankingModel("default");
    const documents = ["In the north.", "Far away in the south.", "Nowhere."];
    const own = await engine.rerank("Where?", documents);
    const { ranking, rerankedDocuments } = await sdk.rerank({ model, query: "Where?", documents });
    expect(ranking.map(({ originalIndex, score }) => [originalIndex, score])).toEqual(
      own.results.map(({ index, relevanceScore }) => [index, relevanceScore]),
    );
    expect(rerankedDocuments).toEqual(own.results.map(({ index }) => documents[index]));
    const objects = documents.map((text) => ({ text }));
    const two = await sdk.rerank({ model, query: "Where?", documents: objects, topN: 2 });
    const asJson = await engine.rerank(
      "Where?",
      objects.map((object) => JSON.stringify(object)),
      { topN: 2 },
    );
    expect(two.ranking.map(({ originalIndex }) => originalIndex)).toEqual(asJson.results.map(({ index }) => index));
  });

  test("a model that only embeds refuses texts, and its error is the engine's", async () => {
    const { engine } = await openEmbedder({ kind: "encoder" });
    const error = await rejection(sdk.generateText({ model: provider(engine)(), prompt: "Hi" }));
    expect(error).toMatchObject({ code: "UNSUPPORTED_BY_MODEL" });
  });

  test("other dimensions are a warning", async () => {
    const { engine } = await openEmbedder();
    const model = provider(engine).embeddingModel("default");
    const { warnings, embeddings } = await model.doEmbed({ values: ["one"], dimensions: 2 });
    expect(warnings).toMatchObject([{ type: "unsupported", feature: "dimensions" }]);
    expect(embeddings[0]?.length).toBe((await engine.embed("one")).dimensions);
  });

  test("a registry finds the models of the provider", async () => {
    const engine = await openEngine(["Hello."]);
    const local = provider(engine);
    expect(local.specificationVersion).toBe(spec);
    const registry = sdk.createProviderRegistry({ local: local as never });
    const { text } = await sdk.generateText({ model: registry.languageModel("local:default" as never), prompt: "Hi" });
    expect(text).toBe("Hello.");
  });
});
