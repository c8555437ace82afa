// Clients of the AI SDK's package for OpenAI-compatible servers, of both interfaces that it has.
import { createOpenAICompatible as createV3 } from "@ai-sdk/openai-compatible";
import * as ai6 from "ai-v6";
import { describe, expect, test } from "vitest";
import { cancel } from "../../src/index.js";
import { gate } from "../support/gate.js";
import { asksWeather, openServer, type Served } from "../support/http/server.js";
import { ai7, describeWith, version4 } from "../support/integrations/node-22.js";

describe("@ai-sdk/openai-compatible 2 with AI SDK 6", () => tests(ai6, createV3));
describeWith(true, "@ai-sdk/openai-compatible 3 with AI SDK 7", () => tests(ai7, version4));

function tests(sdk: typeof ai6, create: typeof createV3): void {
  const modelOf = ({ server }: Served): ai6.LanguageModel =>
    create({ name: "local", baseURL: server.url, includeUsage: true })("default") as ai6.LanguageModel;
  const weather = sdk.tool({
    description: "The weather in a city",
    inputSchema: sdk.jsonSchema<{ city: string }>({
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
    }),
    execute: ({ city }) => `3 degrees in ${city}`,
  });

  test("answers come whole and streamed, with reasoning and usage", async () => {
    const served = await openServer({ replies: [{ reasoning: "Hm.", text: "Hello there." }], afterLast: "repeat" });
    const whole = await sdk.generateText({ model: modelOf(served), prompt: "Hi", maxRetries: 0 });
    expect([whole.text, whole.reasoningText, whole.finishReason]).toEqual(["Hello there.", "Hm.", "stop"]);
    const streamed = sdk.streamText({ model: modelOf(served), prompt: "Hi", maxRetries: 0 });
    let text = "";
    for await (const piece of streamed.textStream) text += piece;
    expect(text).toBe("Hello there.");
    expect(await streamed.finishReason).toBe("stop");
    expect((await streamed.usage).outputTokens).toBe(whole.usage.outputTokens);
  });

  test("a tool is run between two calls, whole and streamed", async () => {
    const served = await openServer([asksWeather, "It is cold."]);
    const call = { model: modelOf(served), prompt: "How is Oslo?", tools: { weather }, maxRetries: 0 };
    const whole = await sdk.generateText({ ...call, stopWhen: sdk.stepCountIs(3) });
    expect([whole.text, whole.steps.length]).toEqual(["It is cold.", 2]);
    expect(whole.steps[0]?.toolResults[0]?.output).toBe("3 degrees in Oslo");
    const streamed = sdk.streamText({ ...call, stopWhen: sdk.stepCountIs(3) });
    expect(await streamed.text).toBe("It is cold.");
  });

  test("an error has its status and the hook's reason", async () => {
    const served = await openServer();
    served.engine.hooks.guard("preGenerate", ({ messages }) =>
      messages.some(({ content }) => content === "secret") ? cancel("not here") : undefined,
    );
    const error: unknown = await sdk
      .generateText({ model: modelOf(served), prompt: "secret", maxRetries: 0 })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ statusCode: 403, message: "not here" });
  });

  test("an abort cancels the generation", async () => {
    const served = await openServer([{ text: "again ", endless: true }]);
    const written = gate();
    const ended = new Promise<string>((resolve) => {
      served.engine.hooks.on("postGenerate", ({ finishReason }) => resolve(finishReason), { observe: true });
    });
    served.engine.hooks.on("streamToken", () => written.open(), { observe: true });
    const abort = new AbortController();
    const { textStream } = sdk.streamText({
      model: modelOf(served),
      prompt: "Go",
      abortSignal: abort.signal,
      maxRetries: 0,
    });
    const read = (async () => {
      for await (const _ of textStream);
    })().catch(() => undefined);
    await written.passed;
    abort.abort();
    await read;
    expect(await ended).toBe("cancelled");
  });
}
