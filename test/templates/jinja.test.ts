// What llama.cpp's interpreter of templates stops at, or prints differently, is rendered as Jinja2 3.1.6 renders it. The
// expected texts are Jinja2's.
import { expect, test } from "vitest";
import type { Engine, Message } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { templateSource } from "../support/templates/template-files.js";

const ask: Message = { role: "user", content: "Lookup." };
const engineOf = (template: string): Promise<Engine> =>
  openEngine(
    { replies: ["Fine."], chatTemplate: templateSource(template), contextLength: 8192 },
    { contextSize: 8192 },
  );
const toolWith = (key: unknown) => ({
  name: "lookup",
  description: "Looks up.",
  parameters: { type: "object", properties: { key } },
});

test.each([
  ["openai-gpt-oss-120b", { type: "array", description: "x" }, "// x\nkey?: any[],\n"],
  ["openai-gpt-oss-120b", { type: "array", items: { type: "array" } }, "key?: any[][],\n"],
  ["openai-gpt-oss-120b", { type: ["string", "null"], description: "x" }, "// x\nkey?: string | null,\n"],
  [
    "openai-gpt-oss-120b",
    { type: "object", properties: { inner: { type: "array" } } },
    "inner?: \n                any[]},\n",
  ],
  ["Apertus-8B-Instruct", { type: "array", description: "x" }, "// x\nkey?: any[]\n"],
  ["ByteDance-Seed-OSS", { description: "x" }, "- key (Any) [选填]: x"],
  ["ByteDance-Seed-OSS", {}, "- key (Any) [选填]: \n"],
  ["ByteDance-Seed-OSS", { enum: ["a", "b"] }, "- key (Any) [选填]: \n"],
  ["ByteDance-Seed-OSS", { const: "a" }, "- key (Any) [选填]: \n"],
  ["ByteDance-Seed-OSS", { type: ["string", "null"], description: "x" }, "- key (Any) [选填]: x"],
  ["ByteDance-Seed-OSS", { anyOf: [{ type: "string" }, { type: "null" }], default: null }, "- key (Any) [选填]: \n"],
  ["ByteDance-Seed-OSS", { type: "string", description: "x" }, "- key (str) [选填]: x"],
  ["GigaChat3.1-10B-A1.8B", { type: ["string", "null"], description: "x" }, "  // x\n  key?: any,\n"],
] as const)("%s renders a parameter %j", async (name, schema, expected) => {
  const engine = await engineOf(name);
  const tool = toolWith(schema);
  expect(await engine.models.renderPrompt(undefined, { messages: [ask], tools: [tool] })).toContain(expected);
  // The grammar of calls still knows the schema.
  expect((await engine.generate([ask], { tools: [tool], toolChoice: "none" })).finishReason).toBe("stop");
  expect((await engine.generate([ask], { tools: [tool] })).finishReason).toBe("stop");
});

test("a schema that a template renders is not changed by one that it does not", async () => {
  const engine = await engineOf("openai-gpt-oss-120b");
  const tool = toolWith({ type: ["string", "null"] });
  const render = () => engine.models.renderPrompt(undefined, { messages: [ask], tools: [tool] });
  const before = await render();
  await engine.models.renderPrompt(undefined, { messages: [ask], tools: [toolWith({ type: "array" })] });
  expect(await render()).toBe(before);
});

const wrapped = (depth: number): object =>
  depth === 0
    ? { type: ["string", "null"] }
    : { type: ["object", "array", "null"], properties: { a: wrapped(depth - 1) }, items: wrapped(0) };

test.each(["NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use", "NousResearch-Hermes-3-Llama-3.1-8B-tool_use"])(
  "%s: lists of types within each other are written once",
  async (name) => {
    const engine = await engineOf(name);
    const render = async (depth: number): Promise<number> =>
      (await engine.models.renderPrompt(undefined, { messages: [ask], tools: [toolWith(wrapped(depth))] })).length;
    const step = (await render(2)) - (await render(1));
    expect((await render(5)) - (await render(4))).toBeLessThan(1.5 * step);
  },
);

/** A conversation with a call with these arguments. */
const called = (args: Record<string, unknown>): readonly Message[] => [
  ask,
  { role: "assistant", content: "", toolCalls: [{ id: "call00001", name: "lookup", args }] },
  { role: "tool", content: "found", toolCallId: "call00001", toolName: "lookup" },
];

test.each([
  [["a", "b"], "['a', 'b']"],
  [[1, 2, 3], "[1, 2, 3]"],
  [[], "[]"],
  [{}, "{}"],
  [{ a: 1, b: "x" }, "{'a': 1, 'b': 'x'}"],
  [{ a: [{ b: null, c: [true, false] }] }, "{'a': [{'b': None, 'c': [True, False]}]}"],
  [["it's", 'a "q"', "both ' and \"", "line\n\t\\"], String.raw`["it's", 'a "q"', 'both \' and "', 'line\n\t\\']`],
  [["a\u0001\u007f\u0085\u00a0\u00adé\u00c0"], String.raw`['a\x01\x7f\x85\xa0\xadéÀ']`],
  [null, "None"],
  ["null [text] {as} it is", "null [text] {as} it is"],
  [true, "True"],
  [3, "3"],
] as const)("MiniCPM5 reads the past argument %j as Python prints it", async (value, expected) => {
  const engine = await engineOf("openbmb-MiniCPM5-1B");
  const prompt = await engine.models.renderPrompt(undefined, { messages: called({ key: value }) });
  expect(prompt).toContain(`<param name="key">${expected}</param>`);
});

test.each([
  ["openbmb-MiniCPM5-1B", 1e-7, '<param name="key">1e-07</param>'],
  ["openbmb-MiniCPM5-1B", 1e21, '<param name="key">1e+21</param>'],
  ["openbmb-MiniCPM5-1B", 0.1234567, '<param name="key">0.1234567</param>'],
  ["openbmb-MiniCPM5-1B", 1.5, '<param name="key">1.5</param>'],
  ["MiniMax-M3", 1e-7, "<key>1e-07]<]minimax[>[</key>"],
  ["muse-glimmer", 0.1234567, '<atem:parameter name="key">0.1234567</atem:parameter>'],
  ["google-gemma-4-31B-it", 1e-7, "{key:1e-07}"],
  ["google-gemma-4-31B-it", null, "{key:None}"],
  ["google-gemma-4-31B-it", { a: [null, 2.5] }, "{key:{a:[None,2.5]}}"],
] as const)("%s prints the past argument %j as Jinja2 does: %s", async (name, value, expected) => {
  const engine = await engineOf(name);
  expect(await engine.models.renderPrompt(undefined, { messages: called({ key: value }) })).toContain(expected);
});

test.each(["Qwen3-Coder", "meta-llama-Llama-3.1-8B-Instruct", "GLM-4.6", "openai-gpt-oss-120b"])(
  "%s writes past arguments in its own form",
  async (name) => {
    const engine = await engineOf(name);
    const prompt = await engine.models.renderPrompt(undefined, { messages: called({ key: ["a", { b: null }] }) });
    expect(prompt).toContain('["a", {"b": null}]');
    expect(engine.models.describe("default").folds).not.toContain("nested_arguments");
  },
);
