// Random conversations with adapters, as in generate/cache-equality.long.test.ts: what memory serves whom never shows.
import path from "node:path";
import { expect, test } from "vitest";
import type { AdapterChoice, Engine, LoadOptions } from "../../src/index.js";
import { uint32s } from "../../src/testing/gguf-writer.js";
import { type ModelShape, writeSyntheticModel } from "../../src/testing/index.js";
import { ask, Dice, expectSame } from "../support/conversations.js";
import { openEngine, tempDir } from "../support/engine.js";
import { writeLora } from "../support/models/lora.js";

const plain: ModelShape = { layers: 2, embedding: 64, heads: 4, kvHeads: 2, feedForward: 128, vocabulary: 260 };
const hybrid: ModelShape = { ...plain, architecture: "lfm2", layers: 4, fullEvery: 2, tied: true };
const windowed: ModelShape = { ...plain, architecture: "gemma3", layers: 4, fullEvery: 2, window: 32, tied: true };

/** Three adapters: the first always acts, the others from their words on. */
const words = { always: undefined, now: "NOW!", hey: "HEY?" } as const;
const sets: readonly AdapterChoice[][] = [
  [],
  [{ id: "always" }],
  [{ id: "now" }],
  [{ id: "now" }, { id: "hey" }],
  [{ id: "always", scale: 0.05 }, { id: "hey" }],
];

async function open(shape: ModelShape, options: Partial<LoadOptions>): Promise<Engine> {
  const folder = await tempDir();
  const file = path.join(folder, "random.gguf");
  await writeSyntheticModel(file, shape, { quantization: "F16" });
  const common = { path: file, contextSize: 1024, batchSize: 64, kvType: "f32" as const };
  const engine = await openEngine([], {
    models: {
      kept: { ...common, parallel: 3, cacheMemory: 2, ...options },
      fresh: { ...common, parallel: 1, cacheMemory: 0 },
    },
  });
  const { architecture = "llama", feedForward, embedding } = shape;
  for (const [id, word] of Object.entries(words)) {
    const invocation = word === undefined ? undefined : uint32s(await engine.tokenize(word, { model: "kept" }));
    const adapter = path.join(folder, id);
    const tensor = "blk.0.ffn_down.weight"; // on which all hangs that later layers remember
    await writeLora(adapter, { architecture, tensor, inputs: feedForward, outputs: embedding, invocation });
    for (const model of ["kept", "fresh"]) {
      await engine.adapters.load(`${id} of ${model}`, { path: adapter, model, scale: 0.1 });
    }
  }
  return engine;
}

const of = (model: string, set: readonly AdapterChoice[]): AdapterChoice[] =>
  set.map(({ id, ...rest }) => ({ id: `${id} of ${model}`, ...rest }));

const conversations = 24;
const together = 6;

test.each([
  ["plain", plain, { kvCache: "streams" }],
  ["plain", plain, { kvCache: "unified" }],
  ["plain", plain, { speculation: "ngram" }],
  ["hybrid", hybrid, { kvCache: "streams" }],
  ["hybrid", hybrid, { kvCache: "unified" }],
  ["windowed", windowed, { kvCache: "streams" }],
  ["windowed", windowed, { kvCache: "unified" }],
] as const)(
  "%s: random conversations with random adapters are answered as if each were new: %#",
  async (_, shape, options) => {
    const engine = await open(shape, options);
    const dice = new Dice(20_261_123);
    let cached = 0;
    let moved = 0;
    for (let first = 0; first < conversations; first += together) {
      const histories = Array.from({ length: together }, (_unused, index) => {
        const begin = dice.roll(3) === 0 ? "#shared beginning of several, " : `#${first + index} `;
        return `${begin}${dice.letters(20, 120)}`;
      });
      for (let round = 0; round < 5; round++) {
        const turns = histories.map((history, index) => {
          const word = [" ", " NOW! ", " HEY? "][dice.roll(3)];
          const kept = dice.roll(4) === 0 ? history.slice(0, 4 + dice.roll(history.length - 3)) : history;
          return { index, prompt: `${kept}${word}${dice.letters(1, 40)}`, set: sets[dice.roll(sets.length)] ?? [] };
        });
        const answers = await Promise.all(
          turns.map(({ prompt, set }) =>
            ask(engine, "kept", prompt, 6, dice.roll(6) === 0 ? 2 : undefined, of("kept", set)),
          ),
        );
        for (const { index, prompt, set } of turns) {
          const answer = answers[index];
          if (answer === undefined) throw new Error("an answer for each turn");
          await ask(engine, "fresh", "?", 1);
          const fresh = await ask(engine, "fresh", prompt, 6, undefined, of("fresh", set));
          expect(fresh.cached).toBe(0);
          expectSame(answer, fresh, `conversation ${first + index}, turn ${round}, ${JSON.stringify(set)}`);
          cached += answer.cached;
          if (round === 4 && set.length > 0) {
            const bare = await ask(engine, "fresh", prompt, 1);
            if (Math.abs((bare.logprobs[0] ?? 0) - (fresh.logprobs[0] ?? 0)) > 2e-2) moved++;
          }
          histories[index] = `${prompt}${answer.text}`.slice(0, 500);
        }
      }
    }
    expect(cached).toBeGreaterThan(conversations * 100);
    expect(moved).toBeGreaterThan(conversations / 4); // the adapters make a difference that shows
  },
);
