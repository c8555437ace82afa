import { expect, test } from "vitest";
import { cachedModels, createEngine, type Engine, pointNames } from "../../src/index.js";
import { openEngine, rejection } from "../support/engine.js";

const notNumbers = ["1", true, null, {}, [], NaN, Infinity, 1n];
const notStrings = [1, true, {}, ["x", 2]];
const notBooleans = ["true", 1, null, {}];

/** Every option of generate(), with values it does not take. */
const generateValues: Record<string, readonly unknown[]> = {
  maxTokens: [...notNumbers, 0, -1, 1.5, 2 ** 31],
  temperature: [...notNumbers, -0.1],
  dynatempRange: [...notNumbers, -0.1],
  topK: [...notNumbers, -1, 0.5],
  topP: [...notNumbers, -0.1, 1.1],
  minP: [...notNumbers, -0.1, 1.1],
  typicalP: [...notNumbers, -0.1, 1.1],
  topNSigma: [...notNumbers, -2],
  seed: [...notNumbers, -1, 0.5, 2 ** 32 - 1],
  stop: [1, {}, [1], ["x", null], "", ["x", ""]],
  repeatPenalty: [...notNumbers, 0, -1, 101],
  presencePenalty: [...notNumbers, -101, 101],
  frequencyPenalty: [...notNumbers, -101, 101],
  penaltyLastN: [...notNumbers, -1, 0.5, 2 ** 21],
  dryMultiplier: [...notNumbers, -1, 101],
  dryBase: [...notNumbers, 0.9, 101],
  dryAllowedLength: [...notNumbers, -1, 2 ** 21],
  dryPenaltyLastN: [...notNumbers, -1, 2 ** 21],
  drySequenceBreakers: ["x", [1], {}],
  xtcProbability: [...notNumbers, -0.1, 1.1],
  xtcThreshold: [...notNumbers, -0.1, 1.1],
  mirostat: [...notNumbers, 3, -1, 1.5],
  mirostatTau: [...notNumbers, -1, 1001],
  mirostatEta: [...notNumbers, -1, 1.1],
  adaptiveTarget: [...notNumbers, -1.1, 1.1],
  adaptiveDecay: [...notNumbers, -0.1, 1],
  logitBias: [
    {},
    "x",
    [1],
    [{ token: 1.5, bias: 1 }],
    [{ token: -1, bias: 1 }],
    [{ token: 1 }],
    [{ token: 1, bias: NaN }],
  ],
  grammar: notStrings,
  jsonSchema: ["{}", 1, null, []],
  toolChoice: ["always", "", null, {}],
  specialTokens: ["deny", "", null, true],
  stopIn: ["reasoning", "", null, true],
  ignoreEos: notBooleans,
  logprobs: notBooleans,
  topLogprobs: [...notNumbers, -1, 21, 1.5],
  reasoning: notBooleans,
  preserveReasoning: notBooleans,
  reasoningBudget: [...notNumbers, -1, 0.5, 2 ** 31],
  chatTemplateArgs: ["x", 1, true, null, []],
  model: notStrings,
  tools: [
    "x",
    {},
    [null],
    [{}],
    [{ name: "" }],
    [{ name: "two words" }],
    [{ name: "x".repeat(129) }],
    [{ name: "x", parameters: 1 }],
  ],
  raw: notBooleans,
  stream: ["later", null, true],
  tier: notStrings,
  signal: ["now", {}, null, new AbortController()],
};

const loadValues: Record<string, readonly unknown[]> = {
  gpuLayers: [...notNumbers, -2, 0.5, "all"],
  devices: ["Vulkan0", [1], {}, null],
  splitMode: ["tensor", "", 1, null],
  draftModel: [...notStrings, "", "x.gguf\0y"],
  mainDevice: [...notStrings, "", "CPU\0y"],
  tensorSplit: ["1", 1, {}, [-1], ["1"], [NaN], [1, null]],
  cpuMoe: [...notNumbers, -2, 0.5],
  contextSize: [...notNumbers, -1, 0.5, 2 ** 24 + 1],
  parallel: [...notNumbers, 0, 65],
  batchSize: [...notNumbers, 0, 2 ** 16 + 1],
  threads: [...notNumbers, -1, 513],
  kvType: ["q4_0", "", 1, null],
  mmap: notBooleans,
  chatTemplate: [...notStrings, ""],
};

const engineValues: Record<string, readonly unknown[]> = {
  ...loadValues,
  model: [...notStrings, "", "x\0y"],
  models: ["x", [], { a: 1 }, { a: {} }, { a: { path: "" } }, { a: { path: "x\0y" } }, { a: { path: "x", wrong: 1 } }],
  gpu: ["opencl", true, null, 0],
  maxQueued: [...notNumbers, -1, 0.5, 2 ** 20 + 1],
  logLevel: ["loud", 1],
  hooks: ["x", {}, [1], [{}]],
  signal: ["now", {}, null],
  onProgress: ["x", {}],
};

/** Runs `call` with each value; all of them must throw, or reject, with a TypeError that names `key`. */
async function expectRefused(key: string, values: readonly unknown[], call: (options: object) => unknown) {
  for (const value of values) {
    const outcome = await Promise.resolve({ [key]: value })
      .then(call)
      .then(
        () => "accepted",
        (error: unknown) => error,
      );
    const shown = typeof value === "bigint" ? `${value}n` : JSON.stringify(value);
    expect(outcome, `${key}: ${shown}`).toBeInstanceOf(TypeError);
    expect((outcome as Error).message).toContain(key);
  }
}

const loads = async (engine: Engine, options: object) => engine.models.load("x", { path: "x.gguf", ...options });

