// Nothing that a model writes is lost: all of it is text, reasoning, a call, or a mark of the format.
import { expect, test } from "vitest";
import { openEngine, unwilling } from "../support/engine.js";
import { cityWeather as weather, ordinary, readAnswer as read } from "../support/templates/read-answer.js";
import { chosenTemplates, templateSource } from "../support/templates/template-files.js";

/** How the model ends the reasoning that the prompt opened, and a mark that begins calls. */
const marks: readonly (readonly [template: string, mark: string, closing: string])[] = [
  ["Qwen3.5-4B", "<tool_call>", "\n</think>\n\n"],
  ["Qwen3-Coder", "<tool_call>", ""],
  ["NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "<tool_call>", "\n</think>\n\n"],
  ["StepFun3.5-Flash", "<tool_call>", "\n</think>\n\n"],
  ["google-gemma-4-31B-it", "<|tool_call>", ""],
  ["google-gemma-4-31B-it-interleaved", "<|tool_call>", ""],
  ["mistralai-Ministral-3-14B-Reasoning-2512", "[TOOL_CALLS]", ""],
  ["unsloth-mistral-Devstral-Small-2507", "[TOOL_CALLS]", ""],
  ["GLM-4.6", "<tool_call>", ""],
];

test.each(marks)("%s: a text that names %s is whole", async (template, mark, closing) => {
  const said = `The mark ${mark} begins a call, and ${mark}${mark} two.`;
  const answer = await read(template, ordinary(closing + said), { tools: [weather] });
  expect(answer).toMatchObject({ text: said, streamed: said, calls: [], codes: ["OUTPUT_UNPARSED"] });
  const place = new TextEncoder().encode(closing + "The mark ").length;
  expect(answer.errors[0]?.message).toContain(`behind ${place} bytes`);
  expect(answer.errors[0]?.message).toContain(`${mark} begins a call`);
});

test.each(marks.filter(([, , closing]) => closing !== ""))(
  "%s: an answer behind reasoning that names %s is not lost",
  async (template, mark, closing) => {
    const thought = `I know that ${mark} begins a call.`;
    const answer = await read(template, ordinary(`${thought}${closing}The answer.`), { tools: [weather] });
    expect(answer).toMatchObject({ text: "The answer.", streamed: "The answer.", codes: ["OUTPUT_UNPARSED"] });
    expect(answer.reasoning.trim()).toBe(thought);
  },
);

test("a call behind a mark that is named is a call", async () => {
  const call = "<tool_call>\n<function=weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>";
  const answer = await read("Qwen3-Coder", ordinary(`The mark <tool_call> begins it:\n${call}`), { tools: [weather] });
  expect(answer.calls).toEqual([["weather", { city: "Oslo" }]]);
  expect(answer.text.trim()).toBe("The mark <tool_call> begins it:");
});

test("a character that the model writes as an escape stays one", async () => {
  const city = "a\\u001ab \\u001B \u001c";
  const call = `<tool_call>\n<function=weather>\n<parameter=city>\n${city}\n</parameter>\n</function>\n</tool_call>`;
  for (const lead of ["", "The mark <tool_call> begins it:\n"]) {
    const reply = ordinary(`I look.\n</think>\n\n${lead}${call}`);
    const answer = await read("Qwen3.5-4B", reply, { tools: [weather] });
    expect(answer.calls).toEqual([["weather", { city }]]);
    expect(answer.text.trim()).toBe(lead.trim());
  }
});

test("a text behind a call is text", async () => {
  const call = "<tool_call>\n<function=weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>\n";
  const reply = ordinary(`I look.\n</think>\n\n${call}And now we wait.`);
  const answer = await read("Qwen3.5-4B", reply, { tools: [weather] });
  expect(answer).toMatchObject({ text: "And now we wait.", codes: ["OUTPUT_UNPARSED"] });
  expect(answer.calls).toEqual([["weather", { city: "Oslo" }]]);
});

test.each([
  ["Qwen3-Coder", "One is less: <tool"],
  ["google-gemma-4-31B-it", "1 <"],
  ["Qwen3-Coder", "a <tool_call>"],
])("%s: a text that ends like a mark is whole: %j", async (template, said) => {
  expect(await read(template, ordinary(said), { tools: [weather] })).toMatchObject({ text: said });
});

const oslo = "<tool_call>\n<function=weather>\n<parameter=city>\nOslo";
const rome = "<tool_call>\n<function=weather>\n<parameter=city>\nRome\n</parameter>\n</function>\n</tool_call>";
const both = [
  ["weather", { city: "Oslo" }],
  ["weather", { city: "Rome" }],
];

test.each(["Qwen3-Coder", "Qwen3.5-4B", "NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "StepFun3.5-Flash"])(
  "%s: an argument whose end has no line break swallows no call",
  async (template) => {
    const closing = template === "Qwen3-Coder" ? "" : "I look.\n</think>\n\n";
    for (const end of ["</parameter>\n</function>\n</tool_call>\n", "</parameter></function></tool_call>\n"]) {
      const answer = await read(template, closing + oslo + end + rome, { tools: [weather] });
      expect(answer).toMatchObject({ calls: both, text: "", codes: ["OUTPUT_UNPARSED"] });
    }
  },
);

test("an argument that swallowed what is not a call runs nothing, and is text", async () => {
  const reply = `${oslo}</parameter>\n<parameter=zip>\n1\n</parameter>\n</function>\n</tool_call>`;
  const answer = await read("Qwen3-Coder", reply, { tools: [weather] });
  expect(answer).toMatchObject({ calls: [], text: reply, codes: ["OUTPUT_UNPARSED"] });
});

test("an argument may have the marks of arguments as its text", async () => {
  const city = "<a>\n<parameter>Oslo</parameter>\n</a>";
  const reply = `<tool_call>\n<function=weather>\n<parameter=city>\n${city}\n</parameter>\n</function>\n</tool_call>`;
  const answer = await read("Qwen3-Coder", reply, { tools: [weather] });
  expect(answer).toMatchObject({ calls: [["weather", { city }]], text: "", codes: [] });
});

const json = '<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>';
test.each([
  ["Qwen-QwQ-32B", json],
  ["NVIDIA-Nemotron-Nano-v2", '<TOOLCALL>[{"name": "weather", "arguments": {"city": "Oslo"}}]</TOOLCALL>'],
  [
    "MiniMax-M2",
    '<minimax:tool_call>\n<invoke name="weather">\n<parameter name="city">Oslo</parameter>\n</invoke>\n</minimax:tool_call>',
  ],
  [
    "deepseek-ai-DeepSeek-V3.1",
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>weather<｜tool▁sep｜>{"city": "Oslo"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ],
])("%s: a required call that is written within reasoning is a call", async (template, call) => {
  const answer = await read(template, `I think. ${call}`, { tools: [weather], toolChoice: "required" });
  expect(answer.calls).toEqual([["weather", { city: "Oslo" }]]);
  expect([answer.text, answer.reasoning.trim(), answer.codes]).toEqual(["", "I think.", []]);
});

const union = {
  name: "weather",
  parameters: {
    type: "object",
    properties: {
      city: { type: ["string", "null"] },
      days: { anyOf: [{ type: "integer" }, { type: "string" }] },
      at: { anyOf: [{ type: "object" }, { type: "string" }] },
      note: { type: "string" },
    },
    required: ["city", "days", "at", "note"],
  },
};
const values = { city: "null", days: "12", at: '{"lat": 1.5}', note: "12" };
const given = { city: null, days: 12, at: { lat: 1.5 }, note: "12" };
const each = (write: (name: string, value: string) => string): string =>
  Object.entries(values)
    .map(([name, value]) => write(name, value))
    .join("\n");
test.each([
  [
    "GLM-4.6",
    `<tool_call>weather\n${each((name, value) => `<arg_key>${name}</arg_key>\n<arg_value>${value}</arg_value>`)}\n</tool_call>`,
  ],
  [
    "MiniMax-M2",
    `</think>\n\n<minimax:tool_call>\n<invoke name="weather">\n${each((name, value) => `<parameter name="${name}">${value}</parameter>`)}\n</invoke>\n</minimax:tool_call>`,
  ],
  [
    "deepseek-ai-DeepSeek-V3.2",
    `</think>\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="weather">\n${each((name, value) => `<｜DSML｜parameter name="${name}" string="true">${value}</｜DSML｜parameter>`)}\n</｜DSML｜invoke>\n</｜DSML｜function_calls>`,
  ],
])("%s: arguments of several types have that of what was written", async (template, call) => {
  for (const reply of [call, ordinary(call)]) {
    const answer = await read(template, reply, { tools: [union] });
    expect(answer.calls).toEqual([["weather", given]]);
    expect([JSON.parse(answer.argsText), answer.replaced]).toEqual([given, 0]);
  }
});

test.each([
  ["string", "Oslo is a city"],
  ["nullable", "nullable"],
  ["number", "12 o'clock"],
  ["string with a bracket", "{ is a bracket"],
  ["escape", 'a "quoted" \\u0041 \\ text'],
])("GLM-4.6: an argument of several types is reported as it is written: %s", async (_, city) => {
  const args = each((name, value) => `<arg_key>${name}</arg_key>\n<arg_value>${value}</arg_value>`);
  const call = `<tool_call>weather\n${args.replace("null", () => city)}\n</tool_call>`;
  const answer = await read("GLM-4.6", ordinary(`\n</think>\n${call}`), { tools: [union] });
  expect(answer.calls).toEqual([["weather", { ...given, city }]]);
  expect([JSON.parse(answer.argsText), answer.replaced]).toEqual([{ ...given, city }, 0]);
});

const final = "<|channel|>final<|message|>";
test.each([{}, { tools: [weather] }])("gpt-oss: each message that it writes is read (%j)", async (options) => {
  const reply = `${final}Hi there.<|end|><|start|>assistant${final}More.<|end|><|start|>assistant${final}Bye.`;
  const text = "Hi there.\n\nMore.\n\nBye.";
  expect(await read("openai-gpt-oss-120b", reply, options)).toMatchObject({ text, streamed: text, codes: [] });
});

test.each([{}, { tools: [weather] }])("gpt-oss: a call of no tool, and the answer behind it (%j)", async (options) => {
  const call = `<|channel|>commentary to=browser.search<|message|>{"q": 1}`;
  const reply = `${call}<|end|><|start|>assistant${final}Hello.`;
  const answer = await read("openai-gpt-oss-120b", reply, options);
  expect(answer).toMatchObject({ calls: [], codes: ["OUTPUT_UNPARSED"] });
  expect(answer.text).toContain('to=browser.search<|message|>{"q": 1}');
  expect(answer.text.endsWith("\n\nHello.")).toBe(true);
});

test("an error tells nothing of a text that hooks have changed", async () => {
  const chatTemplate = templateSource("Qwen3-Coder");
  const engine = await openEngine({ ...unwilling(ordinary("See <tool_call> secret.")), chatTemplate });
  const errors: string[] = [];
  engine.hooks.on("error", ({ code, message }) => void errors.push(code, message));
  engine.hooks.on("streamToken", ({ text }) => ({ text: text.replaceAll(/[a-z]/gu, "x") }));
  await engine.generate("Hi", { temperature: 0, tools: [weather] });
  expect(errors[0]).toBe("OUTPUT_UNPARSED");
  expect(errors.join(" ")).not.toContain("secret");
});

test.each(chosenTemplates)("%s: plain answers follow the format", async (name) => {
  const chatTemplate = templateSource(name);
  const script = { chatTemplate, replies: ["Hello there."], contextLength: 8192 };
  const engine = await openEngine(script, { contextSize: 8192 });
  const errors: string[] = [];
  engine.hooks.on("error", ({ code }) => void errors.push(code));
  const { text, reasoning } = await engine.generate("Hi", { maxTokens: 60, temperature: 0 });
  expect((text + reasoning).trim().endsWith("Hello there.")).toBe(true);
  expect(errors.filter((code) => code === "OUTPUT_UNPARSED")).toEqual([]);
});
