// Faults of llama.cpp, each with a row in docs/internals/llama-cpp.md. A test fails when llama.cpp has become right: then
// the row, and the engine's mend, can be removed.
import path from "node:path";
import { onTestFinished, expect, test } from "vitest";
import type { ToolSpec } from "../../src/index.js";
import { writeScriptModel } from "../../src/testing/index.js";
import { openEngine, rejection, tempDir, unwilling } from "../support/engine.js";
import { startLlamaServer } from "../support/remote/llama-server.js";
import { embedder, embedderSource, reference } from "../support/real/models.js";
import { cityWeather, ordinary, readAnswer } from "../support/templates/read-answer.js";
import { templateSource } from "../support/templates/template-files.js";

interface Answer {
  readonly text: string;
  readonly calls: readonly unknown[];
}
interface Choice {
  readonly message: {
    readonly content: string | null;
    readonly tool_calls?: readonly { function: { name: string; arguments: string } }[];
  };
}

const hi = [{ role: "user", content: "Hi" }];

/** The answer of llama-server for a model that writes the reply. */
async function byServer(template: string, reply: string, tool: ToolSpec, messages: unknown[] = hi): Promise<Answer> {
  const file = path.join(await tempDir(), "model.gguf");
  await writeScriptModel(file, {
    ...unwilling(ordinary(reply)),
    afterLast: "repeat",
    chatTemplate: templateSource(template),
    contextLength: 8192,
  });
  const server = await startLlamaServer(file, "--ctx-size", "8192", "--threads", "1", "--parallel", "1", "--jinja");
  onTestFinished(() => server.stop());
  const request = {
    messages,
    tools: [{ type: "function", function: tool }],
    max_tokens: 400,
    temperature: 0,
  };
  const { choices } = (await server.ask("/v1/chat/completions", request)) as { choices: [Choice] };
  const { content, tool_calls: calls = [] } = choices[0].message;
  return {
    text: (content ?? "").trim(),
    calls: calls.map((call) => [call.function.name, JSON.parse(call.function.arguments) as unknown]),
  };
}

const endOfCall = "\n</parameter>\n</function>\n</tool_call>";
const call = (city: string, end = "\n"): string =>
  `<tool_call>\n<function=weather>\n<parameter=city>\n${city}${end}${endOfCall.trimStart()}`;
const final = "<|channel|>final<|message|>";
const union = {
  name: "weather",
  parameters: { type: "object", properties: { city: { type: ["string", "null"] } }, required: ["city"] },
};

interface Row {
  readonly reply: string;
  readonly tool?: ToolSpec;
  readonly ours: Answer;
  readonly theirs: Answer;
}
const says = (text: string): Answer => ({ text, calls: [] });
const asks = (...cities: (string | null)[]): Answer => ({
  text: "",
  calls: cities.map((city) => ["weather", { city }]),
});
const swallowed = call("Oslo", "");
const nullCity = "<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>null</arg_value>\n</tool_call>";
const rows: [string, string, Row][] = [
  [
    "a text that names a mark ends there",
    "Qwen3-Coder",
    { reply: "A <tool_call> begins it.", ours: says("A <tool_call> begins it."), theirs: says("A") },
  ],
  [
    "a text that names a mark ends there",
    "google-gemma-4-31B-it",
    { reply: "A <|tool_call> begins it.", ours: says("A <|tool_call> begins it."), theirs: says("A") },
  ],
  [
    "a text behind a call is lost",
    "Qwen3.5-4B",
    {
      reply: `I look.\n</think>\n\n${call("Oslo")}\nI wait.`,
      ours: { ...asks("Oslo"), text: "I wait." },
      theirs: asks("Oslo"),
    },
  ],
  [
    "an argument without its line break swallows the next call",
    "Qwen3-Coder",
    {
      reply: `${swallowed}\n${call("Rome")}`,
      ours: asks("Oslo", "Rome"),
      theirs: asks(`${swallowed}\n${call("Rome")}`.slice(swallowed.indexOf("Oslo"), -endOfCall.length)),
    },
  ],
  [
    "of two messages the first alone is read",
    "openai-gpt-oss-120b",
    {
      reply: `${final}Hi.<|end|><|start|>assistant${final}More.`,
      ours: says("Hi.\n\nMore."),
      theirs: says("Hi."),
    },
  ],
  [
    "null for a parameter of two types is a text",
    "GLM-4.6",
    { reply: nullCity, tool: union, ours: asks(null), theirs: asks("null") },
  ],
];

test.each(rows)("%s: %s", async (_, template, { reply, tool = cityWeather, ours, theirs }) => {
  const { text, calls } = await readAnswer(template, ordinary(reply), { tools: [tool] });
  expect({ text: text.trim(), calls }).toEqual(ours);
  expect(await byServer(template, reply, tool)).toEqual(theirs);
});

