// Streams that are held until hooks have answered, and those that are not.
import { expect, test } from "vitest";
import { defineHooks } from "../../src/index.js";
import { all, describeVersions } from "../support/integrations/ai-sdk.js";
import { openEngine } from "../support/engine.js";

describeVersions(({ sdk, provider }) => {
  test("text that a postGenerate hook changes is streamed as it was changed", async () => {
    const engine = await openEngine(["The code is 1234."]);
    const { dispose } = engine.hooks.on("postGenerate", () => ({ content: "The code is ####." }));
    const { textStream } = sdk.streamText({ model: provider(engine)(), prompt: "Code?" });
    expect(await all(textStream)).toEqual(["The code is ####."]);
    dispose();
    const live = await all(sdk.streamText({ model: provider(engine)(), prompt: "Code?" }).textStream);
    expect([live.join(""), live.length > 2]).toEqual(["The code is 1234.", true]);
  });

  test("a postGenerate hook of the call holds the stream, an observer does not", async () => {
    const engine = await openEngine(["One two three."]);
    engine.hooks.on("postGenerate", () => undefined, { observe: true });
    const model = provider(engine)();
    const change = defineHooks("change", { POST_GENERATE: () => ({ content: "Changed." }) });
    const held = sdk.streamText({
      model,
      prompt: "Count",
      providerOptions: { llamaHooks: { hooks: change as never } },
    });
    expect(await all(held.textStream)).toEqual(["Changed."]);
    expect((await all(sdk.streamText({ model, prompt: "Count" }).textStream)).length).toBeGreaterThan(2);
  });

  test("a hook that asks for another attempt has only the last one streamed", async () => {
    const engine = await openEngine(["First.", "Second."]);
    let asked = 0;
    engine.hooks.on("postGenerate", () => (asked++ === 0 ? { retry: "say it in other words" } : undefined));
    const { fullStream } = sdk.streamText({ model: provider(engine)(), prompt: "Say" });
    const parts = (await all(fullStream)) as { type: string; text?: string }[];
    expect(asked).toBe(2);
    expect(parts.flatMap(({ type, text }) => (type === "text-delta" ? [text] : []))).toEqual(["Second."]);
    expect(parts.some(({ type }) => type === "error")).toBe(false);
  });

  test("an abort ends a held stream", async () => {
    const engine = await openEngine([{ text: "again ", endless: true }]);
    engine.hooks.on("postGenerate", () => undefined);
    const abort = new AbortController();
    let tokens = 0;
    engine.hooks.on("streamToken", () => void (++tokens === 3 && abort.abort()), { observe: true });
    const { fullStream } = sdk.streamText({ model: provider(engine)(), prompt: "Go", abortSignal: abort.signal });
    // The SDK writes the beginning of a step only if it has heard of it before the abort.
    const types = (await all(fullStream)).map(({ type }) => type).filter((type) => type !== "start-step");
    expect(types).toEqual(["start", "abort"]);
  });

  test("hooks at streamToken hold a stream with tools: a call that they change is streamed as changed", async () => {
    const engine = await openEngine([{ text: "I look. ", toolCalls: [{ name: "find", args: { word: "secret" } }] }]);
    engine.hooks.on("streamToken", ({ text }) => ({ text: text.replace("secret", "plain") }));
    const find = sdk.tool({
      inputSchema: sdk.jsonSchema<{ word: string }>({
        type: "object",
        properties: { word: { type: "string" } },
        required: ["word"],
        additionalProperties: false,
      }),
      execute: () => "nothing",
    });
    const stream = sdk.streamText({ model: provider(engine)(), prompt: "Find", tools: { find } }).fullStream;
    const parts = (await all(stream)) as { type: string; delta?: string; input?: object }[];
    expect(parts.flatMap(({ type, delta }) => (type === "tool-input-delta" ? [delta] : []))).toEqual([
      '{"word":"plain"}',
    ]);
    expect(parts.find(({ type }) => type === "tool-call")?.input).toEqual({ word: "plain" });
    expect(parts.some(({ type }) => type === "error")).toBe(false);
  });

  test("a live stream whose text is replaced ends with an error, and takes nothing back", async () => {
    const engine = await openEngine(["The code is 1234."]);
    engine.hooks.on("postGenerate", () => ({ content: "Nothing." }));
    const errors: unknown[] = [];
    const { fullStream } = sdk.streamText({
      model: provider(engine)(),
      prompt: "Code?",
      providerOptions: { llamaHooks: { stream: "live" } },
      onError: ({ error }) => void errors.push(error),
    });
    const parts = (await all(fullStream)) as { type: string; text?: string; finishReason?: string }[];
    expect(parts.flatMap(({ type, text }) => (type === "text-delta" ? [text] : [])).join("")).toBe("The code is 1234.");
    expect(errors).toMatchObject([{ name: "AI_InvalidResponseDataError" }]);
    expect(parts.find(({ type }) => type === "finish")?.finishReason).toBe("error");
  });
});
