import path from "node:path";
import { expect, test } from "vitest";
import type { Engine, GenerateOptions, GenerateResult } from "../../src/index.js";
import { writeSyntheticModel } from "../../src/testing/index.js";
import { openEngine, rejection, tempDir } from "../support/engine.js";

const large = { layers: 4, embedding: 256, heads: 4, kvHeads: 2, feedForward: 704, vocabulary: 400 };
const small = { ...large, layers: 1, feedForward: 64 };
/** Both go round and round, at temperature 0: what the small one says next, the large one says too. */
const walk = 300;

interface Files {
  readonly dir: string;
  readonly target: string;
  readonly draft: string;
}

async function files(): Promise<Files> {
  const dir = await tempDir();
  const [target, draft] = [path.join(dir, "target.gguf"), path.join(dir, "draft.gguf")];
  await writeSyntheticModel(target, large, { quantization: "F16", walk });
  await writeSyntheticModel(draft, small, { quantization: "F16", walk });
  return { dir, target, draft };
}

async function open({ target, draft }: Files, options = {}): Promise<Engine> {
  const common = { path: target, contextSize: 1024, kvType: "f32" as const, ...options };
  return openEngine([], { models: { guessing: { ...common, draftModel: draft }, plain: common } });
}

async function run(engine: Engine, model: string, options: GenerateOptions, prompt = "Once upon a time") {
  const tokens: { token: number; logprob: number }[] = [];
  const generation = engine.generate(prompt, { model, raw: true, ignoreEos: true, logprobs: true, ...options });
  for await (const event of generation) {
    if (event.type === "token" && event.logprob !== undefined)
      tokens.push({ token: event.token, logprob: event.logprob });
  }
  return { tokens, ...(await generation) };
}

const share = ({ usage }: GenerateResult): number => (usage.acceptedTokens ?? 0) / (usage.draftedTokens ?? 0);

test.each([
  ["greedy", { temperature: 0, maxTokens: 200 }],
  ["sampled", { temperature: 1, seed: 3, maxTokens: 200 }],
  ["where guesses fail", { temperature: 0, grammar: "root ::= [ac] root", maxTokens: 100 }],
  ["ended by a grammar", { temperature: 0, grammar: 'root ::= [a-f]{20} "!"', ignoreEos: false }],
] as const)("with a draft model the same is said: %s", async (_, options) => {
  const engine = await open(await files());
  const plain = await run(engine, "plain", options);
  const guessed = await run(engine, "guessing", options);
  expect(guessed.tokens.map(({ token }) => token)).toEqual(plain.tokens.map(({ token }) => token));
  for (const [i, { logprob }] of guessed.tokens.entries())
    expect(Math.abs(logprob - (plain.tokens[i]?.logprob ?? 0))).toBeLessThan(3e-3);
  expect(guessed.text).toBe(plain.text);
  expect(guessed.finishReason).toBe(plain.finishReason);
  expect(guessed.usage.completionTokens).toBe(plain.usage.completionTokens);
  expect(plain.usage.draftedTokens).toBeUndefined();
});

test("most of what is said is guessed, after a prompt that takes the draft model several steps to read too", async () => {
  const engine = await open(await files());
  for (const prompt of ["Once", "word ".repeat(60)]) {
    const result = await run(engine, "guessing", { temperature: 0, maxTokens: 200 }, prompt);
    expect(result.usage.draftedTokens).toBeGreaterThan(120);
    expect(share(result)).toBeGreaterThan(0.9);
  }
});

test("guesses that fail pause, and the generation ends as it would", async () => {
  const engine = await open(await files());
  // The grammar allows only every other letter of the model's text, and the draft model does not know that.
  const { usage } = await run(engine, "guessing", { temperature: 0, grammar: "root ::= [ac] root", maxTokens: 250 });
  expect(usage.completionTokens).toBe(250);
  expect(usage.draftedTokens).toBeGreaterThan(0);
  expect(usage.draftedTokens).toBeLessThan(80);
});

test("conversations that change places, share a beginning and run two at a time keep their guesses", async () => {
  const engine = await open(await files(), { parallel: 2 });
  const options = { temperature: 0, maxTokens: 80 } as const;
  const starts = ["One thing", "One other thing", "Quite another", "One thing"];
  for (const start of starts) {
    const first = await run(engine, "guessing", options, start);
    const [again, other] = await Promise.all([
      run(engine, "guessing", options, start + first.text),
      run(engine, "guessing", options, `${start}?`),
    ]);
    // With ignoreEos, only the tokens that would end the walk are left out: one guess fails at each of them.
    expect(share(again)).toBeGreaterThan(0.8);
    expect(share(other)).toBeGreaterThan(0.8);
    expect(again.text).toBe((await run(engine, "plain", options, start + first.text)).text);
    expect(other.text).toBe((await run(engine, "plain", options, `${start}?`)).text);
  }
});

test("with ngram too, words that come again are guessed without the model", async () => {
  const engine = await open(await files(), { speculation: "ngram" });
  const result = await run(engine, "guessing", { temperature: 0, maxTokens: 700 });
  expect(result.usage.acceptedTokens).toBeGreaterThan(500);
});

test("modelLoad sees the draft model, counts it, and may take it away", async () => {
  const given = await files();
  const engine = await openEngine([]);
  const estimates: number[] = [];
  engine.hooks.on("modelLoad", ({ modelId, params, estimate }) => {
    estimates.push(estimate.hostBytes);
    if (modelId === "without") return { params: { ...params, draftModel: undefined } };
    expect(params.draftModel).toBe(given.draft);
    return undefined;
  });
  await engine.models.load("guessing", { path: given.target, draftModel: given.draft });
  await engine.models.load("without", { path: given.target, draftModel: given.draft });
  const plain = await run(engine, "without", { temperature: 0, maxTokens: 50 });
  expect(plain.usage.draftedTokens).toBeUndefined();
  engine.hooks.clear();
  engine.hooks.on("modelLoad", ({ estimate }) => void estimates.push(estimate.hostBytes));
  await engine.models.load("plain", { path: given.target });
  expect(estimates[0]).toBeGreaterThan(estimates[2] ?? 0);
});

test("a draft model that cannot guess for the model is refused by name, and the engine loads on", async () => {
  const given = await files();
  const engine = await openEngine([]);
  const load = (draftModel: string, target = given.target): Promise<unknown> =>
    rejection(engine.models.load("target", { path: target, draftModel }));
  const vocabulary = path.join(given.dir, "vocabulary.gguf");
  await writeSyntheticModel(vocabulary, { ...small, vocabulary: 700 });
  expect(await load(vocabulary)).toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringMatching(/vocabulary\.gguf .*700 tokens, and the model's 400/) as string,
  });
  expect(await load(engine.models.describe("default").path)).toMatchObject({ code: "INVALID_ARGUMENT" });
  expect(await load(path.join(given.dir, "none.gguf"))).toMatchObject({
    code: "MODEL_FILE_NOT_FOUND",
    message: expect.stringContaining("none.gguf") as string,
  });
  const hybrid = path.join(given.dir, "hybrid.gguf");
  await writeSyntheticModel(hybrid, { ...large, architecture: "lfm2" });
  expect(await load(hybrid)).toMatchObject({ code: "INVALID_ARGUMENT", message: expect.stringContaining("cut back") });
  expect(await load(given.draft, hybrid)).toMatchObject({ code: "INVALID_ARGUMENT" });
  await engine.models.load("target", { path: given.target, draftModel: given.draft });
  expect((await run(engine, "target", { temperature: 0, maxTokens: 20 })).usage.completionTokens).toBe(20);
});
