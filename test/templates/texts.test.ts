// For every chat template of llama.cpp: a reply without a call is the same text whether there are tools or not, also where the
// model writes marks of its prompt once more.
import path from "node:path";
import { expect, test } from "vitest";
import { type Engine, type GenerateOptions, LlamaHooksError, type Message } from "../../src/index.js";
import { type ScriptReply, writeScriptModel } from "../../src/testing/index.js";
import { chosenTemplates, templateSource } from "../support/templates/template-files.js";
import { openEngine, tempDir } from "../support/engine.js";
import { weather } from "../support/templates/native-replies.js";

const messages: readonly Message[] = [
  { role: "user", content: "Hi." },
  { role: "assistant", content: "Hello." },
  { role: "user", content: "Weather?" },
];
const text = "Let me look, 42.";

/** Known differences of llama.cpp when there are tools. They are no fault of the reader. */
const known: Readonly<Record<string, string>> = {
  "meetkai-functionary-medium-v3.2, prompt": "what triggers llama.cpp's grammar is not what that grammar begins with",
};

/** The text with which the template ends a prompt; empty if it adds none. */
async function generationPrompt(engine: Engine, model: string): Promise<string> {
  const render = (addGenerationPrompt: boolean): Promise<string> =>
    engine.models.renderPrompt(model, { messages, addGenerationPrompt });
  const [without, open] = await Promise.all([render(false), render(true)]);
  return open.startsWith(without) ? open.slice(without.length) : "";
}

/** The text, with what the prompt ended with, or its last mark, before it: as tokens of the template, and as plain text. */
function replies(prompt: string): Map<string, ScriptReply> {
  const last = /<[^<>\s]+>$/.exec(prompt.trimEnd())?.[0];
  const found = new Map<string, ScriptReply>([["alone", text]]);
  const add = (name: string, before: string): void => {
    found.set(name, before + text);
    found.set(`${name} in pieces`, { pieces: (before + text).match(/[^]{1,5}/g) ?? [] });
  };
  if (prompt !== "") add("prompt", prompt);
  if (last !== undefined) add("last mark", last);
  return found;
}

/** White space around it does not count: a parser may trim it. Undefined where the template has no tools. */
async function said(engine: Engine, model: string, options: GenerateOptions): Promise<string | undefined> {
  try {
    const given = { model, maxTokens: 80, temperature: 0, ...options };
    const { text: answered, reasoning } = await engine.generate(messages, given);
    return `${reasoning.trim()}|${answered.trim()}`;
  } catch (error) {
    if (error instanceof LlamaHooksError && error.code === "TOOLS_UNSUPPORTED") return undefined;
    return String(error);
  }
}

test.each(chosenTemplates)("%s: a text is the same with tools and without", async (name) => {
  const engine = await openEngine([], { models: {} });
  const file = path.join(await tempDir(), "model.gguf");
  const chatTemplate = templateSource(name);
  const load = async (reply: ScriptReply): Promise<void> => {
    await writeScriptModel(file, { chatTemplate, replies: ["Hello.", reply], contextLength: 8192 });
    await engine.models.load("model", { path: file, parallel: 1, contextSize: 8192, threads: 1 });
  };
  await load(text);
  const all = replies(await generationPrompt(engine, "model"));
  await engine.models.unload("model");
  for (const [what, reply] of all) {
    if (`${name}, ${what.replace(" in pieces", "")}` in known) continue;
    await load(reply);
    const plain = await said(engine, "model", {});
    expect([what, await said(engine, "model", { tools: [weather], toolChoice: "none" })]).toEqual([what, plain]);
    const withTools = await said(engine, "model", { tools: [weather] });
    expect([what, withTools ?? plain]).toEqual([what, plain]);
    await engine.models.unload("model");
  }
});

const [open, close] = ["<|CHATBOT_TOKEN|>", "<|END_OF_TURN_TOKEN|>"];
test.each([text, `${open}${text}`, `${text}${close}`, `${open}${text}${close}`, ` ${open}${open}${text}`])(
  "Command R+ with tools: %j is the text alone, streamed without marks, and nothing fails",
  async (reply) => {
    for (const cut of [reply, { pieces: reply.match(/[^]{1,3}/g) ?? [] }]) {
      const chatTemplate = templateSource("CohereForAI-c4ai-command-r-plus-tool_use");
      const engine = await openEngine({ chatTemplate, replies: ["Hello.", cut], contextLength: 8192 });
      const errors: string[] = [];
      engine.hooks.on("error", ({ message }) => void errors.push(message));
      for (const options of [{}, { tools: [weather] }, { tools: [weather], toolChoice: "none" as const }]) {
        let streamed = "";
        const generation = engine.generate(messages, { maxTokens: 80, temperature: 0, ...options });
        for await (const event of generation) if (event.type === "token") streamed += event.text;
        expect([(await generation).text, streamed, errors]).toEqual([text, text, []]);
      }
      await engine.close();
    }
  },
);

test("Command R+ with tools: text and a call are both read", async () => {
  const call =
    'Action:\n```json\n[\n    {\n        "tool_name": "weather",\n        "parameters": {"city": "Oslo", "days": 3}\n    }\n]```';
  const chatTemplate = templateSource("CohereForAI-c4ai-command-r-plus-tool_use");
  for (const before of ["", open, `${text}\n`]) {
    const engine = await openEngine({ chatTemplate, replies: ["Hello.", before + call], contextLength: 8192 });
    const result = await engine.generate(messages, { maxTokens: 200, temperature: 0, tools: [weather] });
    expect(result.toolCalls.map(({ args }) => args)).toEqual([{ city: "Oslo", days: 3 }]);
    expect(result.text).toBe(before.includes(text) ? text : "");
    await engine.close();
  }
});
