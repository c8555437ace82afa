import { expect, test } from "vitest";
import type { Message } from "../../src/index.js";
import { openEngine } from "../support/engine.js";

const turns = ["Tell me about rain.", "And about snow?", "Which is colder?", "Why?", "Thank you."];
const replies = ["Water that falls.", "Frozen rain, in flakes.", "Snow is.", "It freezes.", "You are welcome."];
const long = "You are a patient teacher of the weather. You explain things with few words. ".repeat(8);

test("on every turn of a growing conversation the earlier turns come from the cache", async () => {
  const engine = await openEngine(replies);
  const history: Message[] = [{ role: "system", content: long }];
  let before = 0;
  for (const [turn, content] of turns.entries()) {
    history.push({ role: "user", content });
    const { text, messages, usage } = await engine.generate(history);
    expect(text).toBe(replies[turn]);
    expect(usage.cachedTokens, `turn ${turn}`).toBeGreaterThanOrEqual(0.9 * before);
    expect(usage.cachedTokens).toBeLessThan(usage.promptTokens);
    before = usage.promptTokens + usage.completionTokens;
    history.push(...messages);
  }
});

test("conversations that take turns keep their caches", async () => {
  const engine = await openEngine(replies, { parallel: 3 });
  const chats = ["alpha", "beta", "gamma"].map((name) => ({
    history: [{ role: "system", content: `${name}. ${name} ${long}` }] as Message[],
    before: 0,
  }));
  for (const content of turns.slice(0, 3)) {
    for (const chat of chats) {
      chat.history.push({ role: "user", content });
      const { messages, usage } = await engine.generate(chat.history);
      expect(usage.cachedTokens).toBeGreaterThanOrEqual(0.9 * chat.before);
      chat.before = usage.promptTokens;
      chat.history.push(...messages);
    }
  }
});

test("a system prompt that another conversation had is not read again", async () => {
  const engine = await openEngine(replies);
  const shared = (await engine.models.tokenize(undefined, long)).length;
  const ask = (content: string) =>
    engine.generate([
      { role: "system", content: long },
      { role: "user", content },
    ]);
  expect((await ask("Rain?")).usage.cachedTokens).toBe(0);
  for (const content of ["Snow?", "Hail?", "Fog?"]) {
    expect((await ask(content)).usage.cachedTokens).toBeGreaterThanOrEqual(shared);
  }
});

test("a system prompt is shared with a conversation that is still being answered", async () => {
  const engine = await openEngine([{ pieces: ["drip ", "drop "], endless: true }]);
  const shared = (await engine.models.tokenize(undefined, long)).length;
  const ask = (content: string, maxTokens: number) =>
    engine.generate(
      [
        { role: "system", content: long },
        { role: "user", content },
      ],
      { maxTokens },
    );
  for await (const event of ask("Rain?", 2000)) {
    if (event.type !== "token") continue;
    const { text, usage } = await ask("Snow?", 4);
    expect(text).toBe("drip drop drip drop ");
    expect(usage.cachedTokens).toBeGreaterThanOrEqual(shared);
    break;
  }
});

test("of generations that start together one reads the system prompt, and all answer for themselves", async () => {
  const questions = Array.from({ length: 8 }, (_, index) => `Question ${index}, about the weather of day ${index}?`);
  const scripts = questions.map((question, index) => ({ when: question, replies: [`Answer ${index}.`] }));
  const engine = await openEngine({ replies: [], scripts }, { parallel: 8 });
  const shared = (await engine.models.tokenize(undefined, long)).length;
  const results = await Promise.all(
    questions.map((content) =>
      engine.generate([
        { role: "system", content: long },
        { role: "user", content },
      ]),
    ),
  );
  expect(results.map(({ text }) => text)).toEqual(questions.map((_, index) => `Answer ${index}.`));
  const evaluated = results.map(({ usage }) => usage.promptTokens - usage.cachedTokens);
  expect(evaluated.filter((tokens) => tokens >= shared)).toHaveLength(1);
  expect(evaluated.filter((tokens) => tokens <= 80)).toHaveLength(7);
});

test("when the one that reads the system prompt is cancelled the others read it", async () => {
  const engine = await openEngine(["Wet."], { parallel: 4 });
  const system = { role: "system", content: long.repeat(5) } as const;
  const first = engine.generate([system, { role: "user", content: "Rain?" }]);
  const others = ["Snow?", "Hail?"].map((content) => engine.generate([system, { role: "user", content }]));
  first.cancel("changed my mind");
  expect((await first).finishReason).toBe("cancelled");
  for (const { text } of await Promise.all(others)) expect(text).toBe("Wet.");
});

test("the same prompt again costs one token, and gives the same answer", async () => {
  const engine = await openEngine(replies);
  const first = await engine.generate("Tell me about rain.");
  const second = await engine.generate("Tell me about rain.");
  expect(second.text).toBe(first.text);
  expect(second.usage.promptTokens).toBe(first.usage.promptTokens);
  expect(second.usage.cachedTokens).toBe(first.usage.promptTokens - 1);
});

test("a cancelled call leaves its prompt in the cache", async () => {
  const engine = await openEngine([{ pieces: ["drip ", "drop "], endless: true }]);
  const generation = engine.generate(long);
  for await (const event of generation) if (event.type === "token") break;
  const { usage } = await generation;
  const again = await engine.generate(long, { maxTokens: 1 });
  expect(again.usage.cachedTokens).toBe(usage.promptTokens - 1);
});
