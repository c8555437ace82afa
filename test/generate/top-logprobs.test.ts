// `topLogprobs` returns the other likely tokens, in events and results. Hooks may remove them.
import { expect, test } from "vitest";
import {
  bundledModel,
  type Engine,
  type GenerateEvent,
  type GenerateOptions,
  type GenerateResult,
} from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { asks, tools } from "../support/sessions.js";
import { templateSource } from "../support/templates/template-files.js";
import { openRandomEngine } from "../support/models/random-model.js";

type TokenEvent = Extract<GenerateEvent, { type: "token" }>;
type TopLogprob = NonNullable<TokenEvent["topLogprobs"]>[number];

async function write(
  engine: Engine,
  options: GenerateOptions,
): Promise<{ tokens: TokenEvent[]; result: GenerateResult }> {
  const tokens: TokenEvent[] = [];
  const generation = engine.generate("Write", options);
  for await (const event of generation) if (event.type === "token") tokens.push(event);
  return { tokens, result: await generation };
}

const base = { temperature: 0, maxTokens: 12 } as const;
const sum = (of: readonly TopLogprob[]): number => of.reduce((all, { logprob }) => all + Math.exp(logprob), 0);

/** The entries of all events. */
const entriesOf = (tokens: readonly TokenEvent[]) => tokens.flatMap(({ logprobs = [] }) => logprobs);

const bytesOf = (text: string): number[] => [...Buffer.from(text)];

/** The bundled model, and one whose weights are random. */
const models = [
  ["the bundled model", () => openEngine([], { model: bundledModel })],
  ["a random model", () => openRandomEngine()],
] as const;

test.each(models)(
  "%s: the likeliest first, each once, no more than certain, and the greedy one is the first",
  async (_, open) => {
    const { tokens, result } = await write(await open(), { ...base, topLogprobs: 20 });
    expect(tokens.length).toBeGreaterThan(3);
    for (const { token, logprob, topLogprobs = [] } of entriesOf(tokens)) {
      expect(topLogprobs.length).toBe(20);
      expect(new Set(topLogprobs.map((one) => one.token)).size).toBe(20);
      expect(topLogprobs.map((one) => one.logprob)).toEqual(
        topLogprobs.map((one) => one.logprob).sort((a, b) => b - a),
      );
      expect(sum(topLogprobs)).toBeGreaterThan(0);
      expect(sum(topLogprobs)).toBeLessThanOrEqual(1 + 1e-9);
      expect(topLogprobs[0]).toMatchObject({ token, logprob });
    }
    expect(result.logprobs).toEqual(entriesOf(tokens));
    expect(result.logprobs).toHaveLength(result.usage.completionTokens);
  },
);

test("they are the model's own, whatever changes what is sampled", async () => {
  const engine = await openRandomEngine();
  const first = async (options: GenerateOptions): Promise<unknown> =>
    (await write(engine, { maxTokens: 1, topLogprobs: 5, ...options })).tokens[0]?.topLogprobs;
  const [x = -1] = await engine.models.tokenize(undefined, "x");
  const own = await first({ logitBias: [{ token: x, bias: 1000 }] });
  expect(own).toHaveLength(5);
  expect(await first({ temperature: 5, seed: 1, grammar: `root ::= "y"` })).toEqual(own);
  expect(await first({ temperature: 1, topK: 1, logitBias: [{ token: x, bias: 1000 }] })).toEqual(own);
});

test("each has the log probability that it has when it is the one that is sampled", async () => {
  const engine = await openRandomEngine();
  const alone = async (token: number): Promise<TokenEvent | undefined> =>
    (await write(engine, { ...base, maxTokens: 1, topLogprobs: 20, logitBias: [{ token, bias: 1000 }] })).tokens[0];
  const [letter = -1] = await engine.models.tokenize(undefined, "a");
  const top = (await alone(letter))?.topLogprobs ?? [];
  const least = top.at(-1)?.logprob ?? 0;
  const letters = await engine.models.tokenize(
    undefined,
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
  );
  let whole = 0;
  let found = 0;
  for (const token of letters) {
    const sampled = await alone(token);
    expect(sampled?.topLogprobs).toEqual(top);
    const listed = top.find((one) => one.token === token);
    if (listed === undefined) expect(sampled?.logprob).toBeLessThanOrEqual(least);
    else
      expect(listed).toEqual({
        token,
        text: sampled?.text,
        bytes: bytesOf(sampled?.text ?? ""),
        logprob: sampled?.logprob,
      });
    found += listed === undefined ? 0 : 1;
    whole += Math.exp(sampled?.logprob ?? 0);
  }
  expect(found).toBeGreaterThan(0);
  const unseen = top.filter(({ token }) => !letters.includes(token));
  expect(whole + sum(unseen)).toBeLessThanOrEqual(1 + 1e-9);
});

