import { expect, test } from "vitest";
import { tool } from "../../src/index.js";
import { openEngine, unwilling } from "../support/engine.js";

const weather = {
  name: "weather",
  description: "The weather in a city.",
  parameters: {
    type: "object",
    properties: { city: { type: "string" }, days: { type: "integer" } },
    required: ["city"],
  },
};
const clock = { name: "clock", description: "The time." };
const call = (city: string) => ({ name: "weather", args: { city } });

test("a tool call comes with name, arguments and an id, and is not text", async () => {
  const engine = await openEngine([{ toolCalls: [{ name: "weather", args: { city: "Zürich", days: 3 } }] }]);
  const result = await engine.generate("Weather in Zürich?", { tools: [weather] });
  expect(result.toolCalls).toEqual([{ id: expect.any(String), name: "weather", args: { city: "Zürich", days: 3 } }]);
  expect(result.toolCalls[0]?.id).not.toBe("");
  expect([result.text, result.finishReason]).toEqual(["", "stop"]);
});

test("several tool calls in one message keep their order and have ids of their own", async () => {
  const engine = await openEngine([{ toolCalls: [call("Oslo"), call("Rome"), { name: "clock", args: {} }] }]);
  const { toolCalls } = await engine.generate("Compare", { tools: [weather, clock] });
  expect(toolCalls.map(({ name, args }) => [name, args])).toEqual([
    ["weather", { city: "Oslo" }],
    ["weather", { city: "Rome" }],
    ["clock", {}],
  ]);
  expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(3);
});

test("ids of calls and runs never come again, in another engine either", async () => {
  const ids: string[] = [];
  for (let time = 0; time < 2; time++) {
    const engine = await openEngine([{ toolCalls: [call("Oslo"), call("Rome")] }]);
    for (let again = 0; again < 2; again++) {
      const { runId, toolCalls } = await engine.generate("Weather?", { tools: [weather] });
      ids.push(runId, ...toolCalls.map(({ id }) => id ?? ""));
    }
  }
  expect(ids).not.toContain("");
  expect(new Set(ids).size).toBe(12);
});

test("a call that came without an id gets one that no other call of the conversation brought", async () => {
  const engine = await openEngine(["Fine."]);
  const shown: (string | undefined)[][] = [];
  engine.hooks.on("preGenerate", ({ messages }) => {
    shown.push(messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id)));
  });
  const messages = [
    { role: "user" as const, content: "Weather?" },
    { role: "assistant" as const, content: "", toolCalls: [call("Oslo"), call("Rome")] },
    { role: "tool" as const, content: "rain", toolCallId: "call_2" },
    { role: "assistant" as const, content: "", toolCalls: [{ ...call("Bonn"), id: "call_1" }] },
    { role: "tool" as const, content: "sun", toolCallId: "call_1" },
  ];
  await engine.generate(messages, { tools: [weather] });
  await engine.generate(messages, { tools: [weather] });
  const [first = [], second] = shown;
  expect(new Set(first).size).toBe(3);
  expect(first).not.toContain(undefined);
  expect([first[2], second]).toEqual(["call_1", first]);
});

test("reasoning, text and a tool call of one message are separated", async () => {
  const engine = await openEngine([{ reasoning: "I must look.", text: "Let me see.", toolCalls: [call("Oslo")] }]);
  const generation = engine.generate("Weather?", { tools: [weather] });
  const streamed: Record<string, string> = {};
  for await (const event of generation) {
    if (event.type === "token") streamed[event.kind] = (streamed[event.kind] ?? "") + event.text;
  }
  const result = await generation;
  expect([result.reasoning, result.text]).toEqual(["I must look.", "Let me see."]);
  expect(result.toolCalls).toMatchObject([call("Oslo")]);
  expect(streamed).toMatchObject({ reasoning: "I must look.", content: "Let me see." });
  expect(streamed["tool_call"]).toContain('"city": "Oslo"');
  expect(result.messages).toEqual([
    { role: "assistant", content: "Let me see.", reasoning: "I must look.", toolCalls: result.toolCalls },
  ]);
});

test("argument keys are the tool's own: they are not changed on the way", async () => {
  const args = { snake_case: 1, camelCase: { inner_key: [true, null] }, "with space": "x" };
  const engine = await openEngine([{ toolCalls: [{ name: "keys", args }] }]);
  const parameters = {
    type: "object",
    properties: { snake_case: { type: "integer" }, camelCase: { type: "object" }, "with space": { type: "string" } },
  };
  const { toolCalls, messages } = await engine.generate("Go", { tools: [{ name: "keys", parameters }] });
  expect(toolCalls[0]?.args).toEqual(args);
  expect(messages[0]?.toolCalls?.[0]?.args).toEqual(args);
});

test("a tool made with tool() can be offered as it is", async () => {
  const engine = await openEngine([{ toolCalls: [call("Oslo")] }]);
  const made = tool({ ...weather, run: ({ city }) => `rain in ${String(city)}` });
  expect((await engine.generate("Weather?", { tools: [made] })).toolCalls).toMatchObject([call("Oslo")]);
});

