import { expect, test } from "vitest";
import type { GenerateEvent, Generation } from "../../src/index.js";
import { openEngine, rejection } from "../support/engine.js";

async function collect(generation: Generation): Promise<GenerateEvent[]> {
  const events: GenerateEvent[] = [];
  for await (const event of generation) events.push(event);
  return events;
}

function tokens(events: readonly GenerateEvent[]) {
  return events.filter((event) => event.type === "token");
}

test("a generation gives its tokens in order, and last its end with the result", async () => {
  const engine = await openEngine([{ pieces: ["One", " two", " three", "."] }]);
  const generation = engine.generate("Count");
  const events = await collect(generation);
  expect(events.map(({ type }) => type)).toEqual(["start", "token", "token", "token", "token", "end"]);
  expect(tokens(events).map(({ index, text, kind }) => [index, text, kind])).toEqual([
    [0, "One", "content"],
    [1, " two", "content"],
    [2, " three", "content"],
    [3, ".", "content"],
  ]);
  expect(events.at(-1)).toEqual({ type: "end", result: await generation });
});

test("what was streamed, joined, is the text of the result", async () => {
  const engine = await openEngine(["A longer answer, with a comma, a dash - and an end."]);
  const generation = engine.generate("Go");
  const streamed = tokens(await collect(generation)).map(({ text }) => text);
  expect(streamed.join("")).toBe((await generation).text);
});

test("token numbers are those of the model's vocabulary", async () => {
  const engine = await openEngine([{ pieces: ["One", " two"] }]);
  const streamed = tokens(await collect(engine.generate("Count")));
  const written = await Promise.all(streamed.map(({ token }) => engine.models.detokenize(undefined, [token])));
  expect(written).toEqual(["One", " two"]);
});

test("a character that is split over tokens arrives whole", async () => {
  const text = "Grüße an 日本 👋🏽!";
  const engine = await openEngine([{ text, split: "bytes" }]);
  const generation = engine.generate("Greet");
  const streamed = tokens(await collect(generation)).map((event) => event.text);
  expect(streamed.join("")).toBe(text);
  expect(streamed.filter((piece) => piece.includes("\ufffd") || !piece.isWellFormed())).toEqual([]);
  expect((await generation).text).toBe(text);
});

test("reasoning is streamed and returned apart from the text", async () => {
  const engine = await openEngine([{ reasoning: "Easy: one and one.", text: "It is two." }]);
  const generation = engine.generate("1 + 1?");
  const events = tokens(await collect(generation));
  const joined = (kind: string) =>
    events
      .filter((event) => event.kind === kind)
      .map(({ text }) => text)
      .join("");
  const result = await generation;
  expect([result.reasoning, result.text]).toEqual(["Easy: one and one.", "It is two."]);
  expect([joined("reasoning"), joined("content")]).toEqual(["Easy: one and one.", "It is two."]);
  expect(result.messages).toEqual([{ role: "assistant", content: "It is two.", reasoning: "Easy: one and one." }]);
});

test("two iterations of one generation get the same events", async () => {
  const engine = await openEngine(["One two three."]);
  const generation = engine.generate("Count");
  const [left, right] = await Promise.all([collect(generation), collect(generation)]);
  expect(left.length).toBeGreaterThan(3);
  expect(right).toEqual(left);
});

test("an iteration that begins after the end gets the end", async () => {
  const engine = await openEngine(["One two three."]);
  const generation = engine.generate("Count");
  const result = await generation;
  expect(await collect(generation)).toEqual([{ type: "end", result }]);
});

test("an error of the call rejects the promise and is thrown by the iteration", async () => {
  const engine = await openEngine(["Never."], { contextSize: 64 });
  const generation = engine.generate("too long ".repeat(50));
  const thrown = await rejection(collect(generation));
  expect(thrown).toMatchObject({ name: "LlamaHooksError", code: "PROMPT_TOO_LONG" });
  expect(await rejection(generation)).toBe(thrown);
});

test("a log probability comes with each token when it is asked for, and only then", async () => {
  const engine = await openEngine([{ pieces: ["One", " two"] }]);
  const asked = tokens(await collect(engine.generate("Count", { logprobs: true })));
  expect(asked.map(({ logprob }) => logprob !== undefined && logprob <= 0 && logprob > -1)).toEqual([true, true]);
  const plain = tokens(await collect(engine.generate("Count")));
  expect(plain.map((event) => "logprob" in event)).toEqual([false, false]);
});

test("usage counts the tokens of prompt and answer", async () => {
  const engine = await openEngine([{ pieces: ["One", " two", " three"] }]);
  const prompt = await engine.models.renderPrompt(undefined, { messages: [{ role: "user", content: "Count" }] });
  const { usage } = await engine.generate("Count");
  const tokenized = await engine.models.tokenize(undefined, prompt, { parseSpecial: true });
  expect(usage).toMatchObject({ promptTokens: tokenized.length, cachedTokens: 0, completionTokens: 3 });
  expect(usage.promptMs).toBeGreaterThan(0);
  expect(usage.decodeMs).toBeGreaterThanOrEqual(0);
});
