import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Engine, LoadOptions } from "../../src/index.js";
import { writeSyntheticModel, type ModelShape } from "../../src/testing/index.js";
import { Dice, ask, expectSame } from "../support/conversations.js";
import { openEngine, tempDir } from "../support/engine.js";

const plain: ModelShape = { layers: 2, embedding: 64, heads: 4, kvHeads: 2, feedForward: 128, vocabulary: 260 };
/** Short convolutions beside attention: the state of those cannot be cut back. */
const hybrid: ModelShape = { ...plain, architecture: "lfm2", layers: 4, fullEvery: 2, tied: true };
/** Windows that are over long before a prompt is. */
const windowed: ModelShape = { ...plain, architecture: "gemma3", layers: 4, fullEvery: 2, window: 32, tied: true };

/** Conversations over fewer sequences, with little room outside of them, beside one that forgets everything. */
async function openBoth(shape: ModelShape, options: Partial<LoadOptions>): Promise<Engine> {
  const file = path.join(await tempDir(), "random.gguf");
  await writeSyntheticModel(file, shape, { quantization: "F16" });
  const common = { path: file, contextSize: 1024, batchSize: 64, kvType: "f32" as const };
  const engine = await openEngine([], {
    models: {
      kept: { ...common, parallel: 3, cacheMemory: 2, ...options },
      fresh: { ...common, parallel: 1, cacheMemory: 0 },
    },
  });
  engine.hooks.on("preGenerate", ({ meta, prompt }) =>
    meta.tier === "changed" && prompt !== undefined ? { prompt: `${prompt} changed by a hook ` } : undefined,
  );
  return engine;
}

/** The answer of a model that has nothing of the prompt in its cache. */
async function askFresh(engine: Engine, prompt: string, maxTokens: number) {
  await ask(engine, "fresh", "?", 1);
  const answer = await ask(engine, "fresh", prompt, maxTokens);
  expect(answer.cached).toBe(0);
  return answer;
}

/** The next prompt of a conversation: it continues, branches off, or is edited somewhere. */
function nextPrompt(dice: Dice, history: string): string {
  const move = dice.roll(5);
  if (move === 0) return history.slice(0, 4 + dice.roll(history.length - 3)) + dice.letters(1, 40);
  if (move === 1) {
    const at = 4 + dice.roll(history.length - 3);
    return `${history.slice(0, at)}${dice.letters(1, 3)}${history.slice(at + 2)}`;
  }
  return `${history}${dice.roll(4) === 0 ? " hook " : " "}${dice.letters(1, 60)}`;
}

const conversations = 84;
const together = 6;

test.each([
  ["plain", "streams", plain],
  ["plain", "unified", plain],
  ["hybrid", "streams", hybrid],
  ["hybrid", "unified", hybrid],
  ["windowed", "streams", windowed],
  ["windowed", "unified", windowed],
] as const)("%s, %s: random conversations are answered as if each prompt were new", async (_, kvCache, shape) => {
  const engine = await openBoth(shape, { kvCache });
  const dice = new Dice(20_261_122);
  let cached = 0;
  for (let first = 0; first < conversations; first += together) {
    const histories = Array.from(
      { length: together },
      (_, index) =>
        `${dice.roll(3) === 0 ? "#shared beginning of several, " : `#${first + index} `}${dice.letters(20, 200)}`,
    );
    for (let round = 0; round < 4; round++) {
      const turns = histories.map((history, index) => ({
        index,
        prompt: round === 0 ? history : nextPrompt(dice, history),
        maxTokens: 3 + dice.roll(10),
        cancelAfter: dice.roll(5) === 0 ? 1 + dice.roll(3) : undefined,
      }));
      const answers = await Promise.all(
        turns.map(({ prompt, maxTokens, cancelAfter }) => ask(engine, "kept", prompt, maxTokens, cancelAfter)),
      );
      for (const { index, prompt, maxTokens } of turns) {
        const answer = answers[index];
        if (answer === undefined) throw new Error("an answer for each turn");
        expectSame(answer, await askFresh(engine, prompt, maxTokens), `conversation ${first + index}, turn ${round}`);
        cached += answer.cached;
        histories[index] = `${prompt}${answer.text}`.slice(0, 600);
      }
    }
  }
  expect(cached).toBeGreaterThan(conversations * 200);
});

test.each(["streams", "unified"] as const)(
  "hybrid, %s: prompts that are cancelled while they are read leave other conversations alone",
  async (kvCache) => {
    const engine = await openBoth(
      { ...hybrid, layers: 8, embedding: 256, feedForward: 512 },
      { kvCache, batchSize: 512 },
    );
    const dice = new Dice(7);
    for (let round = 0; round < 6; round++) {
      const idle = `#idle ${round} ${dice.letters(30, 60)}`;
      const [, first] = await Promise.all([
        ask(engine, "kept", `#one ${round} ${dice.letters(20, 40)}`, 4),
        ask(engine, "kept", idle, 4),
        ask(engine, "kept", `#two ${round} ${dice.letters(20, 40)}`, 4),
      ]);
      const others = ["one", "two"].map((name) =>
        engine.generate(`#${name} ${round} ${dice.letters(500, 600)}`, { model: "kept", raw: true }),
      );
      await delay(5 + 10 * round);
      for (const other of others) other.cancel("enough");
      await Promise.all(others);
      const prompt = `${idle}${first.text} and on`;
      expectSame(await ask(engine, "kept", prompt, 8), await askFresh(engine, prompt, 8), `round ${round}`);
    }
  },
);
