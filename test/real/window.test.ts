// 30 turns over Gemma's sliding window, of 512 tokens: an engine that keeps what it has read says what a cold one says.
import { expect, test } from "vitest";
import type { Engine } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { expectClose } from "../support/real/closeness.js";
import { gemma16 as model } from "../support/real/models.js";
import { preamble, prompts } from "../support/real/prompts.js";

const contextSize = 4096;
const options = { raw: true, temperature: 0, maxTokens: 12, topLogprobs: 5 } as const;

/** The answer of an engine, with the tokens that it read. */
async function answer(engine: Engine, prompt: string) {
  const { text, logprobs = [], usage } = await engine.generate(prompt, options);
  return { text, logprobs, read: usage.promptTokens - usage.cachedTokens, all: usage.promptTokens };
}

test("Gemma 3 270M: 30 turns, a third of them beside a cold engine", async () => {
  const warm = await openEngine([], { model, contextSize, parallel: 1 });
  let said = preamble;
  let compared = 0;
  let longest = 0;
  for (const [turn, prompt] of prompts(30).entries()) {
    said += `\n\n${prompt}\n`;
    const ours = await answer(warm, said);
    const before = said;
    said += ours.text;
    longest = ours.all;
    if (turn > 0) expect(ours.read).toBeLessThan(100);
    if (turn % 3 !== 2) continue;
    // Without the memory of other prompts.
    const cold = await openEngine([], { model, contextSize, parallel: 1 });
    const theirs = await answer(cold, before);
    await cold.close();
    expect(theirs.read).toBe(theirs.all);
    compared += expectClose(ours.logprobs, theirs.logprobs);
  }
  expect(longest).toBeGreaterThan(512 + 256);
  expect(compared).toBeGreaterThan(100);
});