test("what differs by a logit differs by as much in its log probability: a softmax by hand", async () => {
  // All tokens but the one that the script has next are equally unlikely.
  const engine = await openEngine([{ pieces: ["One", " two"] }]);
  const { vocabularySize } = engine.models.describe("default");
  const { tokens } = await write(engine, { topLogprobs: 3 });
  const [first, second, third] = tokens[0]?.topLogprobs ?? [];
  const rest = (1 - Math.exp(first?.logprob ?? 0)) / (vocabularySize - 1);
  expect([first?.text, second?.logprob === third?.logprob]).toEqual(["One", true]);
  expect(Math.exp(second?.logprob ?? 0)).toBeCloseTo(rest, 9);
});

test("without being asked for there is none, and logprobs alone gives each token's own", async () => {
  const engine = await openEngine([{ pieces: ["One", " two"] }]);
  const plain = await write(engine, {});
  expect(plain.result).not.toHaveProperty("logprobs");
  expect(plain.tokens.flatMap((token) => Object.keys(token))).not.toContain("topLogprobs");
  const own = await write(engine, { logprobs: true });
  expect(own.result.logprobs?.map((token) => Object.keys(token).sort().join(" "))).toEqual(
    Array(2).fill("bytes index kind logprob text token"),
  );
});

test("a part of a character is shown as U+FFFD, a control token by its name", async () => {
  const engine = await openRandomEngine();
  const { tokens } = await write(engine, { ...base, temperature: 1, seed: 3, maxTokens: 60, topLogprobs: 20 });
  const all = tokens.flatMap(({ topLogprobs = [] }) => topLogprobs);
  expect(all.some(({ text }) => text === "\ufffd")).toBe(true);
  for (const { token, text } of all.slice(0, 100))
    expect(await engine.models.detokenize(undefined, [token], { special: true })).toBe(text);
});

test("as many as there are tokens, when the limit or a cancel cuts the answer off", async () => {
  const engine = await openRandomEngine();
  const limited = await write(engine, { ...base, maxTokens: 5, topLogprobs: 2 });
  expect(limited.result.finishReason).toBe("length");
  expect(limited.result.logprobs).toHaveLength(5);
  const generation = engine.generate("Write", { ...base, maxTokens: 200, topLogprobs: 2 });
  const seen: TokenEvent[] = [];
  for await (const event of generation) {
    if (event.type === "token") seen.push(event);
    if (seen.length === 3) generation.cancel();
  }
  const result = await generation;
  expect(result.finishReason).toBe("cancelled");
  expect(result.logprobs).toEqual(entriesOf(seen));
  expect(result.logprobs).toHaveLength(result.usage.completionTokens);
});

const secret = ["The", " key", " is", " hunter2", "."];

test("a secret that a hook masks or drops is in no log probability, nor is its token", async () => {
  for (const answer of [{ text: " ####" }, { drop: true }]) {
    const engine = await openEngine([{ pieces: secret }]);
    const [hidden = -1] = await engine.models.tokenize(undefined, " hunter2");
    engine.hooks.on("streamToken", ({ text }) => (text === " hunter2" ? answer : undefined));
    const { tokens, result } = await write(engine, { topLogprobs: 20 });
    const kept = tokens.filter(({ logprob }) => logprob !== undefined);
    expect(kept.map(({ text, topLogprobs }) => [text, topLogprobs?.length])).toEqual([
      ["The", 20],
      [" key", 20],
      [" is", 20],
      [".", undefined],
    ]);
    expect(result.logprobs?.map(({ text, topLogprobs }) => [text, topLogprobs])).toEqual(
      ["The", " key", " is", "."].map((text) => [text, undefined]),
    );
    expect(tokens.map(({ token }) => token)).not.toContain(hidden);
    expect(JSON.stringify(result)).not.toContain("hunter2");
    const held = await write(engine, { topLogprobs: 20, stream: "held" });
    expect(held.tokens.map(({ topLogprobs }) => topLogprobs).filter((one) => one !== undefined)).toEqual([]);
  }
});

