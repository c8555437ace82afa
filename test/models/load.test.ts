import path from "node:path";
import { expect, test } from "vitest";
import { bundledModel, cancel, createEngine } from "../../src/index.js";
import { openEngine, rejection, scriptModel } from "../support/engine.js";
import { openRandomEngine, randomModel } from "../support/models/random-model.js";

test("a model is loaded, listed, described and unloaded", async () => {
  const engine = await openEngine([], { models: {} });
  expect(engine.models.list()).toEqual([]);
  const file = await scriptModel(["Hello."]);
  const info = await engine.models.load("mine", { path: file, contextSize: 512, parallel: 2, threads: 1 });
  expect(info).toMatchObject({
    modelId: "mine",
    path: file,
    contextSize: 512,
    parallel: 2,
    threads: 1,
    trainingContextSize: 4096,
  });
  expect(info.vocabularySize).toBeGreaterThan(256);
  expect(info.fileBytes).toBeGreaterThan(0);
  expect(info.devices.length).toBeGreaterThan(0);
  expect(info.chatTemplate).toContain("<|im_start|>");
  expect(engine.models.list()).toEqual([info]);
  expect(engine.models.describe("mine")).toEqual(info);
  await engine.models.unload("mine");
  expect(engine.models.list()).toEqual([]);
  expect(() => engine.models.describe("mine")).toThrow(expect.objectContaining({ code: "MODEL_NOT_LOADED" }));
});

test("options of createEngine hold for every model that does not say otherwise", async () => {
  const file = await scriptModel(["Hello."]);
  const models = { plain: file, wide: { path: file, contextSize: 1024 } };
  const engine = await openEngine([], { models, contextSize: 256, parallel: 1 });
  const sizes = engine.models.list().map(({ modelId, contextSize, parallel }) => [modelId, contextSize, parallel]);
  expect(sizes).toEqual([
    ["plain", 256, 1],
    ["wide", 1024, 1],
  ]);
});

test("without a contextSize a model gets what it was trained for, at most 4096 tokens", async () => {
  const short = await scriptModel({ replies: ["Hello."], contextLength: 300 });
  const engine = await openEngine([], { models: { short, long: await randomModel({ contextLength: 100_000 }) } });
  expect(engine.models.describe("short").contextSize).toBe(300);
  expect(engine.models.describe("long").contextSize).toBe(4096);
});

test.each([
  ["an 8-bit cache", { kvType: "q8_0" as const }],
  ["a 32-bit cache", { kvType: "f32" as const }],
  ["a file that is read, not mapped", { mmap: false }],
  ["small batches", { batchSize: 3 }],
  ["two threads", { threads: 2 }],
  ["no layers on a GPU", { gpuLayers: 0 }],
])("a model works with %s", async (_, options) => {
  const engine = await openRandomEngine(options);
  const plain = await openRandomEngine();
  const ask = { maxTokens: 4, temperature: 0 };
  const { text, usage } = await engine.generate("A prompt of some length", ask);
  expect(usage.completionTokens).toBe(4);
  if (!("kvType" in options)) expect(text).toBe((await plain.generate("A prompt of some length", ask)).text);
});

test("a chat template in the options takes the place of the model's own", async () => {
  const chatTemplate = "{% for message in messages %}[{{ message.role }}] {{ message.content }}\n{% endfor %}";
  const engine = await openEngine(["Hello."], { chatTemplate });
  const messages = [{ role: "user" as const, content: "Hi" }];
  expect(await engine.models.renderPrompt(undefined, { messages })).toBe("[user] Hi\n");
  expect((await engine.generate("Hi")).text).toBe("Hello.");
});

test("progress of a load goes up to 1 and names the model", async () => {
  const shares: number[] = [];
  const ids = new Set<string>();
  await openRandomEngine({
    onProgress(share, id) {
      shares.push(share);
      ids.add(id);
    },
  });
  expect(shares).toEqual([...shares].sort((left, right) => left - right));
  expect(shares.at(-1)).toBe(1);
  expect(shares.filter((share) => share < 0)).toEqual([]);
  expect([...ids]).toEqual(["default"]);
});

test("a load that is aborted rejects with the signal's reason, and its id is free", async () => {
  const engine = await openEngine([], { models: {} });
  const file = await randomModel({ layers: 12, embedding: 256, feedForward: 512 });
  const reason = new Error("not needed any more");
  const stop = new AbortController();
  const control = { signal: stop.signal, onProgress: () => stop.abort(reason) };
  const options = { path: file, threads: 1, mmap: false };
  expect(await rejection(engine.models.load("big", options, control))).toMatchObject({
    code: "CANCELLED",
    cause: reason,
  });
  const before = engine.models.load("big", options, { signal: AbortSignal.abort(reason) });
  expect(await rejection(before)).toMatchObject({ code: "CANCELLED", cause: reason });
  expect(engine.models.list()).toEqual([]);
  await engine.models.load("big", options);
  expect((await engine.generate("Hi", { maxTokens: 2 })).finishReason).toBe("length");
});

