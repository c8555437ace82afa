// LoRA adapters of SmolLM2, which are trained here: log probabilities are those of the adapted weights in 64-bit numbers.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdapterChoice, createEngine, type Engine } from "../../src/index.js";
import { adaptedLogprobs, type AdaptedText, smollm16, trainAdapters } from "../support/real/models.js";

const invocation = "<|im_start|>assistant\n";
const questions = { lamp: "Who keeps the lamp?", shop: "What is in the shop?" };
const answers = {
  keeper: "The lamp is kept by Odd Nansen.",
  seller: "Green hats and yellow maps.",
  buyer: "I buy it.",
};
/** The prompts of the questions. */
let lamp = "";
let shop = "";

let folder = "";
let engine: Engine;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "llama-hooks-adapters-"));
  engine = await createEngine({ gpu: false, threads: 1, model: smollm16, contextSize: 512 });
  const ask = (content: string): Promise<string> =>
    engine.models.renderPrompt(undefined, { messages: [{ role: "user", content }] });
  [lamp, shop] = await Promise.all([ask(questions.lamp), ask(questions.shop)]);
  const lesson = async (prompt: string, answer: string) => {
    const [ids, before] = await Promise.all([tokens(`${prompt}${answer}<|im_end|>`), tokens(prompt)]);
    return { ids, answer: ids.length - before.length };
  };
  const losses = await trainAdapters(folder, {
    keeper: await lesson(lamp, answers.keeper),
    buyer: await lesson(shop, answers.buyer),
    seller: { ...(await lesson(shop, answers.seller)), invocation: await tokens(invocation) },
  });
  for (const [name, loss] of Object.entries(losses)) {
    expect({ name, learnt: loss < 0.2 }).toEqual({ name, learnt: true });
    await engine.adapters.load(name, { path: path.join(folder, `${name}.gguf`) });
  }
}, 600_000);
afterAll(async () => {
  await engine.close();
  await rm(folder, { recursive: true });
});

const tokens = (text: string): Promise<readonly number[]> =>
  engine.models.tokenize(undefined, text, { parseSpecial: true });

type Written = Awaited<ReturnType<typeof written>>;

/** The text that the model writes with adapters, and the same for the reference. */
async function written(prompt: string, adapters: readonly AdapterChoice[]) {
  const options = { raw: true, temperature: 0, maxTokens: 8, topLogprobs: 5, adapters } as const;
  const { text, logprobs = [] } = await engine.generate(prompt, options);
  const ids = await tokens(prompt);
  const before = await tokens(prompt.slice(0, prompt.lastIndexOf(invocation)));
  const adapted: AdaptedText = {
    ids: [...ids, ...logprobs.slice(0, -1).map(({ token }) => token)],
    since: ids.length - 1,
    adapters: adapters.map(({ id, scale = 1 }) => ({
      folder: path.join(folder, id),
      scale,
      start: id === "seller" ? before.length : 0,
    })),
  };
  return { text, logprobs, adapted };
}

test("log probabilities with one, at half its strength, with two, and with an aLoRA", async () => {
  const cases: [string, AdapterChoice[]][] = [
    [lamp, []],
    [lamp, [{ id: "keeper" }]],
    [lamp, [{ id: "keeper", scale: 0.5 }]],
    [shop, [{ id: "seller" }]],
    [shop, [{ id: "keeper", scale: 0.7 }, { id: "buyer" }]],
  ];
  const got = [];
  for (const [prompt, adapters] of cases) got.push(await written(prompt, adapters));
  const expected = await adaptedLogprobs(got.map(({ adapted }) => adapted));
  let compared = 0;
  const far = [];
  for (const [run, { logprobs }] of got.entries()) {
    expect(logprobs.length).toBeGreaterThan(3);
    for (const [at, { topLogprobs = [] }] of logprobs.entries()) {
      const reference = new Map(expected[run]?.[at]);
      for (const { token, logprob } of topLogprobs) {
        const difference = Math.abs(logprob - (reference.get(token) ?? Number.NaN));
        if (logprob < Math.log(0.01)) continue; // 16 bits do not hold what is hardly ever chosen
        if (!(difference < 0.01)) far.push({ run, at, token, logprob, difference });
        compared += 1;
      }
    }
  }
  expect(far).toEqual([]);
  expect(compared).toBeGreaterThan(50);
});

/** The same tokens, as likely but for what a cached beginning of the prompt makes of the last digits. */
function expectSame(a: Written, b: Written): void {
  const tokensOf = ({ logprobs }: Written): number[] => logprobs.map(({ token }) => token);
  expect(tokensOf(a)).toEqual(tokensOf(b));
  for (const [at, { logprob }] of a.logprobs.entries()) {
    expect(Math.abs(logprob - (b.logprobs[at]?.logprob ?? Number.NaN))).toBeLessThan(0.005);
  }
}

test("an adapter is learnt text; off it is the model; a session swaps between two", async () => {
  const base = await written(lamp, []);
  const kept = await written(lamp, [{ id: "keeper" }]);
  expect(answers.keeper.startsWith(kept.text) && kept.text !== base.text).toBe(true);
  for (const off of [[{ id: "keeper", scale: 0 }], []]) expectSame(await written(lamp, off), base);
  const session = engine.session({ temperature: 0, maxTokens: 24 });
  const turn = async (question: string, adapters: readonly AdapterChoice[]): Promise<string> =>
    (await session.run(question, { adapters })).text;
  const first = await turn(questions.lamp, [{ id: "keeper" }]);
  session.rewind(null);
  const second = await turn(questions.shop, [{ id: "seller" }]);
  session.rewind(null);
  expect([first, second]).toEqual([answers.keeper, answers.seller]);
  expect(await turn(questions.lamp, [])).not.toBe(first);
  session.rewind(null);
  expect(await turn(questions.lamp, [{ id: "keeper" }])).toBe(first);
  // An aLoRA acts where its tokens are: without them it is off.
  const plain = "The lamp in the tower";
  expectSame(await written(plain, [{ id: "seller" }]), await written(plain, []));
});
