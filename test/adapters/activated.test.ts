// aLoRA: adapters that act from certain tokens of a prompt on.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { AdapterChoice, Engine, EngineOptions, GenerateOptions } from "../../src/index.js";
import { fence } from "../../src/ready-hooks/index.js";
import { type GgufValue, uint32s } from "../../src/testing/gguf-writer.js";
import { type ModelShape, writeScriptModel, writeSyntheticModel } from "../../src/testing/index.js";
import { adaptedModel } from "../support/adapters.js";
import { openEngine, rejection, tempDir } from "../support/engine.js";
import { type Lora, writeLora } from "../support/models/lora.js";

const none: readonly AdapterChoice[] = [];
const word = "NOW!";
const story = "Tell me of the sea, of the wind and of the ships that came home. ";

/** The tokens of a word where it stands behind `before`; those before it are as many as `before` has alone. */
async function tokensBehind(engine: Engine, before: string, what = word): Promise<{ at: number; tokens: number[] }> {
  const [short, long] = await Promise.all([engine.tokenize(before), engine.tokenize(before + what)]);
  expect(long.slice(0, short.length)).toEqual(short);
  return { at: short.length, tokens: long.slice(short.length) };
}

describe("on a model that attends", () => {
  const shape: ModelShape = { layers: 3, embedding: 64, heads: 4, kvHeads: 2, feedForward: 128, vocabulary: 400 };
  const shapes: [string, ModelShape][] = [
    ["a cache of all tokens", shape],
    ["a sliding window", { ...shape, architecture: "gemma3", window: 16, fullEvery: 3 }],
    ["a recurrent state", { ...shape, architecture: "lfm2", fullEvery: 2 }],
  ];
  type Said = readonly { readonly token: number; readonly logprob: number }[];

  async function says(engine: Engine, adapters: readonly AdapterChoice[], prompt: string) {
    const options = { adapters, maxTokens: 6, ignoreEos: true, temperature: 0, logprobs: true, raw: true } as const;
    const { logprobs, usage } = await engine.generate(prompt, options);
    if (logprobs === undefined || logprobs.length === 0) throw new Error("no probabilities");
    const said: Said = logprobs.map(({ token, logprob }) => ({ token, logprob }));
    return { said, cached: usage.cachedTokens, tokens: usage.promptTokens };
  }

  /** But for what the order of additions makes of the last digits. */
  function same(a: Said, b: Said): boolean {
    return (
      a.length === b.length &&
      a.every(({ token, logprob }, i) => token === b[i]?.token && Math.abs(logprob - b[i].logprob) < 1e-3)
    );
  }

  /** An adapter of one layer's output, by default the first's: all that later layers remember depends on that one. */
  function ofLayer({ architecture = "llama", embedding, feedForward }: ModelShape, layer = 0): Lora {
    return { architecture, tensor: `blk.${layer}.ffn_down.weight`, inputs: feedForward, outputs: embedding };
  }

  async function opened(of: ModelShape, lora = ofLayer(of)) {
    const folder = await tempDir();
    const model = path.join(folder, "model.gguf");
    await writeSyntheticModel(model, of, { quantization: "F16" });
    const open = async (): Promise<Engine> => {
      const engine = await openEngine([], {
        models: { m: { path: model, threads: 1, parallel: 2, contextSize: 512 } },
      });
      const { tokens } = await tokensBehind(engine, story);
      for (const [id, invocation] of [
        ["always", undefined],
        ["invoked", uint32s(tokens)],
      ] as const) {
        await engine.adapters.load(id, { path: await writeLora(path.join(folder, id), { ...lora, invocation }) });
      }
      return engine;
    };
    return { open, folder };
  }

  const always = [{ id: "always", scale: 0.2 }];
  const invoked = [{ id: "invoked", scale: 0.2 }];

  test("it acts where its tokens are in the prompt, and from there on alone", async () => {
    const { open } = await opened(shape, ofLayer(shape, shape.layers - 1));
    const engine = await open();
    const asked = `${story}${word} And then?`;
    const plain = await says(engine, none, asked);
    const everywhere = await says(engine, always, asked);
    const behind = await says(engine, invoked, asked);
    expect(same(plain.said, everywhere.said)).toBe(false);
    expect(same(plain.said, behind.said)).toBe(false);
    // The last layer's sums are of no other token's memory: what is before does not matter to them.
    expect(same(everywhere.said, behind.said)).toBe(true);
    expect(same((await says(engine, invoked, story)).said, (await says(engine, none, story)).said)).toBe(true);
  });

  test("what is before the tokens is as without it, which is not as with an adapter that acts everywhere", async () => {
    const { open } = await opened(shape);
    const engine = await open();
    const everywhere = await says(engine, always, `${story}${word} And then?`);
    const behind = await says(engine, invoked, `${story}${word} And then?`);
    expect(same(everywhere.said, behind.said)).toBe(false);
    // The prompt begins with the tokens, so nothing stands before them.
    const prompt = `${word} And then?`;
    expect(same((await says(engine, always, prompt)).said, (await says(engine, invoked, prompt)).said)).toBe(true);
  });

  test.each(shapes)(
    "memory without it serves up to its tokens, and the answer is that of a fresh engine: %s",
    async (_, of) => {
      const { open } = await opened(of);
      const prompt = `${story}${word} And then?`;
      const fresh = await says(await open(), invoked, prompt);
      expect(fresh.cached).toBe(0);
      const engine = await open();
      const { at } = await tokensBehind(engine, story);
      const plain = await says(engine, none, story);
      const next = await says(engine, invoked, prompt);
      expect(next.cached).toBeGreaterThan(0);
      expect(next.cached).toBeLessThanOrEqual(at);
      if (of === shape) expect(next.cached).toBe(at);
      expect(same(next.said, fresh.said)).toBe(true);
      // As it would not be with the memory of one that acts everywhere.
      expect(same((await says(engine, always, prompt)).said, fresh.said)).toBe(false);
      const again = await says(engine, invoked, prompt);
      expect(same(again.said, fresh.said)).toBe(true);
      if (of === shape) expect(again.cached).toBe(again.tokens - 1);
      expect(same((await says(engine, none, story)).said, plain.said)).toBe(true);
    },
  );

  test("its tokens further on: what it computed in between is computed again, without it", async () => {
    const { open } = await opened(shape);
    const engine = await open();
    const { at } = await tokensBehind(engine, story);
    const first = `${story}${word} And then?`;
    await says(engine, invoked, first);
    const second = `${first} ${word} What now?`;
    const answer = await says(engine, invoked, second);
    expect(answer.cached).toBe(at);
    expect(same(answer.said, (await says(await open(), invoked, second)).said)).toBe(true);
  });

  test.each(shapes)("what branches off where it begins to act continues from there: %s", async (_, of) => {
    const { open } = await opened(of);
    const engine = await open();
    const { at } = await tokensBehind(engine, story);
    await says(engine, invoked, `${story}${word} And then?`);
    const other = await says(engine, none, `${story}${word} Who knows?`);
    expect(other.cached).toBe(at);
    expect(same(other.said, (await says(await open(), none, `${story}${word} Who knows?`)).said)).toBe(true);
  });

  test("several act each from its own place on", async () => {
    const lora = ofLayer(shape, shape.layers - 1);
    const { open, folder } = await opened(shape, lora);
    const engine = await open();
    const later = "HEY?";
    const asked = `${story}${word}${later} And then?`;
    const { tokens } = await tokensBehind(engine, story + word, later);
    const { tensor } = ofLayer(shape, shape.layers - 2);
    for (const [id, invocation] of [
      ["everywhere", undefined],
      ["later", uint32s(tokens)],
    ] as const) {
      await engine.adapters.load(id, { path: await writeLora(path.join(folder, id), { ...lora, tensor, invocation }) });
    }
    const both = [...invoked, { id: "later", scale: 0.1 }];
    const first = await says(engine, both, `${story}${word} And then?`);
    expect(same(first.said, (await says(engine, invoked, `${story}${word} And then?`)).said)).toBe(true);
    const second = await says(engine, both, `${story}${later} And then?`);
    expect(same(second.said, (await says(engine, both.slice(1), `${story}${later} And then?`)).said)).toBe(true);
    const together = await says(engine, both, asked);
    expect(together.cached).toBeGreaterThanOrEqual((await tokensBehind(engine, story)).at);
    for (const adapters of [none, invoked, both.slice(1)]) {
      expect(same((await says(engine, adapters, asked)).said, together.said)).toBe(false);
    }
    expect(same((await says(engine, both.toReversed(), asked)).said, together.said)).toBe(true);
  });

  test("unloading it waits for who has it", async () => {
    const { open } = await opened(shape);
    const engine = await open();
    const options = { adapters: invoked, raw: true, ignoreEos: true, maxTokens: 300 } as const;
    const running = [1, 2].map((n) => engine.generate(`${story}${word} ${n}`, options));
    await Promise.all(
      running.map(
        (one) =>
          new Promise<void>((begun) => {
            void (async () => {
              for await (const event of one) if (event.type === "token") begun();
            })();
          }),
      ),
    );
    const ends: string[] = [];
    const unload = engine.adapters.unload("invoked").then(() => ends.push("unloaded"));
    running[1]?.cancel("no more");
    await Promise.all(running.map(async (one) => ends.push((await one).finishReason)));
    await unload;
    expect(ends.toSorted()).toEqual(["cancelled", "length", "unloaded"]);
    expect(engine.adapters.list().map(({ adapterId }) => adapterId)).toEqual(["always"]);
  });

  test("runs with and without it at once, each as if it were alone", async () => {
    const { open } = await opened(shape);
    const engine = await open();
    const sets = [none, always, invoked, [...invoked, { id: "always", scale: 0.1 }]];
    const prompts = [`${story}${word} And then?`, `${story}Who knows?`, `${word} ${story}`];
    const cases = prompts.flatMap((prompt) => sets.map((adapters) => ({ prompt, adapters })));
    const alone: Said[] = [];
    for (const { prompt, adapters } of cases) alone.push((await says(await open(), adapters, prompt)).said);
    for (let round = 0; round < 5; round++) {
      const together = await Promise.all(cases.map(({ prompt, adapters }) => says(engine, adapters, prompt)));
      expect(together.map(({ said }, i) => same(said, alone[i] ?? []))).toEqual(cases.map(() => true));
    }
  });

  test.each<[string, GgufValue, string, RegExp]>([
    ["of another type", { type: "int32s", values: [1, 2] }, "MODEL_FILE_INVALID", /invocation_tokens.*u32/],
    ["that are none", uint32s([]), "MODEL_FILE_INVALID", /invocation_tokens.*list/],
    ["that is one number", { type: "uint32", value: 3 }, "MODEL_FILE_INVALID", /invocation_tokens.*list/],
    ["that are too many", uint32s(Array.from({ length: 1025 }, () => 1)), "MODEL_FILE_INVALID", /1 to 1024/],
    ["beyond the vocabulary", uint32s([1, 400_000]), "ADAPTER_INCOMPATIBLE", /token 400000/],
  ])("tokens %s are a coded error that names the file", async (_, invocation, code, words) => {
    const { open, folder } = await opened(shape);
    const engine = await open();
    const bad = path.join(folder, "bad.gguf");
    await writeLora(bad, { ...ofLayer(shape), invocation });
    const failure = await rejection(engine.adapters.load("bad", { path: bad }));
    expect(failure).toMatchObject({ code, message: expect.stringMatching(words) });
    expect((failure as Error).message).toContain(bad);
  });
});

