import { expect, test } from "vitest";
import type { Engine, GenerateOptions } from "../../src/index.js";
import { openEngine, rejection, unwilling } from "../support/engine.js";

const weather = {
  name: "weather",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const clock = { name: "clock", parameters: { type: "object", properties: {} } };
const tools = [weather, clock];
const oslo = { name: "weather", args: { city: "Oslo" } };
const place = {
  type: "object",
  properties: { place: { type: "string" }, certain: { type: "boolean" } },
  required: ["place", "certain"],
  additionalProperties: false,
};

/** The prompt that a call gets. */
async function promptOf(engine: Engine, options: GenerateOptions): Promise<string> {
  return engine.models.renderPrompt(undefined, {
    messages: [{ role: "user", content: "Go" }],
    tools: options.tools ?? [],
    ...(options.toolChoice === undefined ? {} : { toolChoice: options.toolChoice }),
  });
}

test("a named tool is called, whatever the model would rather write, and the prompt stays the same", async () => {
  const engine = await openEngine(unwilling({ toolCalls: [oslo] }));
  const asked = { tools, toolChoice: { tool: "clock" } } as const;
  const { toolCalls } = await engine.generate("Go", { ...asked, temperature: 0 });
  expect(toolCalls).toMatchObject([{ name: "clock", args: {} }]);
  expect(await promptOf(engine, asked)).toBe(await promptOf(engine, { tools }));
});

test("the prefix stays cached from one choice to another", async () => {
  const engine = await openEngine([{ toolCalls: [oslo] }], { parallel: 1 });
  const first = await engine.generate("Weather?", { tools });
  const second = await engine.generate("Weather?", { tools, toolChoice: { tool: "weather" } });
  expect(second.usage.cachedTokens).toBe(first.usage.promptTokens - 1);
});

test("a tool that is not there cannot be chosen: the error names it and those that are", async () => {
  const engine = await openEngine(["Never."]);
  const wrong = { code: "INVALID_ARGUMENT" };
  expect(await rejection(engine.generate("Go", { tools, toolChoice: { tool: "map" } }))).toMatchObject({
    ...wrong,
    message: 'params.toolChoice names the tool "map", and there are: weather, clock',
  });
  expect(await rejection(engine.generate("Go", { toolChoice: { tool: "map" } }))).toMatchObject({
    ...wrong,
    message: 'params.toolChoice names the tool "map", and there are no tools',
  });
});

test("without tools no call can be required: in a generation, a raw prompt, a run, or after a hook took the tools", async () => {
  const engine = await openEngine(["Never."]);
  const wrong = {
    code: "INVALID_ARGUMENT",
    message: "params.toolChoice requires a call of a tool, and there are no tools",
  };
  const required = { toolChoice: "required" } as const;
  expect(await rejection(engine.generate("Go", required))).toMatchObject(wrong);
  expect(await rejection(engine.generate("Go", { ...required, tools: [] }))).toMatchObject(wrong);
  expect(await rejection(engine.generate("Go", { ...required, raw: true }))).toMatchObject(wrong);
  const session = engine.session();
  expect(await rejection(session.run("Go", required))).toMatchObject(wrong);
  expect(await rejection(engine.session(required).run("Go"))).toMatchObject(wrong);
  engine.hooks.on("preGenerate", () => ({ tools: [] }));
  expect(await rejection(engine.generate("Go", { ...required, tools }))).toMatchObject(wrong);
});

test("with parallelToolCalls false a message ends where a second call begins", async () => {
  const rome = { name: "weather", args: { city: "Rome" } };
  const engine = await openEngine([{ text: "Both.", toolCalls: [oslo, rome] }]);
  const generation = engine.generate("Compare", { tools, parallelToolCalls: false });
  const indexes = new Set<number>();
  for await (const event of generation) if (event.type === "toolCallDelta") indexes.add(event.index);
  const { text, toolCalls, finishReason, messages } = await generation;
  expect(toolCalls).toMatchObject([oslo]);
  expect([text, finishReason, [...indexes]]).toEqual(["Both.", "stop", [0]]);
  expect(messages[0]?.toolCalls).toEqual(toolCalls);
  expect((await engine.generate("Compare", { tools })).toolCalls).toMatchObject([oslo, rome]);
});

test("with tools and a schema a message is either a call or an answer by the schema", async () => {
  const answer = '{"place": "Oslo", "certain": true}';
  const engine = await openEngine([{ toolCalls: [oslo] }, answer]);
  const options = { tools, jsonSchema: place, temperature: 0 };
  const call = await engine.generate("Where?", options);
  expect([call.text, call.toolCalls]).toMatchObject(["", [oslo]]);
  const asked = [
    { role: "user", content: "Where?" },
    { role: "assistant", content: "", toolCalls: call.toolCalls },
    { role: "tool", content: "It rains in Oslo.", toolCallId: call.toolCalls[0]?.id ?? "" },
  ] as const;
  const generation = engine.generate(asked, options);
  let streamed = "";
  for await (const event of generation) if (event.type === "token") streamed += event.text;
  const { text, toolCalls } = await generation;
  expect([text, streamed, toolCalls]).toEqual([answer, answer, []]);
});

test("with tools and a schema the model cannot write anything else", async () => {
  const engine = await openEngine(unwilling("Some words that are neither."));
  // Without strings, in which an unwilling model would write without end.
  const certain = { type: "object", properties: { certain: { type: "boolean" } }, required: ["certain"] };
  const jsonSchema = { ...certain, additionalProperties: false };
  const bounded = { maxTokens: 300, reasoning: false, parallelToolCalls: false };
  for (let seed = 0; seed < 20; seed++) {
    const options = { tools: [clock], jsonSchema, temperature: 5, seed, ...bounded };
    const { text, toolCalls, finishReason } = await engine.generate("Where?", options);
    expect(finishReason).toBe("stop");
    if (toolCalls.length > 0) expect([text, toolCalls]).toMatchObject(["", toolCalls.map(() => ({ name: "clock" }))]);
    else expect(Object.keys(JSON.parse(text) as object)).toEqual(["certain"]);
  }
});

test("with tools that must be called a schema waits for the answer", async () => {
  const engine = await openEngine([{ toolCalls: [oslo] }]);
  for (const toolChoice of ["required", { tool: "weather" }] as const) {
    const { toolCalls } = await engine.generate("Where?", { tools, toolChoice, jsonSchema: place });
    expect(toolCalls).toMatchObject([oslo]);
  }
});

test("a schema that cannot be compiled is named, beside tools, too", async () => {
  const engine = await openEngine(["Never."]);
  const refused = engine.generate("Go", { tools, jsonSchema: { type: "string", pattern: "(" } });
  expect(await rejection(refused)).toMatchObject({ code: "INVALID_SCHEMA" });
});
