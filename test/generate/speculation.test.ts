import path from "node:path";
import { expect, test } from "vitest";
import type { Engine, GenerateOptions } from "../../src/index.js";
import { writeSyntheticModel } from "../../src/testing/index.js";
import { openEngine, tempDir } from "../support/engine.js";

const shape = { layers: 2, embedding: 64, heads: 4, kvHeads: 2, feedForward: 128, vocabulary: 260 };
const poem = "some words that are said once and then again by who copies them letter by letter until the end of it all";
/** The grammar allows only the poem, over and over. Bytes are the only tokens. */
const copying = `root ::= ${JSON.stringify(`${poem} `)} root`;

async function open(options = {}): Promise<Engine> {
  const file = path.join(await tempDir(), "random.gguf");
  await writeSyntheticModel(file, shape, { quantization: "F16" });
  const common = { path: file, contextSize: 1024, kvType: "f32" as const, ...options };
  return openEngine([], { models: { guessing: { ...common, speculation: "ngram" }, plain: common } });
}

async function run(engine: Engine, model: string, prompt: string, options: GenerateOptions) {
  const generation = engine.generate(prompt, { model, raw: true, logprobs: true, ...options });
  const tokens: { token: number; logprob: number }[] = [];
  for await (const event of generation) {
    if (event.type === "token" && event.logprob !== undefined)
      tokens.push({ token: event.token, logprob: event.logprob });
  }
  return { tokens, ...(await generation) };
}

test.each([
  ["greedy, a copy", { temperature: 0, grammar: copying, maxTokens: 300 }],
  ["sampled, a copy", { temperature: 1, seed: 7, grammar: copying, maxTokens: 300 }],
  ["a copy that ends inside a guess", { temperature: 0, grammar: copying, maxTokens: 131 }],
  ["a copy that meets a stop string", { temperature: 0, grammar: copying, stop: ["letter by l"] }],
  ["greedy, nothing to copy", { temperature: 0, maxTokens: 60 }],
  ["sampled, nothing to copy", { temperature: 1, seed: 5, maxTokens: 60 }],
] as const)("what is said is the same with guesses and without: %s", async (_, options) => {
  const engine = await open();
  const plain = await run(engine, "plain", poem, options);
  const guessed = await run(engine, "guessing", poem, options);
  expect(guessed.text).toBe(plain.text);
  expect(guessed.finishReason).toBe(plain.finishReason);
  expect(guessed.tokens.map(({ token }) => token)).toEqual(plain.tokens.map(({ token }) => token));
  for (const [i, { logprob }] of guessed.tokens.entries())
    expect(Math.abs(logprob - (plain.tokens[i]?.logprob ?? 0))).toBeLessThan(3e-3);
  expect(plain.usage.draftedTokens).toBeUndefined();
  expect(guessed.usage.completionTokens).toBe(plain.usage.completionTokens);
});

test("a copy is mostly guessed, and a guess that fails is not made again soon", async () => {
  const engine = await open();
  const copy = await run(engine, "guessing", poem, { temperature: 0, grammar: copying, maxTokens: 300 });
  expect(copy.usage.acceptedTokens).toBeGreaterThan(200);
  // Each letter may follow any other: eight in a row come again by chance alone.
  const noise = await run(engine, "guessing", poem.repeat(4), {
    temperature: 3,
    seed: 2,
    grammar: "root ::= [ab] root",
    maxTokens: 400,
  });
  expect(noise.usage.draftedTokens).toBeGreaterThan(0);
  expect(noise.usage.draftedTokens).toBeLessThan(400);
  expect(noise.usage.acceptedTokens).toBeLessThan(noise.usage.draftedTokens ?? 0);
});

test("what else was likely is the same with guesses and without", async () => {
  const engine = await open();
  const likeliest = async (model: string) => {
    const options = { model, raw: true, temperature: 0, grammar: copying, maxTokens: 150, topLogprobs: 3 } as const;
    return engine.generate(poem, options);
  };
  const [plain, guessed] = [await likeliest("plain"), await likeliest("guessing")];
  expect(guessed.usage.acceptedTokens).toBeGreaterThan(50);
  expect(guessed.logprobs?.length).toBe(plain.logprobs?.length);
  for (const [i, { token, topLogprobs = [] }] of (guessed.logprobs ?? []).entries()) {
    expect(token).toBe(plain.logprobs?.[i]?.token);
    const others = plain.logprobs?.[i]?.topLogprobs?.map(({ logprob }) => logprob) ?? [];
    expect(topLogprobs.map(({ logprob }, at) => Math.abs(logprob - (others[at] ?? 0)) < 3e-3)).toEqual([
      true,
      true,
      true,
    ]);
  }
});

test("hooks see each accepted token once, in order", async () => {
  const engine = await open();
  const seen: number[] = [];
  engine.hooks.on("streamToken", ({ tokenIndex }) => void seen.push(tokenIndex));
  const { usage } = await run(engine, "guessing", poem, { temperature: 0, grammar: copying, maxTokens: 250 });
  expect(usage.acceptedTokens).toBeGreaterThan(100);
  expect(seen.filter((index) => index >= 0)).toEqual([...seen].sort((a, b) => a - b));
});

test("the next turn continues from what was said, not from what was guessed", async () => {
  const engine = await open();
  const options = { temperature: 0, grammar: copying, maxTokens: 137 } as const;
  const first = await run(engine, "guessing", poem, options);
  const prompt = `${poem}${first.text}`;
  const next = await run(engine, "guessing", prompt, options);
  expect(next.usage.cachedTokens).toBe(next.usage.promptTokens - 1);
  const fresh = await run(engine, "plain", prompt, options);
  expect(next.text).toBe(fresh.text);
  for (const [i, { logprob }] of next.tokens.entries())
    expect(Math.abs(logprob - (fresh.tokens[i]?.logprob ?? 0))).toBeLessThan(3e-3);
});

test("many at once do not guess, and a small batch holds fewer guesses", async () => {
  const engine = await open({ parallel: 4, batchSize: 8 });
  const options = { temperature: 0, grammar: copying, maxTokens: 200 } as const;
  const alone = await run(engine, "plain", poem, options);
  const results = await Promise.all(Array.from({ length: 4 }, () => run(engine, "guessing", poem, options)));
  for (const { text } of results) expect(text).toBe(alone.text);
  expect((await run(engine, "guessing", poem, options)).text).toBe(alone.text);
});
