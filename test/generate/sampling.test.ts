import { expect, test } from "vitest";
import type { Engine, SamplingOptions } from "../../src/index.js";
import { openRandomEngine } from "../support/models/random-model.js";

const base = { temperature: 1, seed: 7, maxTokens: 24 } as const;

async function write(engine: Engine, options: SamplingOptions): Promise<number[]> {
  const tokens: number[] = [];
  // Whole characters only are events: the numbers are of the tokens that completed one.
  for await (const event of engine.generate("Write", { ...base, ...options })) {
    if (event.type === "token") tokens.push(event.token);
  }
  return tokens;
}

test("the same seed gives the same text, another seed another", async () => {
  const engine = await openRandomEngine();
  const texts = new Set<string>();
  for (const seed of [0, 1, 2, 4294967294]) {
    const { text } = await engine.generate("Write", { ...base, seed });
    expect((await engine.generate("Write", { ...base, seed })).text).toBe(text);
    texts.add(text);
  }
  expect(texts.size).toBe(4);
});

test("the same seed gives the same text in a new engine", async () => {
  const [left, right] = [await openRandomEngine(), await openRandomEngine()];
  expect((await left.generate("Write", base)).text).toBe((await right.generate("Write", base)).text);
});

test("without a seed each call writes something else", async () => {
  const engine = await openRandomEngine();
  const texts = await Promise.all(
    [1, 2, 3].map(() => engine.generate("Write", { temperature: 1, maxTokens: 24 }).then(({ text }) => text)),
  );
  expect(new Set(texts).size).toBe(3);
});

test("temperature 0 takes the likeliest token, whatever the seed", async () => {
  const engine = await openRandomEngine();
  const texts = await Promise.all(
    [1, 2, 3].map((seed) => engine.generate("Write", { ...base, temperature: 0, seed }).then(({ text }) => text)),
  );
  expect(new Set(texts).size).toBe(1);
});

test.each<[string, SamplingOptions]>([
  ["topK 1", { topK: 1 }],
  ["topP 0", { topP: 0 }],
  ["minP 1", { minP: 1 }],
  ["a tiny temperature", { temperature: 1e-4 }],
  ["a tiny topNSigma", { topNSigma: 1e-6 }],
  ["topNSigma 0", { topNSigma: 0 }],
])("%s is greedy", async (_, options) => {
  const engine = await openRandomEngine();
  expect(await write(engine, options)).toEqual(await write(engine, { temperature: 0 }));
});

const wide = { topK: 0, topP: 1, minP: 0 } as const;

test.each<[string, SamplingOptions]>([
  ["temperature", { temperature: 3 }],
  ["dynatempRange", { dynatempRange: 1 }],
  ["topK", { topK: 3 }],
  ["topP", { topP: 0.1 }],
  ["minP", { minP: 0.9 }],
  ["typicalP", { typicalP: 0.1 }],
  ["topNSigma", { topNSigma: 0.5 }],
  ["mirostat 1", { mirostat: 1 }],
  ["mirostat 2", { mirostat: 2 }],
  ["adaptiveTarget", { adaptiveTarget: 0.01 }],
  ["xtc", { xtcProbability: 1, xtcThreshold: 0.001 }],
  ["presencePenalty", { presencePenalty: 50 }],
])("%s changes what is sampled", async (_, options) => {
  const engine = await openRandomEngine();
  expect(await write(engine, { ...wide, ...options })).not.toEqual(await write(engine, wide));
});

test("mirostat's tau and eta change what is sampled", async () => {
  const engine = await openRandomEngine();
  const plain = await write(engine, { mirostat: 2, mirostatTau: 5, mirostatEta: 0.1 });
  expect(await write(engine, { mirostat: 2, mirostatTau: 1, mirostatEta: 0.1 })).not.toEqual(plain);
  expect(await write(engine, { mirostat: 2, mirostatTau: 5, mirostatEta: 1 })).not.toEqual(plain);
});

test("adaptiveDecay changes what is sampled, and nothing while adaptiveTarget is off", async () => {
  const engine = await openRandomEngine();
  // Only where tokens differ much in probability does it matter which of them are remembered.
  const peaked = { ...wide, temperature: 0.05 };
  const near = { ...peaked, adaptiveTarget: 0.5 };
  expect(await write(engine, { ...near, adaptiveDecay: 0 })).not.toEqual(await write(engine, near));
  expect(await write(engine, { ...peaked, adaptiveDecay: 0 })).toEqual(await write(engine, peaked));
});

