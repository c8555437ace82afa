// Gemma 3 270M answers alike however an answer comes about: several at once, after an edit of the history, from the
// store of swapped-out states, and as a remote model. Batches of other sizes round in other ways.
import { expect, test } from "vitest";
import { type Engine, type GenerateOptions, remote } from "../../src/index.js";
import { amount } from "../support/amount.js";
import { openEngine } from "../support/engine.js";
import { serveEngine } from "../support/http/server.js";
import { expectClose } from "../support/real/closeness.js";
import { gemma, gemma16 as model } from "../support/real/models.js";
import { preamble, prompts } from "../support/real/prompts.js";

const contextSize = 2048;
const options = { raw: true, temperature: 0, maxTokens: 16, topLogprobs: 5 } as const;
const some = prompts(100).slice(0, amount(20, 100));

async function answer(engine: Engine, prompt: string, more: GenerateOptions = {}) {
  const { text, logprobs = [], usage } = await engine.generate(prompt, { ...options, ...more });
  return { text, logprobs, cached: usage.cachedTokens };
}

/** The answers of an engine that remembers nothing. */
async function cold(asked: readonly string[]) {
  const found = [];
  for (const prompt of asked) {
    const engine = await openEngine([], { model, contextSize, parallel: 1 });
    found.push(await answer(engine, prompt));
    await engine.close();
  }
  return found;
}

function expectAllClose(ours: readonly Awaited<ReturnType<typeof answer>>[], theirs: typeof ours): void {
  let compared = 0;
  for (const [at, { logprobs }] of ours.entries()) compared += expectClose(logprobs, theirs[at]?.logprobs ?? []);
  expect(compared).toBeGreaterThan(ours.length * 2);
}

test("four at once", async () => {
  const engine = await openEngine([], { model, contextSize, parallel: 4 });
  const ours = [];
  for (let at = 0; at < some.length; at += 4)
    ours.push(...(await Promise.all(some.slice(at, at + 4).map((prompt) => answer(engine, prompt)))));
  expectAllClose(ours, await cold(some));
});

test("after an edit of the history", async () => {
  const engine = await openEngine([], { model, contextSize, parallel: 1 });
  const edited = [];
  const ours = [];
  for (const prompt of some.slice(0, 10)) {
    const beginning = `${preamble}\n\n${prompt}\n`;
    await answer(engine, `${beginning}${(await answer(engine, beginning)).text}\n\nSay more about it.\n`);
    edited.push(`${beginning}It is well known.\n\nSay it in other words.\n`);
    const again = await answer(engine, edited.at(-1) ?? "");
    expect(again.cached).toBeGreaterThan(100);
    ours.push(again);
  }
  expectAllClose(ours, await cold(edited));
});

test("from the store, after other conversations took the sequence", async () => {
  const engine = await openEngine([], { model, contextSize, parallel: 1, cacheMemory: 256 });
  const beginnings = some.slice(0, 6).map((prompt) => `${prompt}\n\n${preamble}\n`);
  const continued = [];
  for (const beginning of beginnings)
    continued.push(`${beginning}${(await answer(engine, beginning)).text}\n\nWhat is it about?\n`);
  const ours = [];
  for (const prompt of continued) ours.push(await answer(engine, prompt));
  for (const { cached } of ours) expect(cached).toBeGreaterThan(100);
  expectAllClose(ours, await cold(continued));
});

test("as a remote model", async () => {
  const open = () => openEngine([], { model: gemma, contextSize, parallel: 1 });
  const served = await serveEngine(await open());
  const provider = remote(served.server.url, { model: "default" });
  const far = await openEngine([], { models: { far: { provider, contextSize } } });
  const near = await open();
  for (const prompt of some) {
    const { text } = await near.generate(prompt, { temperature: 0, maxTokens: 16 });
    expect((await far.generate(prompt, { temperature: 0, maxTokens: 16 })).text).toBe(text);
  }
});
