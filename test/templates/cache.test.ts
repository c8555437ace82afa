// The engine caches the answer format of each chat template. For every template of llama.cpp, a model that was asked
// many times renders each prompt, and parses each answer, like a model that was loaded a moment ago.
import path from "node:path";
import { expect, test } from "vitest";
import { type Engine, LlamaHooksError, type Message, type ToolSpec } from "../../src/index.js";
import { writeScriptModel } from "../../src/testing/index.js";
import { amount } from "../support/amount.js";
import { chosenTemplates, templateNames, templateSource } from "../support/templates/template-files.js";
import { openEngine, tempDir } from "../support/engine.js";
import { nativeReply, weather } from "../support/templates/native-replies.js";

const oslo = { id: "a1b2c3d4e", name: "weather", args: { city: "Oslo", days: 3 } };
const rome = { id: "f5g6h7i8j", name: "weather", args: { city: 'Ro"me', days: 1 } };
const user = (content: string): Message => ({ role: "user", content });
const system: Message = { role: "system", content: "Be short." };
const said = (content: string, more: Partial<Message> = {}): Message => ({ role: "assistant", content, ...more });
const result = ({ id, name }: typeof oslo, content: string): Message => ({
  role: "tool",
  content,
  toolCallId: id,
  toolName: name,
});

/** Conversations that a template may render in ways of their own. */
const conversations: Readonly<Record<string, readonly Message[]>> = {
  "a question": [user("Weather?")],
  "a system message": [system, user("Weather?")],
  "a second question": [user("Hi."), said("Hello."), user("Weather?")],
  "a call and its result": [user("Weather?"), said("", { toolCalls: [oslo] }), result(oslo, "rain")],
  "a result that is JSON": [system, user("Weather?"), said("", { toolCalls: [oslo] }), result(oslo, '{"sky": "grey"}')],
  "a call with text": [
    user("Weather?"),
    said("Let me look.", { toolCalls: [oslo] }),
    result(oslo, "rain"),
    user("So?"),
  ],
  "a call after reasoning": [user("Weather?"), said("", { reasoning: "Hm.", toolCalls: [oslo] }), result(oslo, "rain")],
  "two calls": [
    user("Weather?"),
    said("", { toolCalls: [oslo, rome] }),
    result(rome, "sun"),
    result(oslo, "rain"),
    said("Rain and sun."),
    user("Thanks."),
  ],
  "ids of another form": [
    user("Weather?"),
    said("", { toolCalls: [{ ...oslo, id: "call-1" }] }),
    result({ ...oslo, id: "call-1" }, "rain"),
  ],
  "reasoning in the past": [user("Hi."), said("Hello.", { reasoning: "A greeting." }), user("Weather?")],
  "an answer at the end": [user("Hi."), said("Hello.")],
  "reasoning at the end": [user("Hi."), said("Hello.", { reasoning: "A greeting." })],
  "white space": [user("  Weather?\n\n"), said(" Fine. \n"), user("\tAnd now? ")],
  "marks in a text": [user("What is <think>, </think>, <|im_end|> or [/INST]?")],
};

/** Ways to ask for the same conversation: each has its own format. */
const requests = {
  "no tools": {},
  tools: { tools: [weather] },
  "no generation prompt": { tools: [weather], addGenerationPrompt: false },
  "no reasoning": { tools: [weather], reasoning: false },
  "tools that may not be called": { tools: [weather], toolChoice: "none" },
} as const;

/** The outcome of a call; an error counts as its code and message. */
async function outcome<T>(call: Promise<T>): Promise<T | string> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof LlamaHooksError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

/** An engine with a way to load a model of that template, with one reply for ever, under a name. */
async function engineWith(name: string) {
  const folder = await tempDir();
  const engine = await openEngine([], { models: {} });
  const load = async (id: string, replies: readonly string[]) => {
    const file = path.join(folder, `${id}-${replies.length}.gguf`);
    const chatTemplate = templateSource(name);
    await writeScriptModel(file, { chatTemplate, replies, afterLast: "repeat", contextLength: 8192 });
    return () => engine.models.load(id, { path: file, parallel: 1, contextSize: 8192, threads: 1 });
  };
  return { engine, load };
}

/** Loading a fresh model takes the time of this test: each template has its share of the pairs, all templates have them all. */
const waysOfEach = amount(1, 2);

test.each(chosenTemplates)("%s: a prompt is the same at the first call and after many", async (name) => {
  const { engine, load } = await engineWith(name);
  await (
    await load("used", [])
  )();
  const loadFresh = await load("fresh", []);
  const render = (model: string, messages: readonly Message[], request: object) =>
    outcome(engine.models.renderPrompt(model, { messages, ...request }));
  const ways = Object.entries(requests);
  const turn = templateNames.indexOf(name);
  const pairs = Object.entries(conversations).flatMap(([kind, messages], index) =>
    Array.from({ length: waysOfEach }, (_, more) => {
      const at = (turn + index * waysOfEach + more) % ways.length;
      return { kind, messages, at };
    }),
  );
  // The first of each way makes the format that the others then find; in the fresh model each is the first.
  for (let first = 0; first < pairs.length; first += ways.length) {
    await loadFresh();
    for (const { kind, messages, at } of pairs.slice(first, first + ways.length)) {
      const [way, request] = ways[at] ?? ["no tools", {}];
      const used = await render("used", messages, request);
      expect(used, `${kind}, ${way}`).toBe(await render("fresh", messages, request));
    }
    await engine.models.unload("fresh");
  }
});

async function answer(engine: Engine, model: string, messages: readonly Message[], tools: readonly ToolSpec[]) {
  const generation = engine.generate(messages, { model, tools, maxTokens: 300, temperature: 0 });
  const { text, reasoning, toolCalls, finishReason, usage } = await generation;
  const calls = toolCalls.map(({ name, args }) => ({ name, args }));
  const prompt = await engine.models.renderPrompt(model, { messages, tools });
  const tokens = await engine.models.tokenize(model, prompt, { addSpecial: true, parseSpecial: true });
  expect(usage.promptTokens).toBe(tokens.length);
  return { text, reasoning, calls, finishReason, tokens: [usage.promptTokens, usage.completionTokens] };
}

test.each(chosenTemplates)("%s: an answer is read the same at the first call and after many", async (name) => {
  const { engine, load } = await engineWith(name);
  await (
    await load("plain", [])
  )();
  const reply = (await nativeReply(engine, "plain", name, "text")) ?? "Fine, 20 degrees.";
  await (
    await load("used", [reply])
  )();
  const loadFresh = await load("fresh", [reply]);
  const kinds = ["a question", "a call and its result", "reasoning in the past", "an answer at the end"] as const;
  for (const [index, kind] of kinds.entries()) {
    await loadFresh();
    // Each is the first with its tools, in either order.
    const both = (index + templateNames.indexOf(name)) % 2 === 0 ? [[weather], []] : [[], [weather]];
    for (const tools of both) {
      const messages = conversations[kind] ?? [];
      const used = await outcome(answer(engine, "used", messages, tools));
      const fresh = await outcome(answer(engine, "fresh", messages, tools));
      expect(used, `${kind}, ${tools.length} tools`).toEqual(fresh);
    }
    await engine.models.unload("fresh");
  }
});
