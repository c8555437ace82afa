// Numbers in prompts are those that Jinja2 prints: Python's.
import { expect, test } from "vitest";
import type { Message } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { templateNames, templateSource } from "../support/templates/template-files.js";

/** `repr(json.loads(text))` of Python 3.11, where `text` is the number as JavaScript writes it in JSON. */
const printed: readonly (readonly [number, string])[] = [
  [1e15, "1000000000000000"],
  [1234567890123456.5, "1234567890123456.5"],
  [1732885245.123, "1732885245.123"],
  [59.9138688, "59.9138688"],
  [1e16, "10000000000000000"],
  [123456789012345680, "123456789012345680"],
  [1e20, "100000000000000000000"],
  [1e21, "1e+21"],
  [1e22, "1e+22"],
  [1e-4, "0.0001"],
  [1e-5, "1e-05"],
  [1.5e-5, "1.5e-05"],
  [-0, "0"],
  [-1.5, "-1.5"],
  [2, "2"],
  [2 ** 63, "9223372036854776000"],
  [-(2 ** 63), "-9223372036854776000"],
  [2 ** 64, "18446744073709552000"],
  [Number("123456789012345678901234567890"), "1.2345678901234568e+29"],
  [0.1, "0.1"],
  [0.1 + 0.2, "0.30000000000000004"],
  [5e-324, "5e-324"],
  [2.2250738585072014e-308, "2.2250738585072014e-308"],
  [1.7976931348623157e308, "1.7976931348623157e+308"],
];

const called = (args: Record<string, unknown>): readonly Message[] => [
  { role: "user", content: "Lookup." },
  { role: "assistant", content: "", toolCalls: [{ id: "call00001", name: "lookup", args }] },
  { role: "tool", content: "found", toolCallId: "call00001", toolName: "lookup" },
];
const render = async (chatTemplate: string, messages: readonly Message[]): Promise<string> => {
  const engine = await openEngine({ replies: ["Fine."], chatTemplate, contextLength: 8192 }, { contextSize: 8192 });
  return await engine.models.renderPrompt(undefined, { messages });
};

test.each(templateNames)("%s prints the numbers of past arguments as Python does", async (name) => {
  const args = Object.fromEntries(printed.map(([value], i) => [`key_${String.fromCodePoint(97 + i)}`, value]));
  const nested = { list: [3.1234567], object: { member: 4.1234567 } };
  const prompt = await render(templateSource(name), called({ ...args, ...nested }));
  const numbers = prompt.match(/(?<![\w.+-])-?\d+(?:\.\d+)?(?:e[+-]\d+)?(?![\w+-]|\.\d)/gu) ?? [];
  // Functionary's template gets arguments as JSON, where llama.cpp reads an integer above 2^63 as a negative one.
  const isText = name.includes("functionary-medium-v3.2");
  const whole = numbers.map((text) => (isText ? text.replace(/^(\d{19})\.0$/u, "$1") : text));
  for (const text of [...printed.map(([, one]) => one), "3.1234567", "4.1234567"]) expect(whole).toContain(text);
  expect(prompt).not.toContain("\uFFFD");
});

/** The text that Jinja2 3.1.6 makes of `{"n": [0.1234567, "1.5"], "x": 1234567890123456.5}` as `a`. */
test.each([
  ["{{ a.x }}", "1234567890123456.5"],
  ["{{ a.x | string }}", "1234567890123456.5"],
  ["{{ '' ~ a.x }}", "1234567890123456.5"],
  ["{{ a.x ~ '' ~ a.x }}", "1234567890123456.51234567890123456.5"],
  ["{{ a.x | tojson }}", "1234567890123456.5"],
  ["{{ a.n | tojson }}", '[0.1234567, "1.5"]'],
  ["{{ a.n | string }}", "[0.1234567, '1.5']"],
  ["{{ a.n | join('\"') }}", '0.1234567"1.5'],
  ["{{ [a, a] | join('+', attribute='x') }}", "1234567890123456.5+1234567890123456.5"],
  ["{{ (a.x, 2) | string }}", "(1234567890123456.5, 2)"],
  ["{{ '\\\\ufffd\\\\ufffd1.5\\\\ufffd\\\\ufffd' | string }}", "\\ufffd\\ufffd1.5\\ufffd\\ufffd"],
  ["{{ a | tojson(ensure_ascii=true) }}", '{"n": [0.1234567, "1.5"], "x": 1234567890123456.5}'],
  ["{{ a | tojson(separators=(',', ':')) }}", '{"n":[0.1234567,"1.5"],"x":1234567890123456.5}'],
  ["{{ a.n | tojson(indent=1) }}", '[\n 0.1234567,\n "1.5"\n]'],
  ["{% set n = a.n[0] %}{{ n is number }}{{ n is string }}{{ n > 0.1 }}", "TrueFalseTrue"],
  ["{% set t = a | tojson %}{{ t | length }}", "50"],
  ["{{ 100000000.5 }}{{ 3 / 2 }}", "100000000.51.5"],
] as const)("%s is %s", async (source, expected) => {
  const call = "{% set a = c.function.arguments %}{{ c.function.name }}{{ a | tojson }}{% if a.x is defined %}";
  const calls = `{% for c in m.tool_calls or [] %}${call}<<${source}>>{% endif %}{% endfor %}`;
  const template = `{% for m in messages %}{{ m.role }}: {{ m.content }}${calls}\n{% endfor %}assistant:`;
  const prompt = await render(template, called({ n: [0.1234567, "1.5"], x: 1234567890123456.5 }));
  expect(prompt.match(/<<(.*)>>/su)?.[1]).toBe(expected);
});

test.each(["\uFFFD\uFFFD1.5\uFFFD", "\\ufffd\\ufffd1.5\\ufffd\\ufffd", "1.5", "\u00FF\u00FF1\u00FF\u00FF"])(
  "a text %j stays one",
  async (text) => {
    const prompt = await render(templateSource("Qwen3-Coder"), called({ key: [0.5, text] }));
    expect(prompt).toContain(`[0.5, ${JSON.stringify(text)}]`);
  },
);

test("a tool's schema has its numbers whole", async () => {
  const engine = await openEngine({ replies: ["Fine."], chatTemplate: templateSource("Qwen3.5-4B") });
  const price = { type: "number", multipleOf: 0.0000001, maximum: 1234567890123456.5, default: 0.1234567 };
  const id = { type: "integer", maximum: 2 ** 63 };
  const tool = { name: "pay", description: "Pays.", parameters: { type: "object", properties: { price, id } } };
  const messages: readonly Message[] = [{ role: "user", content: "Pay." }];
  const prompt = await engine.models.renderPrompt(undefined, { messages, tools: [tool] });
  expect(prompt).toContain('"multipleOf": 1e-07, "maximum": 1234567890123456.5, "default": 0.1234567');
  expect(prompt).toContain('"maximum": 9223372036854776000}');
  expect((await engine.generate(messages, { tools: [tool] })).finishReason).toBe("stop");
});
