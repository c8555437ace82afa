// A separate file: what goes wrong here would end the process.
import { expect, test } from "vitest";
import { openEngine } from "../support/engine.js";
import { templateSource } from "../support/templates/template-files.js";

const weather = { name: "weather", parameters: { type: "object" } };
const nested = `${"[".repeat(5000)}${"]".repeat(5000)}`;
const call = `<tool_call>\n{"name": "weather", "arguments": {"city": ${nested}}}\n</tool_call>`;

test("a tool call that a model nests without end stays text, is reported, and the next call works", async () => {
  // With this template llama.cpp has no grammar for calls: the model may write what it likes.
  const chatTemplate = templateSource("meta-llama-Llama-3.1-8B-Instruct");
  const pieces = [`{"name": "weather", "parameters": {"city": `, ...(nested.match(/.{100}/gu) ?? []), "}}"];
  const engine = await openEngine([{ pieces }], { chatTemplate });
  const errors: string[] = [];
  engine.hooks.on("error", ({ code }) => void errors.push(code));
  const { text, toolCalls } = await engine.generate("Weather?", { tools: [weather], temperature: 0 });
  expect(toolCalls).toEqual([]);
  expect(text).toContain(nested);
  expect(errors).toEqual(["OUTPUT_TOO_DEEP"]);
  expect((await engine.generate("Hi", { maxTokens: 1 })).finishReason).toBe("length");
});

test.each(["preGenerate", "postGenerate"] as const)("a nested tool call of a %s hook stays text", async (point) => {
  const engine = await openEngine(["Fine.", "Fine."]);
  const hook = engine.hooks.on(point, () => (point === "preGenerate" ? { response: call } : { content: call }));
  const result = await engine.generate("Weather?", { tools: [weather] });
  expect([result.text, result.toolCalls]).toEqual([call, []]);
  hook.dispose();
  expect((await engine.generate("Weather?", { tools: [weather] })).text).toBe("Fine.");
});
