// P19: more conversations than sequences, taking turns: how much of a conversation is still cached at its next turn,
// and what it takes to restore it. Must not: let conversations share a beginning.
import { median } from "../../dist/bench/results/statistics.js";
import { knownOptions, plainly, withEngine } from "./engine.mjs";

/**
 * Two rounds of turns. `shares`: the percentage of a conversation's tokens that its second turn did not evaluate again.
 * `swapMs`: the time to the first token of an evicted conversation, minus that of the same prompt repeated, which is
 * then in place. Null if nothing is kept.
 */
export function measure({ model, gpu, threads, prompt, contextSize, conversations, sequences, cacheMemory }) {
  const options = { model, gpu, threads, contextSize, parallel: sequences, ...knownOptions({ cacheMemory }) };
  return withEngine(options, async (engine) => {
    const ask = (text) => engine.generate(text, { ...plainly, maxTokens: 4 });
    const texts = Array.from({ length: conversations }, (_, index) => `${index + 1} ${prompt}`);
    const earlier = [];
    const shares = [];
    let promptTokens = 0;
    for (const [index, text] of texts.entries()) {
      const { text: answer, usage } = await ask(text);
      promptTokens = usage.promptTokens;
      earlier.push(usage.promptTokens + usage.completionTokens);
      texts[index] = `${text}${answer} And then?`;
    }
    for (const [index, text] of texts.entries()) {
      const { usage } = await ask(text);
      shares.push((usage.cachedTokens / earlier[index]) * 100);
    }
    const swaps = median(shares) < 50 ? [] : await swapTimes(engine, texts);
    return { promptTokens, shares, swapMs: swaps.length === 0 ? null : swaps };
  });
}

async function swapTimes(engine, texts) {
  const times = [];
  for (const text of texts) {
    const back = await firstToken(engine, text);
    times.push(back - (await firstToken(engine, text)));
  }
  return times;
}

async function firstToken(engine, text) {
  const begin = performance.now();
  await engine.generate(text, { ...plainly, maxTokens: 1 });
  return performance.now() - begin;
}
