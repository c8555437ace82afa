// Signals of the AI SDK's callers, and readers that leave: each cancels the generation.
import { expect, test } from "vitest";
import { describeVersions } from "../support/integrations/ai-sdk.js";
import { openEngine, rejection } from "../support/engine.js";

const endless = [{ text: "again ", endless: true }];

describeVersions(({ sdk, provider }) => {
  test("generateText() rejects with the reason of the signal, and the generation has ended", async () => {
    const engine = await openEngine(endless, { parallel: 1 });
    const abort = new AbortController();
    let tokens = 0;
    engine.hooks.on("streamToken", () => void (++tokens === 3 && abort.abort()));
    const call = { model: provider(engine)(), prompt: "Go", abortSignal: abort.signal };
    expect(await rejection(sdk.generateText(call))).toMatchObject({ name: "AbortError" });
    // The only sequence is free again.
    expect((await engine.generate("Go", { maxTokens: 1 })).finishReason).toBe("length");
  });

  test("streamText() ends with an abort part", async () => {
    const engine = await openEngine(endless);
    const abort = new AbortController();
    const { fullStream } = sdk.streamText({ model: provider(engine)(), prompt: "Go", abortSignal: abort.signal });
    const types: string[] = [];
    for await (const { type } of fullStream) {
      types.push(type);
      if (type === "text-delta") abort.abort();
    }
    expect(types.at(-1)).toBe("abort");
    expect(types).not.toContain("error");
  });

  test("a signal that has aborted before starts nothing", async () => {
    const engine = await openEngine(["Hello."]);
    let calls = 0;
    engine.hooks.on("preGenerate", () => void calls++);
    const model = provider(engine)();
    const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }];
    const abortSignal = AbortSignal.abort(new Error("too late"));
    expect(await rejection(model.doGenerate({ prompt, abortSignal }))).toEqual(new Error("too late"));
    expect(await rejection(model.doStream({ prompt, abortSignal }))).toEqual(new Error("too late"));
    expect(calls).toBe(0);
  });

  test("a reader that leaves the stream cancels the generation", async () => {
    const engine = await openEngine(endless);
    const trace = engine.trace({ points: [] });
    const ended = (async () => {
      for await (const event of trace)
        if (event.type === "lifecycle" && event.event === "generationEnded") return event.finishReason;
      return undefined;
    })();
    const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }];
    const { stream } = await provider(engine)().doStream({ prompt });
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel();
    expect(await ended).toBe("cancelled");
  });

  test("embeddings reject with the reason of the signal", async () => {
    const engine = await openEngine(["Hello."]);
    const abortSignal = AbortSignal.abort(new Error("too late"));
    const model = provider(engine).embeddingModel("default");
    expect(await rejection(model.doEmbed({ values: ["a"], abortSignal }))).toEqual(new Error("too late"));
  });
});