test("text that a hook has held and joined has the entries of its tokens, and no separate log probability", async () => {
  const engine = await openEngine([{ pieces: ["a", " b", " c"] }]);
  engine.hooks.on("streamToken", ({ text }) => (text === " b" ? { hold: true } : undefined));
  const { tokens, result } = await write(engine, { topLogprobs: 1 });
  expect(tokens.map(({ text, logprob, topLogprobs }) => [text, logprob !== undefined, topLogprobs?.length])).toEqual([
    ["a", true, 1],
    [" b c", false, undefined],
  ]);
  expect(tokens.map(({ logprobs = [] }) => logprobs.map(({ text }) => text))).toEqual([["a"], [" b", " c"]]);
  expect(result.logprobs).toEqual(entriesOf(tokens));
});

/** What is left of the tokens of "The key is hunter2." where a hook does this. */
async function leftBy(hook: (text: string, final: boolean) => object | undefined, pieces: readonly string[]) {
  const engine = await openEngine([{ pieces }]);
  engine.hooks.on("streamToken", ({ text, final = false }) => hook(text, final));
  const { tokens, result } = await write(engine, { topLogprobs: 3 });
  expect(result.logprobs ?? []).toEqual(entriesOf(tokens).map((token) => ({ ...token, topLogprobs: undefined })));
  return { text: result.text, entries: (result.logprobs ?? []).map(({ text }) => text) };
}

test("text that a hook has held and then changed or dropped has none of its tokens", async () => {
  const pieces = ["The", " key", " is", " hun", "ter2", "."];
  const masks = (text: string): object | undefined => {
    if (text === " hun") return { hold: true };
    return text === " hunter2" ? { text: " ####" } : undefined;
  };
  expect(await leftBy(masks, pieces)).toEqual({ text: "The key is ####.", entries: ["The", " key", " is", "."] });
  const drops = (text: string): object | undefined => {
    if (text === " hun") return { hold: true };
    return text === " hunter2" ? { drop: true } : undefined;
  };
  expect(await leftBy(drops, pieces)).toEqual({ text: "The key is.", entries: ["The", " key", " is", "."] });
  const atTheEnd = (text: string, final: boolean): object => (final && text !== "" ? { text: "####" } : { hold: true });
  expect(await leftBy(atTheEnd, pieces)).toEqual({ text: "####", entries: [] });
});

test("each part of a character has an entry with its own bytes", async () => {
  const [first = 0, second = 0, third = 0] = Buffer.from("€");
  const pieces = ["5 ", Uint8Array.of(first), Uint8Array.of(second), Uint8Array.of(third), " or ", Uint8Array.of(0xff)];
  const engine = await openEngine([{ pieces }]);
  const { tokens, result } = await write(engine, { logprobs: true });
  expect(result.text).toBe("5 € or \ufffd");
  expect(result.logprobs?.map(({ text, bytes }) => [text, bytes])).toEqual([
    ["5 ", bytesOf("5 ")],
    ["\ufffd", [first]],
    ["\ufffd", [second]],
    ["\ufffd", [third]],
    [" or ", bytesOf(" or ")],
    ["\ufffd", [0xff]],
  ]);
  expect(tokens.map(({ text, logprobs = [] }) => [text, logprobs.length])).toContainEqual(["€", 3]);
  expect(result.logprobs).toEqual(entriesOf(tokens));
  engine.hooks.on("streamToken", ({ text }) => (text.includes("€") ? { text: text.replace("€", "EUR") } : undefined));
  const masked = await write(engine, { logprobs: true });
  expect(masked.result.text).toBe("5 EUR or \ufffd");
  expect(masked.result.logprobs?.map(({ bytes }) => bytes)).toEqual([bytesOf("5 "), bytesOf(" or "), [0xff]]);
});

test("text that is held back for a stop text has its entries once it is released, and a stop text has none", async () => {
  const engine = await openEngine([
    { pieces: ["a", " E", "N", " b", " E", "N", "D", " c"] },
    { pieces: ["a", " E", "N"] },
  ]);
  const text = ({ logprobs = [] }: GenerateResult) => logprobs.map((token) => token.text);
  for (const stream of ["live", "held"] as const) {
    const stopped = await write(engine, { logprobs: true, stop: ["END"], stream });
    expect(stopped.result).toMatchObject({ text: "a EN b ", stopText: "END" });
    expect(text(stopped.result)).toEqual(["a", " E", "N", " b"]);
    expect(stopped.result.logprobs).toEqual(entriesOf(stopped.tokens));
    const [turn, answer] = [
      { role: "user", content: "Write" },
      { role: "assistant", content: "a" },
    ] as const;
    const whole = await engine.generate([turn, answer, turn], { logprobs: true, stop: ["END"], stream });
    expect(whole.text).toBe("a EN");
    expect(text(whole)).toEqual(["a", " E", "N"]);
  }
});

