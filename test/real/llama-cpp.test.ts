// Faults of llama.cpp, each with a row in docs/internals/llama-cpp.md. A test fails when llama.cpp has become right: then
// the row, and the engine's mend, can be removed.
import path from "node:path";
import { onTestFinished, expect, test } from "vitest";
import type { ToolSpec } from "../../src/index.js";
import { writeScriptModel } from "../../src/testing/index.js";
import { openEngine, tempDir, unwilling } from "../support/engine.js";
import { startLlamaServer } from "../support/remote/llama-server.js";
import { embedder, embedderSource, gemma, reference } from "../support/real/models.js";
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

/** The answer of llama-server for a model that writes the reply; if it fails, the error is the text. */
async function byServer(template: string, reply: string, tool: ToolSpec, body: object): Promise<Answer> {
  const file = path.join(await tempDir(), "model.gguf");
  await writeScriptModel(file, {
    ...unwilling(ordinary(reply)),
    chatTemplate: templateSource(template),
    contextLength: 8192,
  });
  const server = await startLlamaServer(file, "--ctx-size", "8192", "--threads", "1", "--parallel", "1", "--jinja");
  onTestFinished(() => server.stop());
  const request = {
    messages: [{ role: "user", content: "Hi" }],
    tools: [{ type: "function", function: tool }],
    max_tokens: 400,
    temperature: 0,
    ...body,
  };
  try {
    const { choices } = (await server.ask("/v1/chat/completions", request)) as { choices: [Choice] };
    const { content, tool_calls: calls = [] } = choices[0].message;
    return {
      text: (content ?? "").trim(),
      calls: calls.map((call) => [call.function.name, JSON.parse(call.function.arguments) as unknown]),
    };
  } catch (error) {
    return { text: String(error), calls: [] };
  }
}

const call = (city: string, end = "\n"): string =>
  `<tool_call>\n<function=weather>\n<parameter=city>\n${city}${end}</parameter>\n</function>\n</tool_call>`;
const final = "<|channel|>final<|message|>";
const union = {
  name: "weather",
  parameters: { type: "object", properties: { city: { type: ["string", "null"] } }, required: ["city"] },
};

interface Row extends Answer {
  readonly reply: string;
  readonly tool?: ToolSpec;
}
const rows: [string, string, Row][] = [
  [
    "a text that names a mark ends there",
    "Qwen3-Coder",
    { reply: "A <tool_call> begins it.", text: "A <tool_call> begins it.", calls: [] },
  ],
  [
    "a text that names a mark ends there",
    "google-gemma-4-31B-it",
    { reply: "A <|tool_call> begins it.", text: "A <|tool_call> begins it.", calls: [] },
  ],
  [
    "a text behind a call is lost",
    "Qwen3.5-4B",
    {
      reply: `I look.\n</think>\n\n${call("Oslo")}\nI wait.`,
      text: "I wait.",
      calls: [["weather", { city: "Oslo" }]],
    },
  ],
  [
    "an argument without its line break swallows the next call",
    "Qwen3-Coder",
    {
      reply: `${call("Oslo", "")}\n${call("Rome")}`,
      text: "",
      calls: [
        ["weather", { city: "Oslo" }],
        ["weather", { city: "Rome" }],
      ],
    },
  ],
  [
    "of two messages the first alone is read",
    "openai-gpt-oss-120b",
    { reply: `${final}Hi.<|end|><|start|>assistant${final}More.`, text: "Hi.\n\nMore.", calls: [] },
  ],
  [
    "null for a parameter of two types is a text",
    "GLM-4.6",
    {
      reply: "<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>null</arg_value>\n</tool_call>",
      tool: union,
      text: "",
      calls: [["weather", { city: null }]],
    },
  ],
];

test.each(rows)("%s: %s", async (_, template, { reply, tool = cityWeather, text, calls }) => {
  const ours = await readAnswer(template, ordinary(reply), { tools: [tool] });
  expect({ text: ours.text.trim(), calls: ours.calls }).toEqual({ text, calls });
  expect(await byServer(template, reply, tool, {})).not.toEqual({ text, calls });
});

const list = { name: "weather", parameters: { type: "object", properties: { cities: { type: "array" } } } };
test.each(["openai-gpt-oss-120b", "Apertus-8B-Instruct"])(
  "a list without items fails the template: %s",
  async (template) => {
    const answer = await byServer(template, "Fine.", list, {});
    expect(answer.text).toContain("Error");
    const { models } = await openEngine(["Fine."], { chatTemplate: templateSource(template) });
    const messages = [{ role: "user", content: "Hi" }] as const;
    expect(await models.renderPrompt(undefined, { messages, tools: [list] })).toContain("cities");
  },
);

/** The tokens of a text by llama-server, without control tokens. */
async function tokensByServer(model: string, content: string, ...options: string[]): Promise<number[]> {
  const server = await startLlamaServer(model, "--ctx-size", "512", "--threads", "1", ...options);
  onTestFinished(() => server.stop());
  const { tokens } = (await server.ask("/tokenize", { content, parse_special: false })) as { tokens: number[] };
  return tokens;
}

/** The tokens of a text by the engine, by llama-server, and by the tokenizer that the model was published with. */
async function tokensOf(model: string, source: string, text: string, ...options: string[]) {
  const { models } = await openEngine([], { model });
  const ours = await models.tokenize(undefined, text, { parseSpecial: false });
  const [published = []] = await reference<number[][]>("ids", { model: source, texts: [text], parse_special: false });
  return { ours, published, theirs: await tokensByServer(model, text, ...options) };
}

test.each([
  ["of a Hangul syllable it keeps the first letter", "한국어"],
  ["it takes U+2581 in a text for its own mark", "a▁the"],
])("all-MiniLM-L6-v2: %s", async (_, text) => {
  const { ours, published, theirs } = await tokensOf(embedder, embedderSource, text, "--embeddings");
  expect(ours).toEqual(published);
  expect(theirs).not.toEqual(published);
});

test.each([
  ["all-MiniLM-L6-v2: vowel signs of Indian scripts are stripped", embedder, embedderSource, "की", ["--embeddings"]],
  ["Gemma 3 270M: </s>, a tag of HTML there, is a control token and no token of a text", gemma, gemma, "</s>", []],
])("%s", async (_, model, source, text, options) => {
  const { ours, published, theirs } = await tokensOf(model, source, text, ...options);
  expect(ours).toEqual(theirs);
  expect(theirs).not.toEqual(published);
});
