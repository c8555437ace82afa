// Text from a hook is text; only declared tool calls in it are parsed.
import { expect, test } from "vitest";
import { openEngine } from "../support/engine.js";
import { templateSource } from "../support/templates/template-files.js";

const weather = {
  name: "weather",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const hermes = '<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>';

// Each lost something of the texts below when they went through the parser for what the model writes.
const templates = [
  "Qwen-Qwen2.5-7B-Instruct",
  "Qwen-Qwen3-0.6B",
  "Qwen-QwQ-32B",
  "meta-llama-Llama-3.1-8B-Instruct",
  "mistralai-Mistral-Nemo-Instruct-2407",
  "CohereForAI-c4ai-command-r7b-12-2024-tool_use",
  "openai-gpt-oss-120b",
  "Reka-Edge",
  "google-gemma-4-31B-it",
  "meetkai-functionary-medium-v3.2",
];

test.each(templates)("with %s, text of hooks stays as it is, with tools and without", async (name) => {
  const engine = await openEngine(["Fine."], { chatTemplate: templateSource(name), contextSize: 8192 });
  const texts = [
    "  two spaces before, one behind ",
    "[redacted]",
    "the weather is {nice} [x] <y>",
    "\n",
    "<think>x</think> y",
  ];
  for (const text of texts) {
    for (const options of [{ tools: [weather] }, {}]) {
      const before = engine.hooks.on("preGenerate", () => ({ response: text }));
      const given = await engine.generate("Weather?", options);
      before.dispose();
      expect([given.text, given.reasoning, given.toolCalls]).toEqual([text, "", []]);
      const after = engine.hooks.on("postGenerate", () => ({ content: text }));
      expect((await engine.generate("Weather?", options)).text).toBe(text);
      after.dispose();
    }
  }
});

test("a declared call in a hook's text is parsed; the text around it stays", async () => {
  const engine = await openEngine(["Fine."]);
  engine.hooks.on("preGenerate", () => ({ response: `  [ok] Let me see. ${hermes}` }));
  const { text, toolCalls } = await engine.generate("Weather?", { tools: [weather] });
  expect(text).toBe("  [ok] Let me see. ");
  expect(toolCalls).toMatchObject([{ name: "weather", args: { city: "Oslo" } }]);
  expect(toolCalls[0]?.id).not.toBe("");
});

test("two calls in a hook's text, and words behind them", async () => {
  const engine = await openEngine(["Fine."]);
  engine.hooks.on("postGenerate", () => ({ content: `${hermes}\n${hermes.replace("Oslo", "Rome")}\nThat is all.` }));
  const { text, toolCalls } = await engine.generate("Weather?", { tools: [weather] });
  expect([text, toolCalls.map(({ args }) => args)]).toEqual(["\nThat is all.", [{ city: "Oslo" }, { city: "Rome" }]]);
});

test("a call of a tool that is not declared is text", async () => {
  const engine = await openEngine(["Fine."]);
  const response = hermes.replace("weather", "shell");
  engine.hooks.on("preGenerate", () => ({ response }));
  for (const options of [{ tools: [weather] }, {}]) {
    expect(await engine.generate("Weather?", options)).toMatchObject({ text: response, toolCalls: [] });
  }
});