test("tokens of tags have entries, but not while a token hook would have to see them", async () => {
  const pieces = ["<think>", "Hm", ".", "</think>", "Four", "."];
  const chatTemplate = templateSource("Qwen-Qwen3-0.6B");
  const engine = await openEngine({ replies: [{ pieces }], chatTemplate });
  const plain = await write(engine, { logprobs: true });
  expect(plain.result).toMatchObject({ text: "Four.", reasoning: "Hm." });
  expect(plain.result.logprobs?.map(({ text, kind }) => [text, kind])).toEqual([
    ["<think>", "reasoning"],
    ["Hm", "reasoning"],
    [".", "reasoning"],
    ["</think>", "content"],
    ["Four", "content"],
    [".", "content"],
  ]);
  expect(plain.result.logprobs).toEqual(entriesOf(plain.tokens));
  engine.hooks.on("streamToken", () => undefined);
  const asked = await write(engine, { logprobs: true });
  expect(asked.result.logprobs?.map(({ text }) => text)).toEqual(["Hm", ".", "Four", "."]);
});

test("a message that postGenerate replaces, or asks for again, keeps none of what was", async () => {
  const engine = await openEngine(["One two.", "Three."]);
  const replaces = engine.hooks.on("postGenerate", () => ({ content: "Nothing." }));
  for (const stream of ["live", "held"] as const) {
    const { result } = await write(engine, { topLogprobs: 2, stream });
    expect(result.text).toBe("Nothing.");
    expect(result).not.toHaveProperty("logprobs");
  }
  replaces.dispose();
  engine.hooks.on("postGenerate", ({ content }) => (content === "One two." ? { retry: "Again." } : undefined));
  const again = await write(engine, { topLogprobs: 2 });
  expect(again.result.logprobs?.map(({ text }) => text).join("")).toBe(again.result.text);
  expect(again.result.text).not.toBe("One two.");
});

test("preGenerate may ask for fewer, or for none; more than there may be is a bad answer", async () => {
  const engine = await openEngine([{ pieces: ["One", " two"] }]);
  const counts = async (topLogprobs: number): Promise<unknown[]> => {
    const hook = engine.hooks.on("preGenerate", ({ params }) => ({ params: { ...params, topLogprobs } }));
    const { tokens, result } = await write(engine, { topLogprobs: 5 });
    hook.dispose();
    return [...tokens.map((token) => token.topLogprobs?.length), result.decisions[0]?.hooks[0]?.error?.code];
  };
  expect(await counts(2)).toEqual([2, 2, undefined]);
  expect(await counts(0)).toEqual([undefined, undefined, undefined]);
  expect(await counts(21)).toEqual([5, 5, "HOOK_BAD_ANSWER"]);
});

test("a run's tokens have them, too, and its result has those of its last message", async () => {
  const engine = await openEngine([asks("Oslo"), { pieces: ["One", " two"] }]);
  const session = engine.session({ tools });
  const run = session.run("Count.", { topLogprobs: 3 });
  const seen: TokenEvent[] = [];
  for await (const event of run) {
    if (event.type === "iteration") seen.length = 0;
    if (event.type === "token") seen.push(event);
  }
  const { logprobs = [], runId, text } = await run;
  expect(logprobs.map(({ topLogprobs }) => topLogprobs?.length)).toEqual([3, 3]);
  expect(logprobs.map((token) => token.text).join("")).toBe(text);
  expect(logprobs).toEqual(entriesOf(seen));
  expect(seen.map(({ runId: id, depth }) => [id, depth])).toEqual([
    [runId, 0],
    [runId, 0],
  ]);
  expect(await session.run("Again.")).not.toHaveProperty("logprobs");
});

test("a tool call that a hook has changed has none in a run's result, and one left alone has its own", async () => {
  const engine = await openEngine([asks("Oslo")]);
  const kinds = async (): Promise<unknown[]> => {
    const { logprobs = [] } = await engine.session({ tools, maxIterations: 1 }).run("Where?", { topLogprobs: 2 });
    return [
      [...new Set(logprobs.map(({ kind }) => kind))],
      logprobs.every(({ topLogprobs }) => topLogprobs?.length === 2),
    ];
  };
  expect(await kinds()).toEqual([["content", "tool_call"], true]);
  engine.hooks.on("preToolCall", () => ({ args: { city: "####" } }));
  expect(await kinds()).toEqual([["content"], false]);
});