test.each([
  ["cout", "<<", " x", ";"],
  ["1", " <", "<", " 3"],
  ["[[", "Page", "]]", " please"],
  ["a", "<", "tool", "_shed", ">", " b", "{", "}", "\n", "c"],
])("text that looks like the beginning of a call is streamed whole: %j", async (...pieces) => {
  const engine = await openEngine([{ pieces }]);
  const generation = engine.generate("Weather?", { tools: [weather] });
  let streamed = "";
  for await (const event of generation) {
    expect(event.type).not.toBe("replaced");
    if (event.type === "token") streamed += event.text;
  }
  expect(streamed).toBe(pieces.join(""));
  expect((await generation).text).toBe(pieces.join(""));
});

test("the model sees the tools", async () => {
  const engine = await openEngine(["Fine."]);
  const messages = [{ role: "user" as const, content: "Weather?" }];
  const prompt = await engine.models.renderPrompt(undefined, { messages, tools: [weather, clock] });
  for (const word of ["weather", "The weather in a city.", "city", "clock"]) expect(prompt).toContain(word);
});

test("a model that does not need its tools just answers", async () => {
  const engine = await openEngine(["It always rains."]);
  const { text, toolCalls } = await engine.generate("Weather?", { tools: [weather] });
  expect([text, toolCalls]).toEqual(["It always rains.", []]);
});

test("toolChoice none gives no tool call, whatever the model writes", async () => {
  const engine = await openEngine([{ text: "No.", toolCalls: [call("Oslo")] }]);
  const { text, toolCalls } = await engine.generate("Weather?", { tools: [weather], toolChoice: "none" });
  expect(toolCalls).toEqual([]);
  expect(text).toMatch(/^No\./);
});

test("toolChoice required gives the tool call of a model that calls one", async () => {
  const engine = await openEngine([{ toolCalls: [call("Oslo")] }]);
  const { toolCalls } = await engine.generate("Weather?", { tools: [weather], toolChoice: "required" });
  expect(toolCalls).toMatchObject([call("Oslo")]);
});

test("with toolChoice required a reply does not end before a tool was called", async () => {
  const engine = await openEngine(unwilling("I would rather talk."));
  const { finishReason } = await engine.generate("Time?", { tools: [clock], toolChoice: "required", maxTokens: 40 });
  expect(finishReason).toBe("length");
});

test("a tool call whose arguments maxTokens cuts off is not a tool call", async () => {
  const engine = await openEngine([{ text: "Wait.", toolCalls: [call("Oslo"), call("Rome")] }]);
  const whole = await engine.generate("Weather?", { tools: [weather] });
  const counts = new Set<number>();
  for (let maxTokens = 1; maxTokens < whole.usage.completionTokens; maxTokens++) {
    const cut = await engine.generate("Weather?", { tools: [weather], maxTokens });
    expect(cut.finishReason).toBe("length");
    expect(cut.toolCalls.map(({ args }) => args)).toEqual(
      whole.toolCalls.slice(0, cut.toolCalls.length).map(({ args }) => args),
    );
    expect(cut.messages[0]?.toolCalls ?? []).toEqual(cut.toolCalls);
    counts.add(cut.toolCalls.length);
  }
  expect([...counts]).toEqual([0, 1, 2]);
});

test("a tool call that is cancelled halfway is not a tool call", async () => {
  const engine = await openEngine([{ text: "Wait.", toolCalls: [call("Oslo")] }]);
  const stop = new AbortController();
  engine.hooks.on("streamToken", ({ kind }) => {
    if (kind === "tool_call") stop.abort();
  });
  const result = await engine.generate("Weather?", { tools: [weather], signal: stop.signal });
  expect([result.finishReason, result.text, result.toolCalls]).toEqual(["cancelled", "Wait.", []]);
});

test("the calls of a cancelled message get a result each, so that the conversation can go on", async () => {
  const engine = await openEngine([{ toolCalls: [call("Oslo"), call("Rome")] }, "Fine."]);
  const stop = new AbortController();
  let callText = "";
  engine.hooks.on("streamToken", ({ kind, text }) => {
    if (kind === "tool_call") callText += text;
    if (callText.includes("Rome")) stop.abort("changed my mind");
  });
  const user = { role: "user" as const, content: "Weather?" };
  const { finishReason, toolCalls, messages } = await engine.generate([user], {
    tools: [weather],
    signal: stop.signal,
  });
  expect(finishReason).toBe("cancelled");
  expect(toolCalls).toMatchObject([call("Oslo")]);
  expect(messages.slice(1)).toEqual([
    { role: "tool", content: "not run: changed my mind", toolCallId: toolCalls[0]?.id, toolName: "weather" },
  ]);
  expect((await engine.generate([user, ...messages, user], { tools: [weather] })).text).toBe("Fine.");
});
