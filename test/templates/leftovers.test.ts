// Parts of calls that make no call are text of the answer.
import { expect, test } from "vitest";
import { nativeReply, past, weather } from "../support/templates/native-replies.js";
import { cityWeather, ordinary, readAnswer } from "../support/templates/read-answer.js";
import { engineWith } from "../support/templates/template-engine.js";
import { chosenTemplates, isEveryTemplate, templateNames } from "../support/templates/template-files.js";

const closing = "I look.\n</think>\n\n";
const call = "<tool_call>\n<function=weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>";
const oslo = [["weather", { city: "Oslo" }]];

// In these formats a model may write such a text: no grammar acts while it seems to think.
test.each([
  ["Qwen3.5-4B", "<tool_call>\n<function=weather>\n</function>\n</tool_call>"],
  ["Qwen3.5-4B", "Write it as <tool_call>\n</tool_call>"],
  ["Qwen3.5-4B", "<tool_call>Hello</tool_call>"],
  ["Qwen3.5-4B", "<tool_call>weather</tool_call>"],
  ["Qwen3.5-4B", "<tool_call>\n<function=weather>\n<parameter=city>\n</function>\n</tool_call>"],
  ["StepFun3.5-Flash", "<tool_call>\n</tool_call>"],
  ["NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "Write <tool_call></tool_call> then."],
  ["Qwen-QwQ-32B", "<tool_call>\n</tool_call>"],
  ["Qwen-QwQ-32B", '<tool_call>\n{"name": "weather"}\n</tool_call>'],
  ["NVIDIA-Nemotron-Nano-v2", "<TOOLCALL>[]</TOOLCALL>"],
  ["NVIDIA-Nemotron-Nano-v2", '<TOOLCALL>["weather"]</TOOLCALL>'],
  ["MiniMax-M2", "<minimax:tool_call>\n</minimax:tool_call>"],
  ["MiniMax-M2", '<minimax:tool_call>\n<invoke name="weather">\n</invoke>\n</minimax:tool_call>'],
  ["deepseek-ai-DeepSeek-V3.1", "<｜tool▁calls▁begin｜><｜tool▁calls▁end｜>"],
  ["deepseek-ai-DeepSeek-V3.2", "<｜DSML｜function_calls>\n</｜DSML｜function_calls>"],
])("%s: a call that says nothing is text: %s", async (template, said) => {
  const answer = await readAnswer(template, ordinary(closing + said), { tools: [cityWeather] });
  expect(answer).toMatchObject({ calls: [], finishReason: "stop" });
  expect(answer.text.endsWith(said)).toBe(true);
  expect(["OUTPUT_UNPARSED", "DECODE_FAILED"]).toContain(answer.codes[0]);
});

test.each([
  ["google-gemma-4-31B-it", "<|tool_call><tool_call|>"],
  ["google-gemma-4-31B-it", "<|tool_call>call:weather<tool_call|>"],
  ["mistralai-Ministral-3-14B-Reasoning-2512", "Yes: [TOOL_CALLS]"],
  ["mistralai-Ministral-3-14B-Reasoning-2512", "[TOOL_CALLS]weather"],
  ["Kimi-K2-Instruct", "Yes: <|tool_calls_section_begin|><|tool_calls_section_end|>"],
  ["Kimi-K2-Instruct", "Yes: <|tool_calls_section_begin|>"],
  ["LFM2.5-Instruct", "<|tool_call_start|>[]<|tool_call_end|>"],
])("%s: marks of a call that is none are text: %s", async (template, said) => {
  const answer = await readAnswer(template, ordinary(said), { tools: [cityWeather] });
  expect(answer).toMatchObject({ calls: [], text: said, finishReason: "stop" });
});

// The parser has read all of it, as the beginning of a call.
test.each(["", " begins a call.", ' index="1"'])("Kimi K3: a call that only begins is text: %j", async (rest) => {
  const said = `<|open|>tools<|sep|><|open|>call tool="weather"${rest}`;
  const answer = await readAnswer("Kimi-K3", ordinary(`I look.<|close|>think<|sep|>${said}`), { tools: [cityWeather] });
  expect(answer).toMatchObject({ calls: [], reasoning: "I look.", finishReason: "stop" });
  expect(answer.text).toBe(said);
  expect(answer.codes).toEqual(["OUTPUT_UNPARSED"]);
});

test.each(["weather", "city", "0", "null", "true", "{}", ",", "<tool_call>", "<tool_call>\n</tool_call>"])(
  "%j behind a call is text",
  async (said) => {
    for (const template of ["Qwen3.5-4B", "NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "StepFun3.5-Flash"]) {
      const answer = await readAnswer(template, ordinary(`${closing}${call}\n${said}`), { tools: [cityWeather] });
      expect(answer).toMatchObject({ calls: oslo, text: said, codes: ["OUTPUT_UNPARSED"] });
    }
  },
);

test("a mark that ends calls twice is a mark", async () => {
  const answer = await readAnswer("Qwen3.5-4B", ordinary(`${closing}${call}\n</tool_call>`), { tools: [cityWeather] });
  expect(answer).toMatchObject({ calls: oslo, text: "", codes: [] });
});

test.each([
  ["Qwen3-Coder", "cout <", ""],
  ["Qwen3-Coder", "One is less: <tool", ""],
  ["Qwen3-Coder", "One is less:\n<tool", ""],
  ["Qwen3.5-4B", "<", "I look.\n</think>\n\n"],
  ["Qwen3.5-4B", "Write </tool_ca", "I look.\n</think>\n\n"],
  ["GLM-4.6", "is <tool_cal", ""],
  ["google-gemma-4-31B-it", "1 <", ""],
  ["mistralai-Ministral-3-14B-Reasoning-2512", "a[0] [TOOL", ""],
  ["Qwen-Qwen3-0.6B", "a <tool_cal", ""],
  ["CohereForAI-c4ai-command-r7b-12-2024-tool_use", "a <|END", "<|START_RESPONSE|>"],
])("%s: a text that is cut within what begins like a mark is whole: %s", async (template, said, closes) => {
  const reply = ordinary(`${closes}${said}`);
  const options = { tools: [cityWeather], maxTokens: reply.pieces.length };
  const answer = await readAnswer(template, { pieces: [...reply.pieces, "more"] }, options);
  expect(answer).toMatchObject({ text: said, streamed: said, finishReason: "length", codes: [] });
});

test("a reasoning that is cut within what begins like its end is whole", async () => {
  const reply = ordinary("I look </th");
  const options = { maxTokens: reply.pieces.length };
  const answer = await readAnswer("Qwen3.5-4B", { pieces: [...reply.pieces, "more"] }, options);
  expect(answer).toMatchObject({ text: "", finishReason: "length", codes: [] });
  expect([answer.reasoning, answer.thought]).toEqual(["I look </th", "I look </th"]);
});

test("a stop text behind what begins like a mark leaves it", async () => {
  const reply = { pieces: ["x <", "tool", "STOP", "more"] };
  const answer = await readAnswer("Qwen3-Coder", reply, { tools: [cityWeather], stop: "STOP" });
  expect(answer).toMatchObject({ text: "x <tool", streamed: "x <tool", finishReason: "stop" });
});

test("a call that is cut is none, and no text", async () => {
  for (const said of ["<tool_call>", "<tool_call>\n<func", "<tool_call>\n<function=weather>\n<parameter=city>\nOs"]) {
    const reply = ordinary(`I look.\n</think>\n\nYes.\n${said}`);
    const options = { tools: [cityWeather], maxTokens: reply.pieces.length };
    const answer = await readAnswer("Qwen3.5-4B", { pieces: [...reply.pieces, "more"] }, options);
    expect([answer.text.trim(), answer.calls]).toEqual(["Yes.", []]);
  }
});

const opening = templateNames.filter((name) => /Apriel|DeepSeek-V3|GLM-4\.[67]|MiniMax-M2|Nemotron|QwQ/u.test(name));

test.each(opening.filter((name) => isEveryTemplate || chosenTemplates.includes(name)))(
  "%s: words behind a call are not lost",
  async (name) => {
    const { engine, load } = await engineWith(name);
    const reply = await nativeReply(engine, "plain", name, "call");
    expect(reply).toBeDefined();
    for (const [at, said] of ["weather", "0", "null", "city"].entries()) {
      await load(`m${at}`, ["Hello.", ordinary(`${reply}\n${said}`)]);
      const options = { model: `m${at}`, tools: [weather], maxTokens: 400, temperature: 0 };
      const { text } = await engine.generate(past, options);
      expect(text.endsWith(said)).toBe(true);
      await engine.models.unload(`m${at}`);
    }
  },
);