test.each<[string, SamplingOptions]>([
  ["repeatPenalty", { repeatPenalty: 100 }],
  ["presencePenalty", { presencePenalty: 100 }],
  ["frequencyPenalty", { frequencyPenalty: 100 }],
])("%s keeps a token from coming again", async (_, options) => {
  const engine = await openRandomEngine();
  const long = { temperature: 0, maxTokens: 60 };
  const repeated = await write(engine, long);
  expect(new Set(repeated).size).toBeLessThan(repeated.length);
  const penalized = await write(engine, { ...long, ...options, penaltyLastN: 200 });
  expect(new Set(penalized).size).toBe(penalized.length);
  expect(await write(engine, { ...long, ...options, penaltyLastN: 0 })).toEqual(repeated);
});

test("DRY keeps a sequence from coming again", async () => {
  const engine = await openRandomEngine();
  const long = { temperature: 0, maxTokens: 100 };
  const dry = { dryMultiplier: 100, dryBase: 2, dryAllowedLength: 1, dryPenaltyLastN: 200 };
  const repeated = await write(engine, long);
  expect(await write(engine, { ...long, ...dry, drySequenceBreakers: [] })).not.toEqual(repeated);
  expect(await write(engine, { ...long, ...dry, dryAllowedLength: 1000 })).toEqual(repeated);
});

test("logitBias bans a token", async () => {
  const engine = await openRandomEngine();
  const tokens = await write(engine, { temperature: 0 });
  const banned = tokens[tokens.length - 1] ?? -1;
  const logitBias = [{ token: banned, bias: null }];
  expect(await write(engine, { temperature: 0, logitBias })).not.toContain(banned);
});

test("logitBias makes a token certain", async () => {
  const engine = await openRandomEngine();
  const [token = -1] = await engine.models.tokenize(undefined, "x");
  const { text } = await engine.generate("Write", { ...base, maxTokens: 5, logitBias: [{ token, bias: 1000 }] });
  expect(text).toBe("xxxxx");
});

test("greedy decoding adds biases up as the chain of samplers does", async () => {
  const engine = await openRandomEngine();
  const greedy = { temperature: 0, maxTokens: 40 };
  const [top = -1, second = -1] = new Set(await write(engine, greedy));
  const texts = new Set<string>();
  for (const biases of [
    [[top, null]],
    [
      [top, null],
      [second, null],
    ],
    [[top, -0.02]],
    [[second, 0.05]],
    [
      [top, -0.03],
      [top, 0.02],
      [second, 0.01],
    ],
    [[second, 1e30]],
  ] as const) {
    const logitBias = biases.map(([token, bias]) => ({ token, bias }));
    const tokens = await write(engine, { ...greedy, logitBias });
    // DRY of no strength: it asks for the chain, and changes nothing.
    const dry = { dryMultiplier: 1e-9, dryAllowedLength: 1000 };
    expect(await write(engine, { ...greedy, logitBias, ...dry })).toEqual(tokens);
    texts.add(tokens.join(" "));
  }
  expect(texts.size).toBeGreaterThan(2);
});

test("log probabilities are those of the model, whatever is sampled", async () => {
  const engine = await openRandomEngine();
  const logprobs: number[] = [];
  for await (const event of engine.generate("Write", { ...base, ...wide, logprobs: true })) {
    if (event.type === "token") logprobs.push(event.logprob ?? NaN);
  }
  expect(logprobs.length).toBeGreaterThan(0);
  expect(logprobs.filter((value) => !(value < 0 && value > -20))).toEqual([]);
});

test("what was asked for is what preGenerate sees", async () => {
  const engine = await openRandomEngine();
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ params }) => void seen.push(params));
  const asked = {
    maxTokens: 1,
    topK: 5,
    mirostat: 2,
    seed: 9,
    stop: ["x"],
    ignoreEos: true,
    toolChoice: "none",
  } as const;
  await engine.generate("Write", { ...asked, logitBias: [{ token: 3, bias: null }] });
  expect(seen).toMatchObject([{ ...asked, logitBias: [{ token: 3, bias: null }] }]);
});

test("preGenerate sees numbers as they were asked for, and every default as documented", async () => {
  const engine = await openRandomEngine();
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ params }) => void seen.push(params));
  const asked = { temperature: 0.7, topP: 0.9, minP: 0.1, repeatPenalty: 1.1, mirostatEta: 0.3 };
  await engine.generate("Write", { maxTokens: 1, ...asked, logitBias: [{ token: 3, bias: 0.1 }] });
  await engine.generate("Write", { maxTokens: 1 });
  expect(seen).toMatchObject([
    { ...asked, logitBias: [{ token: 3, bias: 0.1 }] },
    { temperature: 0.8, topP: 0.95, minP: 0.05, xtcThreshold: 0.1, dryBase: 1.75 },
  ]);
});