test.each([
  ["with", "[CALL_ID]a1b2c3d4e"],
  ["without", ""],
])("Mistral-Small-3.2: a call %s an id needs the mark of its arguments once more", async (_, id) => {
  const template = "Mistral-Small-3.2-24B-Instruct-2506";
  const reply = `[TOOL_CALLS]weather${id}[ARGS]{"city": "Oslo"}`;
  expect((await readAnswer(template, ordinary(reply), { tools: [cityWeather] })).calls).toEqual(asks("Oslo").calls);
  expect(String(await rejection(byServer(template, reply, cityWeather)))).toContain("does not match");
  const theirs = reply.replace("weather", "weather[ARGS]");
  expect(await byServer(template, theirs, cityWeather)).toEqual(asks("Oslo"));
});

test("DeepSeek-V3.2: an answer behind a tool's result is not read", async () => {
  const template = "deepseek-ai-DeepSeek-V3.2";
  const reply = "It is 3 degrees.</think>Cold.";
  const ours = await readAnswer(template, ordinary(reply), { tools: [cityWeather] }, [
    { role: "user", content: "Hi" },
    { role: "assistant", content: "", toolCalls: [{ id: "a1", name: "weather", args: { city: "Oslo" } }] },
    { role: "tool", content: "3", toolCallId: "a1", toolName: "weather" },
  ]);
  expect(ours).toMatchObject({ text: "Cold.", reasoning: "It is 3 degrees.", errors: [] });
  const call = { id: "a1", type: "function", function: { name: "weather", arguments: '{"city": "Oslo"}' } };
  const past = [...hi, { role: "assistant", tool_calls: [call] }, { role: "tool", tool_call_id: "a1", content: "3" }];
  expect(String(await rejection(byServer(template, reply, cityWeather, past)))).toContain("does not match");
});

const list = { name: "weather", parameters: { type: "object", properties: { cities: { type: "array" } } } };
test.each(["openai-gpt-oss-120b", "Apertus-8B-Instruct"])(
  "a list without items fails the template: %s",
  async (template) => {
    expect(String(await rejection(byServer(template, "Fine.", list)))).toContain("Function is not a bool value");
    const { models } = await openEngine(["Fine."], { chatTemplate: templateSource(template) });
    const messages = [{ role: "user", content: "Hi" }] as const;
    expect(await models.renderPrompt(undefined, { messages, tools: [list] })).toContain("cities");
  },
);

test("six digits of a number remain in a past call", async () => {
  const template = templateSource("Qwen3-Coder");
  const past = { sent: 1732885245.123 };
  const { models } = await openEngine(["Fine."], { chatTemplate: template });
  const prompt = await models.renderPrompt(undefined, {
    messages: [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "", toolCalls: [{ id: "call00001", name: "weather", args: { past } }] },
      { role: "tool", content: "Cold.", toolCallId: "call00001", toolName: "weather" },
    ],
  });
  expect(prompt).toContain('{"sent": 1732885245.123}');
  const file = path.join(await tempDir(), "model.gguf");
  await writeScriptModel(file, { ...unwilling("Fine."), chatTemplate: template, contextLength: 8192 });
  const server = await startLlamaServer(file, "--ctx-size", "8192", "--threads", "1", "--jinja");
  onTestFinished(() => server.stop());
  const name = "weather";
  const theirs = await server.ask("/apply-template", {
    messages: [
      { role: "user", content: "Hi" },
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "call00001", type: "function", function: { name, arguments: JSON.stringify({ past }) } }],
      },
      { role: "tool", content: "Cold.", tool_call_id: "call00001", name },
    ],
  });
  expect((theirs as { prompt: string }).prompt).toContain('{"sent": 1.73289e+09}');
});

/** The embedder's tokens of a text by the engine, by llama-server, and by the tokenizer that it was published with. */
async function tokensOf(text: string) {
  const { models } = await openEngine([], { model: embedder });
  const ours = await models.tokenize(undefined, text, { parseSpecial: false });
  const asked = { model: embedderSource, texts: [text], parse_special: [false] };
  const [[published = []] = []] = await reference<number[][][]>("ids", asked);
  const server = await startLlamaServer(embedder, "--ctx-size", "512", "--threads", "1", "--embeddings");
  onTestFinished(() => server.stop());
  const answer = await server.ask("/tokenize", { content: text, parse_special: false });
  return { ours, published, theirs: (answer as { tokens: number[] }).tokens };
}

test.each([
  ["of a Hangul syllable it keeps the first letter", "한국어"],
  ["it takes U+2581 in a text for its own mark", "a▁the"],
])("all-MiniLM-L6-v2: %s", async (_, text) => {
  const { ours, published, theirs } = await tokensOf(text);
  expect(ours).toEqual(published);
  expect(theirs).not.toEqual(published);
});

test("all-MiniLM-L6-v2: vowel signs of Indian scripts are stripped", async () => {
  const { ours, published, theirs } = await tokensOf("की");
  expect(ours).toEqual(theirs);
  expect(theirs).not.toEqual(published);
});