test.each(Object.entries(generateValues))("generate() refuses a wrong %s and names it", async (key, values) => {
  const engine = await openEngine(["Hello."]);
  await expectRefused(key, values, (options) => engine.generate("Hi", options as never));
  expect((await engine.generate("Hi")).text).toBe("Hello.");
});

test.each(Object.entries(loadValues))("models.load() refuses a wrong %s and names it", async (key, values) => {
  const engine = await openEngine([], { models: {} });
  await expectRefused(key, values, (options) => loads(engine, options));
});

test.each(Object.entries(engineValues))("createEngine() refuses a wrong %s and names it", async (key, values) => {
  await expectRefused(key, values, (options) => createEngine(options as never));
});

test("an unknown option is named, and the one that was meant is suggested", async () => {
  const engine = await openEngine(["Hello."]);
  expect(() => engine.generate("Hi", { max_tokens: 3 } as never)).toThrow(/"max_tokens".*"maxTokens"/);
  expect(() => engine.generate("Hi", { temprature: 1 } as never)).toThrow(/"temprature".*"temperature"/);
  await expect(loads(engine, { contextLength: 1 })).rejects.toThrow(/"contextLength"/);
  await expect(createEngine({ modle: "x" } as never)).rejects.toThrow(/"modle".*"model"/);
  await expect(createEngine({ model: "x", models: {} })).rejects.toThrow(/model or models/);
});

test("options that exclude each other are refused", async () => {
  const engine = await openEngine(["Hello."]);
  expect(() => engine.generate("Hi", { grammar: 'root ::= "x"', jsonSchema: {} })).toThrow(/grammar or jsonSchema/);
  expect(() => engine.generate("Hi", { raw: true, tools: [{ name: "x" }] })).toThrow(/raw.*tools/);
  expect(() => engine.generate([{ role: "user", content: "Hi" }], { raw: true })).toThrow(/raw/);
  expect(() => engine.generate("Hi", { tools: [{ name: "x" }, { name: "x" }] })).toThrow(/two tools named "x"/);
});

test("an input that is neither text nor messages is refused", async () => {
  const engine = await openEngine(["Hello."]);
  for (const input of [undefined, null, 1, {}, () => "x"])
    expect(() => engine.generate(input as never)).toThrow(TypeError);
  for (const options of [null, 1, "x", []]) expect(() => engine.generate("Hi", options as never)).toThrow(/object/);
});

test("an unknown hook point is named, and the one that was meant is suggested", async () => {
  const engine = await openEngine([], { models: {} });
  expect(() => engine.hooks.on("pre_tool_call" as "preToolCall", () => undefined)).toThrow(
    /"pre_tool_call".*"preToolCall"/,
  );
  expect(() => engine.hooks.has("nonsense" as never)).toThrow(/"nonsense"/);
  expect(() => engine.hooks.on("preGenerate", "x" as never)).toThrow(TypeError);
  expect(pointNames).toContain("preToolCall");
});

test("wrong ids, texts and tokens are refused", async () => {
  const { models } = await openEngine(["Hello."]);
  for (const id of ["", 1, null]) {
    await expect(models.load(id as never, { path: "x" })).rejects.toThrow(TypeError);
    await expect(models.unload(id as never)).rejects.toThrow(TypeError);
    expect(() => models.describe(id as never)).toThrow(TypeError);
  }
  await expect(models.load("x", undefined as never)).rejects.toThrow(/takes an id and a model/);
  await expect(models.tokenize(undefined, 1 as never)).rejects.toThrow(/got 1/);
  await expect(models.detokenize(undefined, "x" as never)).rejects.toThrow(/got "x"/);
  await expect(models.detokenize(undefined, [1, "x"] as never)).rejects.toThrow(/"x"/);
  await expect(models.detokenize(undefined, [-1])).rejects.toThrow(/-1/);
  await expect(models.renderPrompt(undefined, {} as never)).rejects.toThrow(/messages/);
  await expect(models.renderPrompt("", { messages: [] })).rejects.toThrow(/^The id of a model must be/);
  await expect(createEngine({ models: { mine: "" } })).rejects.toThrow(/^models\.mine.* must be/);
  expect(() => cachedModels({ cacheFolder: "" })).toThrow(/^cacheFolder must be/);
});

test("a Map, a Set, a Date or a promise is not an object of options: it would be read as an empty one", async () => {
  const engine = await openEngine(["Hello."]);
  const made = (name: string): unknown[] => [new Map([[name, "x"]]), new Set(["x"]), new Date(), Promise.resolve({})];
  for (const value of made("args.path") as never[]) {
    const refused = expect.objectContaining({ name: "TypeError", message: expect.stringContaining("must be") });
    const calls: readonly (() => unknown)[] = [
      () => engine.session(value),
      () => engine.session({ permissions: [{ deny: "*", when: value }] }),
      () => engine.session({ tiers: value }),
      () => engine.session({ tiers: { lead: value } }),
      () => engine.generate("Hi", value),
      () => engine.generate("Hi", { jsonSchema: value }),
      () => engine.hooks.on("preToolCall", () => undefined, { when: value }),
      () => engine.tokenize("Hi", value),
      () => createEngine({ deviceBudgets: value }),
      () => createEngine({ models: value }),
    ];
    for (const [index, call] of calls.entries()) {
      const outcome = await Promise.resolve()
        .then(call)
        .catch((error: unknown) => error);
      expect(outcome, `call ${index}`).toEqual(refused);
    }
  }
  const options = await import("node:path"); // a module has what it exports
  expect(() => engine.session(options as never)).toThrow(/has no key/);
});

test("a topNSigma between off and none is INVALID_ARGUMENT", async () => {
  const engine = await openEngine(["Hello."]);
  expect(await rejection(engine.generate("Hi", { topNSigma: -0.5 }))).toMatchObject({ code: "INVALID_ARGUMENT" });
});