describe("on a script model", () => {
  const replies = ["Plain.", "Plainer."];

  /** A model with an adapter that says "Ahoy!" behind `what`. */
  async function open(options: EngineOptions = {}, what = word) {
    const { model, file } = await adaptedModel(replies, { pirate: ["Ahoy!", "Arr."] });
    const probe = await openEngine([], { model });
    const invocationTokens = await probe.tokenize(what, { parseSpecial: true });
    await probe.close();
    const adapters = [{ path: file("pirate"), replies: ["Ahoy!", "Arr."], invocationTokens }];
    await writeScriptModel(model, { replies, adapters, contextLength: 65_536 });
    const engine = await openEngine([], { model, ...options });
    const info = await engine.adapters.load("pirate", { path: file("pirate") });
    expect(info.invocationTokens).toEqual(invocationTokens);
    return { engine, file: file("pirate") };
  }
  const pirate = [{ id: "pirate" }];

  test("a conversation is the adapter's once its tokens are there, and the list shows them", async () => {
    const { engine, file } = await open();
    expect(engine.adapters.list()).toMatchObject([{ invocationTokens: expect.arrayContaining([expect.any(Number)]) }]);
    expect((await readFile(file)).includes("adapter.alora.invocation_tokens")).toBe(true);
    const session = engine.session({ adapters: pirate });
    expect((await session.run(story)).text).toBe("Plain.");
    const second = await session.run(word);
    expect(second.text).toBe("Arr.");
    // All that came before serves on.
    expect(second.usage.cachedTokens).toBeGreaterThan(story.length);
    expect((await session.fork().run("More?")).text).not.toBe("");
  });

  test.each([
    ["each conversation with a sequence", { parallel: 4 }],
    ["conversations that wait in host memory", { parallel: 1 }],
    ["all in one cache", { parallel: 4, kvCache: "unified" }],
  ] as const)("what is before its tokens is shared with all others: %s", async (_, options) => {
    const { engine } = await open(options);
    const prompt = `${story}${word} Go on.`;
    const base = await engine.generate(prompt);
    const behind = await engine.generate(prompt, { adapters: pirate });
    expect([base.text, behind.text]).toEqual(["Plain.", "Ahoy!"]);
    expect(base.usage.cachedTokens).toBe(0);
    const { cachedTokens } = behind.usage;
    expect(cachedTokens).toBeGreaterThan(story.length / 2);
    expect(cachedTokens).toBeLessThan(behind.usage.promptTokens - 1);
    const again = await engine.generate(prompt, { adapters: pirate });
    expect([again.text, again.usage.cachedTokens]).toEqual(["Ahoy!", again.usage.promptTokens - 1]);
    const back = await engine.generate(prompt);
    expect(back.text).toBe("Plain.");
    expect(back.usage.cachedTokens).toBeGreaterThanOrEqual(cachedTokens);
  });

  test("a special token invokes it from a message only if asked for, and never from a fenced text", async () => {
    const special = "<|endoftext|>";
    const { engine } = await open({}, special);
    expect(engine.adapters.list()[0]?.invocationTokens).toHaveLength(1);
    const said = async (content: string, options: GenerateOptions = {}) =>
      (await engine.generate(content, { adapters: pirate, ...options })).text;
    const allow = { specialTokens: "allow" } as const;
    expect(await said(`${story}${special} Go on.`)).toBe("Plain.");
    expect(await said(`${story}${special} Go on.`, allow)).toBe("Ahoy!");
    expect(await said(`${fence(`${story}${special}`, "a page")} Go on.`, allow)).toBe("Plain.");
  });

  test("those that begin alike wait for what they share, whoever evaluates it", async () => {
    const { engine } = await open({ parallel: 4 });
    // With so much behind the word that whoever comes last waits for it, too.
    const prompt = `${story}${word}${" Go on.".repeat(20)}`;
    const results = await Promise.all([none, pirate, pirate].map((adapters) => engine.generate(prompt, { adapters })));
    expect(results.map(({ text: said }) => said)).toEqual(["Plain.", "Ahoy!", "Ahoy!"]);
    const counts = results.map(({ usage }) => usage.cachedTokens).toSorted((one, other) => one - other);
    const all = (results[0]?.usage.promptTokens ?? 0) - 1;
    expect([counts[0], counts[2]]).toEqual([0, all]);
    expect(counts[1]).toBeGreaterThan(story.length / 2);
    expect(counts[1]).toBeLessThan(all);
  });

  test("invocation tokens that are no tokens are a TypeError of the kit", async () => {
    const folder = await tempDir();
    const write = (invocationTokens: unknown): Promise<unknown> =>
      rejection(
        writeScriptModel(path.join(folder, "m"), {
          replies,
          adapters: [{ path: path.join(folder, "a"), replies: ["A"], invocationTokens: invocationTokens as number[] }],
        }),
      );
    for (const bad of [[], 7, "now", [-1], [1.5], [undefined]]) {
      const failure = await write(bad);
      expect(failure).toBeInstanceOf(TypeError);
      expect((failure as Error).message).toContain("adapters[0].invocationTokens");
    }
  });
});
