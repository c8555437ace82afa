// Texts of the AI SDK from an engine: generateText(), streamText(), usage, reasoning.
import { expect, test } from "vitest";
import { bundledModel } from "../../src/index.js";
import { all, describeVersions } from "../support/integrations/ai-sdk.js";
import { openEngine } from "../support/engine.js";

describeVersions(({ sdk, provider }) => {
  test("generateText() gives text, reasoning, usage and the model's id", async () => {
    const engine = await openEngine([{ reasoning: "Think.", text: "Hello there." }]);
    const given = await sdk.generateText({ model: provider(engine)("default"), prompt: "Hi" });
    const own = await engine.generate("Hi");
    expect([given.text, given.reasoningText, given.finishReason]).toEqual(["Hello there.", "Think.", "stop"]);
    expect([given.response.modelId, given.response.id.startsWith("run-")]).toEqual(["default", true]);
    expect(given.usage.inputTokens).toBe(own.usage.promptTokens);
    expect(given.usage.outputTokens).toBe(own.usage.completionTokens);
    expect(own.usage.reasoningTokens).toBeGreaterThan(0);
    expect(given.usage.outputTokenDetails).toMatchObject({ reasoningTokens: own.usage.reasoningTokens });
  });

  test("the second call with the same prompt counts cached tokens", async () => {
    const model = provider(await openEngine(["Hello there."]))();
    const first = await sdk.generateText({ model, prompt: "Hi" });
    const second = await sdk.generateText({ model, prompt: "Hi" });
    expect(first.usage.inputTokenDetails.cacheReadTokens).toBe(0);
    const { cacheReadTokens = 0, noCacheTokens = 0 } = second.usage.inputTokenDetails;
    expect(cacheReadTokens).toBeGreaterThan(0);
    expect(cacheReadTokens + noCacheTokens).toBe(second.usage.inputTokens);
  });

  test("streamText() streams reasoning and text token by token, each between its start and end", async () => {
    const engine = await openEngine([{ reasoning: "Think.", text: "One two three." }]);
    const { fullStream } = sdk.streamText({ model: provider(engine)("default"), prompt: "Count" });
    const parts = await all(fullStream);
    const deltas = (type: string): string[] =>
      parts.flatMap((part) => (part.type === type ? [(part as { text: string }).text] : []));
    expect(deltas("text-delta").join("")).toBe("One two three.");
    expect(deltas("text-delta").length).toBeGreaterThan(2);
    expect(deltas("reasoning-delta").join("")).toBe("Think.");
    const order = parts.map(({ type }) => type).filter((type, i, types) => type !== types[i - 1]);
    expect(order.slice(2, -2)).toEqual([
      "reasoning-start",
      "reasoning-delta",
      "reasoning-end",
      "text-start",
      "text-delta",
      "text-end",
    ]);
  });

  test("the settings of a call are those of generate()", async () => {
    const engine = await openEngine(["One two three. Four."]);
    const seen: object[] = [];
    engine.hooks.on("preGenerate", ({ params }) => void seen.push(params));
    const call = { temperature: 0.5, topP: 0.4, topK: 3, presencePenalty: 0.1, frequencyPenalty: 0.2, seed: 7 };
    const { text, finishReason, warnings } = await sdk.generateText({
      model: provider(engine)(),
      prompt: "Count",
      maxOutputTokens: 50,
      stopSequences: [" three"],
      ...call,
    });
    expect([text, finishReason, warnings ?? []]).toEqual(["One two", "stop", []]);
    expect(seen).toMatchObject([{ ...call, maxTokens: 50, stop: [" three"] }]);
  });

  test("an answer that is cut off ends with length", async () => {
    const model = provider(await openEngine(["One two three four five."]))();
    const { finishReason } = await sdk.generateText({ model, prompt: "Count", maxOutputTokens: 2 });
    expect(finishReason).toBe("length");
  });

  test("the bundled model calls a tool and answers with its result", async () => {
    const engine = await openEngine([], { model: bundledModel });
    const asked: string[] = [];
    const calculator = sdk.tool({
      description: "Evaluates an arithmetic expression.",
      inputSchema: sdk.jsonSchema<{ expression: string }>({
        type: "object",
        properties: { expression: { type: "string" } },
        required: ["expression"],
      }),
      execute: ({ expression }) => {
        asked.push(expression);
        return "84";
      },
    });
    const { text, steps } = await sdk.generateText({
      model: provider(engine)(),
      prompt: "What is 12 * 7?",
      tools: { calculator },
      temperature: 0,
      maxOutputTokens: 128,
      stopWhen: sdk.stepCountIs(3),
    });
    expect([asked, steps.length]).toEqual([["12 * 7"], 2]);
    expect(text).toContain("84");
  });
});