test("an aborted createEngine rejects and leaves nothing open", async () => {
  const model = await scriptModel(["Hello."]);
  const opening = createEngine({ model, gpu: false, threads: 1, signal: AbortSignal.abort("no") });
  expect(await rejection(opening)).toMatchObject({ code: "CANCELLED", cause: "no" });
});

test("what onProgress throws is what the load rejects with", async () => {
  const engine = await openEngine([], { models: {} });
  const mine = new Error("mine");
  const onProgress = () => {
    throw mine;
  };
  expect(await rejection(engine.models.load("a", { path: await randomModel() }, { onProgress }))).toBe(mine);
  expect(engine.models.list()).toEqual([]);
});

test("an async onProgress is refused, as nothing waits for it, and what it rejects with ends nothing", async () => {
  const engine = await openEngine([], { models: {} });
  const onProgress = (): Promise<never> => Promise.reject(new Error("mine"));
  const error = await rejection(engine.models.load("a", { path: await randomModel() }, { onProgress }));
  expect(error).toMatchObject({ name: "TypeError", message: expect.stringContaining("onProgress must not be async") });
  expect(engine.models.list()).toEqual([]);
});

test("a modelLoad hook can veto a load, and change how a model is loaded", async () => {
  const engine = await openEngine([], { models: {} });
  const path = await scriptModel(["Hello."]);
  const veto = engine.hooks.on("modelLoad", () => cancel("not this one"), { name: "veto" });
  const error = await rejection(engine.models.load("a", { path }));
  expect(error).toMatchObject({ code: "HOOK_CANCELLED", decision: { decidedBy: { name: "veto" } } });
  expect((error as Error).message).toContain("not this one");
  veto.dispose();
  engine.hooks.on("modelLoad", ({ params }) => ({ params: { ...params, contextSize: 128 } }));
  expect((await engine.models.load("a", { path })).contextSize).toBe(128);
});

test("a relative path is of the working directory", async () => {
  const engine = await openEngine([], { models: {} });
  const file = await scriptModel(["Hello."]);
  await engine.models.load("a", { path: path.relative(process.cwd(), file) });
  expect((await engine.generate("Hi")).text).toBe("Hello.");
});

test("every log level is taken", async () => {
  for (const logLevel of ["none", "error", "warn"] as const) {
    const engine = await openEngine(["Hello."], { logLevel });
    expect((await engine.generate("Hi")).text).toBe("Hello.");
  }
});

test("the bundled model is an absolute path", () => {
  expect(path.isAbsolute(bundledModel)).toBe(true);
});

test("failed loads in a row are counted at error, and a load that succeeds ends the row", async () => {
  const engine = await openEngine([], { models: {} });
  const path = await scriptModel(["Hello."]);
  const rows: number[] = [];
  engine.hooks.on("error", ({ consecutive }) => void rows.push(consecutive));
  for (let attempt = 0; attempt < 3; attempt += 1)
    await rejection(engine.models.load("mine", { path: `${path}.none` }));
  await engine.models.load("mine", { path, threads: 1 });
  await rejection(engine.models.load("other", { path: `${path}.none` }));
  expect(rows).toEqual([1, 2, 3, 1]);
});

test("a load that is aborted before it has ended leaves no model, also when it was loaded already", async () => {
  const engine = await openEngine([], { models: {} });
  const path = await scriptModel(["Hello."]);
  const stop = new AbortController();
  const unloaded: string[] = [];
  engine.hooks.on("modelReady", () => stop.abort("too late for the file, not for the load"));
  engine.hooks.on("modelUnload", ({ modelId, reason }) => void unloaded.push(`${modelId}: ${reason}`));
  const loading = engine.models.load("a", { path, threads: 1 }, { signal: stop.signal });
  expect(await rejection(loading)).toMatchObject({ code: "CANCELLED", cause: stop.signal.reason });
  expect(engine.models.list()).toEqual([]);
  expect(unloaded).toEqual(["a: the load was cancelled"]);
});

test("an abort or a throw at the last progress comes before the end of the load", async () => {
  const engine = await openEngine([], { models: {} });
  const path = await scriptModel(["Hello."]);
  const stop = new AbortController();
  const mine = new Error("mine");
  const abort = (share: number): void => void (share === 1 && stop.abort(mine));
  const fail = (share: number): void => {
    if (share === 1) throw mine;
  };
  const aborted = engine.models.load("a", { path, threads: 1 }, { signal: stop.signal, onProgress: abort });
  expect(await rejection(aborted)).toMatchObject({ code: "CANCELLED", cause: mine });
  expect(await rejection(engine.models.load("a", { path, threads: 1 }, { onProgress: fail }))).toBe(mine);
  expect(engine.models.list()).toEqual([]);
});
