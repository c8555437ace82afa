// Tools of the AI SDK with an engine: loops of several steps, what the model receives, choices.
import { expect, test } from "vitest";
import type { Message } from "../../src/index.js";
import { all, describeVersions } from "../support/integrations/ai-sdk.js";
import { openEngine } from "../support/engine.js";

const call = (city: string) => ({ name: "weather", args: { city } });
const script = [{ text: "I look. ", toolCalls: [call("Oslo"), call("Rome")] }, "Cold and warm."];

describeVersions(({ sdk, provider }) => {
  const weather = (asked: string[], execute: (city: string) => unknown = (city) => ({ in: city })) =>
    sdk.tool({
      description: "Weather in a city",
      inputSchema: sdk.jsonSchema<{ city: string }>({
        type: "object",
        properties: { city: { type: "string" } },
        required: ["city"],
        additionalProperties: false,
      }),
      execute: ({ city }) => {
        asked.push(city);
        return execute(city);
      },
    });

  const toolTexts = (messages: readonly Message[]): string[] =>
    messages.filter(({ role }) => role === "tool").map(({ content }) => content);

  test("generateText() runs the calls and continues with their results", async () => {
    const engine = await openEngine(script);
    const seen: Message[][] = [];
    engine.hooks.on("preGenerate", ({ messages }) => void seen.push([...messages]));
    const asked: string[] = [];
    const { text, steps } = await sdk.generateText({
      model: provider(engine)(),
      system: "Be brief.",
      prompt: "Weather?",
      tools: { weather: weather(asked) },
      stopWhen: sdk.stepCountIs(3),
    });
    expect([text, asked]).toEqual(["Cold and warm.", ["Oslo", "Rome"]]);
    expect(steps.map(({ finishReason }) => finishReason)).toEqual(["tool-calls", "stop"]);
    const ids = steps[0]?.toolCalls.map(({ toolCallId }) => toolCallId) ?? [];
    expect(seen[1]).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Weather?" },
      {
        role: "assistant",
        content: "I look. ",
        toolCalls: [
          { id: ids[0], ...call("Oslo") },
          { id: ids[1], ...call("Rome") },
        ],
      },
      { role: "tool", content: '{"in":"Oslo"}', toolCallId: ids[0], toolName: "weather" },
      { role: "tool", content: '{"in":"Rome"}', toolCallId: ids[1], toolName: "weather" },
    ]);
  });

  test("streamText() streams the arguments of each call, whose pieces make the call's input", async () => {
    const engine = await openEngine(script);
    const asked: string[] = [];
    const { fullStream } = sdk.streamText({
      model: provider(engine)(),
      prompt: "Weather?",
      tools: { weather: weather(asked) },
      stopWhen: sdk.stepCountIs(3),
    });
    const parts = (await all(fullStream)) as { type: string; id?: string; delta?: string; input?: object }[];
    expect(asked).toEqual(["Oslo", "Rome"]);
    const inputs = parts
      .filter(({ type }) => type === "tool-input-start")
      .map(({ id }) =>
        parts.flatMap((part) => (part.type === "tool-input-delta" && part.id === id ? [part.delta] : [])).join(""),
      );
    expect(inputs.map((json) => JSON.parse(json) as object)).toEqual([{ city: "Oslo" }, { city: "Rome" }]);
    expect(parts.filter(({ type }) => type === "tool-call").map(({ input }) => input)).toEqual([
      { city: "Oslo" },
      { city: "Rome" },
    ]);
    const count = (type: string): number => parts.filter((part) => part.type === type).length;
    expect([count("tool-input-start"), count("tool-input-end"), count("error")]).toEqual([2, 2, 0]);
  });

  test("the model learns that a tool failed", async () => {
    const engine = await openEngine(script);
    const seen: string[][] = [];
    engine.hooks.on("preGenerate", ({ messages }) => void seen.push(toolTexts(messages)));
    const fails = (city: string): string => {
      if (city === "Rome") throw new Error("no data");
      return "cold";
    };
    const tools = { weather: weather([], fails) };
    await sdk.generateText({ model: provider(engine)(), prompt: "?", tools, stopWhen: sdk.stepCountIs(3) });
    expect(seen).toEqual([[], ["cold", expect.stringMatching(/^error: (?:Error: )?no data$/)]]);
  });

  test("toolChoice requires, names and forbids calls", async () => {
    const engine = await openEngine([{ toolCalls: [call("Oslo")] }]);
    const seen: unknown[] = [];
    engine.hooks.on("preGenerate", ({ params }) => void seen.push(params.toolChoice));
    const base = { model: provider(engine)(), prompt: "?", tools: { weather: weather([]) } };
    const required = await sdk.generateText({ ...base, toolChoice: "required" });
    const named = await sdk.generateText({ ...base, toolChoice: { type: "tool", toolName: "weather" } });
    const none = await sdk.generateText({ ...base, toolChoice: "none" });
    expect(seen).toEqual(["required", { tool: "weather" }, "none"]);
    expect([required, named, none].map(({ toolCalls }) => toolCalls.length)).toEqual([1, 1, 0]);
  });

  test("a provider's own tool is a warning", async () => {
    const engine = await openEngine(["Hello."]);
    const model = provider(engine)();
    const search = { type: "provider" as const, id: "other.search" as const, name: "search", args: {} };
    const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }];
    const { content, warnings } = await model.doGenerate({ prompt, tools: [search], toolChoice: { type: "auto" } });
    expect(content).toEqual([{ type: "text", text: "Hello." }]);
    expect(warnings).toMatchObject([{ type: "unsupported", feature: "provider tool other.search" }]);
  });
});
