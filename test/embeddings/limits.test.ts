import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { bundledModel, cancel, createEngine, LlamaHooksError } from "../../src/index.js";
import { writeScriptModel, writeSyntheticModel } from "../../src/testing/index.js";
import { amount } from "../support/amount.js";
import { embeddingModel, openEmbedder } from "../support/embeddings.js";
import { openEngine, rejection, tempDir } from "../support/engine.js";
import { writeT5 } from "../support/models/t5.js";

const mib = 2 ** 20;

test("a text that is too long is an error with its place, its tokens and the limit, and nothing is cut off", async () => {
  const { engine } = await openEmbedder({ kind: "encoder", contextLength: 64 });
  const errors: object[] = [];
  engine.hooks.on("error", ({ code, where }) => void errors.push({ code, where }));
  const failure = await rejection(engine.embed(["short", "x".repeat(70)]));
  expect(failure).toMatchObject({
    code: "TEXT_TOO_LONG",
    message: expect.stringMatching(/^texts\[1\] has 72 tokens, and a text may have 64/) as string,
  });
  expect(errors).toEqual([{ code: "TEXT_TOO_LONG", where: "embed" }]);
  expect((await engine.embed("x".repeat(62))).tokens).toBe(64);
});

test("batchSize says how long a text may be, where the model was trained for longer ones", async () => {
  const { engine } = await openEmbedder({ kind: "decoder", contextLength: 4096 }, { batchSize: 100 });
  const text = "abcdefghij".repeat(10);
  expect((await engine.embed(text)).tokens).toBe(100);
  expect(await rejection(engine.embed(`${text}k`))).toMatchObject({ code: "TEXT_TOO_LONG" });
  const { embeddings } = await engine.embed([text, "short", text, "short"]);
  expect(embeddings[2]).toEqual(embeddings[0]);
});

test("a text without tokens is an error with its place", async () => {
  const { engine } = await openEmbedder({ kind: "decoder" });
  expect(await rejection(engine.embed(["some", ""]))).toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining("texts[1]") as string,
  });
  const encoder = await openEmbedder({ kind: "encoder" }); // which has its begin and end tokens
  expect((await encoder.engine.embed("")).tokens).toBe(2);
});

test("misuse is a TypeError that names what is wrong", async () => {
  const { engine } = await openEmbedder();
  const calls: [unknown, unknown, RegExp][] = [
    [undefined, {}, /input of embed\(\).*undefined/],
    [["a", 1], {}, /\[1\].*1/],
    [["a", ,], {}, /\[1\].*undefined/], // eslint-disable-line no-sparse-arrays
    ["a", { poling: "mean" }, /poling.*did you mean "pooling"/],
    ["a", { pooling: "rank" }, /pooling.*"none".*"rank"/],
    ["a", { normalize: 1 }, /normalize.*1/],
    ["a", { signal: {} }, /signal/],
    ["a", { model: 1 }, /model.*1/],
  ];
  for (const [input, options, message] of calls) {
    const failure = await rejection(engine.embed(input as string, options as object));
    expect(failure).toBeInstanceOf(TypeError);
    expect((failure as TypeError).message).toMatch(message);
  }
});

test("an aborted call rejects, before, while and after it computes, and others go on", async () => {
  const { engine } = await openEmbedder({ kind: "encoder", dimensions: 256 });
  const count = amount(80, 400);
  const texts = Array.from({ length: count }, (_, i) => `Text ${i}: ${"some words ".repeat(20)}`);
  expect(await rejection(engine.embed("A text.", { signal: AbortSignal.abort(new Error("never")) }))).toMatchObject({
    code: "CANCELLED",
  });
  const whole = engine.embed(texts);
  const small = await engine.embed(texts[3] as string); // takes its turn between two batches of the other
  const aborts = Array.from({ length: amount(6, 20) }, async (_, i) => {
    const controller = new AbortController();
    const call = engine.embed(texts, { signal: controller.signal });
    setTimeout(() => controller.abort(), i * 3);
    return rejection(call).catch(() => undefined);
  });
  for (const failure of await Promise.all(aborts)) {
    if (failure !== undefined) expect(failure).toMatchObject({ code: "CANCELLED" });
  }
  const { embeddings } = await whole;
  expect(embeddings).toHaveLength(count);
  small.embedding.forEach((value, i) => expect(embeddings[3]?.[i]).toBeCloseTo(value, 5));
});

test("a call that waits for its turn can be aborted", async () => {
  const { engine } = await openEmbedder();
  const texts = Array.from({ length: 300 }, () => "some words ".repeat(20));
  const controller = new AbortController();
  const calls = Array.from({ length: 30 }, () => rejection(engine.embed(texts, { signal: controller.signal })));
  controller.abort();
  for (const failure of await Promise.all(calls)) expect(failure).toMatchObject({ code: "CANCELLED" });
  expect((await engine.embed("A text.")).tokens).toBeGreaterThan(2);
});

test("more calls than may wait are BUSY", async () => {
  const { engine } = await openEmbedder({}, {}, { maxQueued: 2 });
  const calls = Array.from({ length: 12 }, () =>
    engine.embed("some words ".repeat(20)).catch((error: unknown) => error),
  );
  const ends = await Promise.all(calls);
  const busy = ends.filter((end) => end instanceof Error);
  expect(busy.length).toBeGreaterThan(0);
  for (const error of busy) expect(error).toMatchObject({ code: "BUSY" });
});

test("closing the engine ends what computes, and later calls are refused", async () => {
  const { engine } = await openEmbedder();
  const texts = Array.from({ length: 3000 }, () => "some words ".repeat(20));
  const calls = Array.from({ length: 8 }, () => engine.embed(texts).catch((error: unknown) => error));
  await engine.close();
  for (const end of await Promise.all(calls)) expect(end).toMatchObject({ code: "CLOSED" });
  expect(await rejection(engine.embed("A text."))).toMatchObject({ code: "CLOSED" });
});

test("an unload waits for calls that compute", async () => {
  const { engine } = await openEmbedder();
  const texts = Array.from({ length: 200 }, () => "some words ".repeat(20));
  const call = engine.embed(texts);
  await engine.models.unload("default");
  expect((await call).embeddings).toHaveLength(200);
  expect(await rejection(engine.embed("A text."))).toMatchObject({ code: "MODEL_NOT_LOADED" });
});

test("a model that cannot write refuses to, with what it is for", async () => {
  const { engine } = await openEmbedder({ kind: "encoder" });
  const failure = await rejection(engine.generate("Hello?"));
  expect(failure).toMatchObject({ code: "UNSUPPORTED_BY_MODEL", message: expect.stringContaining("embed") as string });
  expect(await rejection(engine.infill({ prefix: "a" }))).toMatchObject({ code: "UNSUPPORTED_BY_MODEL" });
  expect((await engine.embed("A text.")).dimensions).toBe(64);
});

test("the context for embeddings is counted with its model, and given back with it", async () => {
  const file = path.join(await tempDir(), "tiny.gguf");
  await writeSyntheticModel(file, "tiny");
  const engine = await openEngine([], { models: {} });
  await engine.models.load("tiny", { path: file, threads: 1 });
  const used = (): number => engine.memory().find(({ type }) => type === "cpu")?.usedBytes ?? NaN;
  const before = used();
  const described = (): number =>
    engine.models.describe("tiny").memory.reduce((sum, one) => sum + one.contextBytes + one.computeBytes, 0);
  const atFirst = described();
  await Promise.all(Array.from({ length: 12 }, () => engine.embed("A text.", { pooling: "mean" })));
  const one = used();
  // Its logits alone, of 512 tokens and 32,000 words, are twice 62 MiB.
  expect(one - before).toBeGreaterThan(124 * mib);
  expect(described() - atFirst).toBe(one - before);
  await engine.embed("Another.", { pooling: "mean" });
  expect(used()).toBe(one);
  await engine.embed("Another.", { pooling: "last" });
  expect(used() - one).toBeGreaterThan(124 * mib);
  await engine.models.unload("tiny");
  expect(used()).toBe(0);
});

test("a context for which there is no room is refused, and the model works on", async () => {
  const file = path.join(await tempDir(), "tiny.gguf");
  await writeSyntheticModel(file, "tiny");
  const engine = await openEngine([], { models: {}, memoryBudget: 100 });
  await engine.models.load("tiny", { path: file, threads: 1, contextSize: 512, parallel: 1 });
  const pressure: unknown[] = [];
  engine.hooks.on("vramPressure", ({ cause }) => void pressure.push(cause));
  const failure = await rejection(engine.embed("A text."));
  expect(failure).toMatchObject({
    code: "INSUFFICIENT_MEMORY",
    message: expect.stringMatching(/^"tiny" needs .* of a budget of 100\.0 MiB; .*"tiny" .*in use/) as string,
  });
  expect(pressure).toEqual(["context"]);
  const options = { raw: true, maxTokens: 4, ignoreEos: true };
  expect((await engine.generate("Once", options)).usage.completionTokens).toBe(4);
});

test("models without use make room for a context, unless a hook refuses; they come back when they embed", async () => {
  const folder = await tempDir();
  const idle = path.join(folder, "idle.gguf");
  const busy = path.join(folder, "busy.gguf");
  await writeScriptModel(idle, { replies: ["Hello."] });
  await writeSyntheticModel(busy, "tiny");
  const small = { threads: 1, contextSize: 512, parallel: 1 };
  const roomy = await openEngine([], { models: {} });
  await roomy.models.load("busy", { path: busy, ...small });
  await roomy.embed("A text.");
  const needed = Math.ceil((roomy.memory().find(({ type }) => type === "cpu")?.usedBytes ?? NaN) / mib);
  // The other model takes 16 MiB for its context alone.
  const engine = await openEngine([], { models: {}, memoryBudget: needed + 8 });
  await engine.models.load("idle", { path: idle, threads: 1, contextSize: 16_384 });
  await engine.models.load("busy", { path: busy, ...small });
  const hook = engine.hooks.on("vramPressure", () => cancel("it is needed"));
  expect(await rejection(engine.embed("A text.", { model: "busy" }))).toMatchObject({ code: "INSUFFICIENT_MEMORY" });
  hook.dispose();
  await engine.embed("A text.", { model: "busy" });
  const states = engine.models.list().map(({ modelId, state }) => `${modelId} ${state}`);
  expect(states).toEqual(["busy ready", "idle cold"]);
  await engine.models.unload("busy");
  expect((await engine.embed("A text.", { model: "idle" })).dimensions).toBeGreaterThan(0);
  expect(engine.models.list().map(({ state }) => state)).toEqual(["ready"]);
});

test("an embedder is measured, loaded within a budget and refused beyond it like any other model", async () => {
  const file = await embeddingModel({ kind: "encoder" });
  const engine = await openEngine([], { models: {}, memoryBudget: 40 });
  const { estimate, fits } = await engine.models.estimate({ path: file, threads: 1 });
  const { measured } = await engine.models.load("one", { path: file, threads: 1 });
  expect(fits).toBe(true);
  expect(Math.abs(estimate.hostBytes / measured.hostBytes - 1)).toBeLessThan(0.05);
  expect(engine.memory().find(({ type }) => type === "cpu")?.usedBytes).toBe(measured.hostBytes);
  const large = engine.models.load("two", { path: file, threads: 1, batchSize: 32_768 });
  expect(await rejection(large)).toMatchObject({ code: "INSUFFICIENT_MEMORY" });
});

test("a hook that waits for its own model's vectors gets them", async () => {
  const { engine } = await openEmbedder({ kind: "decoder" });
  const found: number[] = [];
  engine.hooks.on("preGenerate", async () => {
    found.push((await engine.embed("A text.")).dimensions);
    return undefined;
  });
  await engine.generate("Hello", { raw: true, maxTokens: 2 });
  expect(found).toEqual([64]);
});

test("a hook that asks for what it holds up gets an error that says so", async () => {
  const file = path.join(await tempDir(), "tiny.gguf");
  await writeSyntheticModel(file, "tiny");
  const engine = await openEngine([], { models: {}, memoryBudget: 100 });
  await engine.models.load("tiny", { path: file, threads: 1, contextSize: 512, parallel: 1 });
  const inside: unknown[] = [];
  engine.hooks.on("vramPressure", async () => {
    inside.push(await rejection(engine.embed("Inside.")));
    return undefined;
  });
  expect(await rejection(engine.embed("A text."))).toMatchObject({ code: "INSUFFICIENT_MEMORY" });
  expect(inside).toMatchObject([{ code: "REENTRANT" }]);
});

test("a file that is damaged is refused as that of any model is", async () => {
  const file = path.join(await tempDir(), "damaged.gguf");
  await writeFile(file, "GGUF and no more");
  const engine = await openEngine([], { models: {} });
  expect(await rejection(engine.models.load("one", { path: file }))).toMatchObject({ code: "MODEL_FILE_INVALID" });
});

test.each([
  ["t5", /is an encoder-decoder/],
  ["t5encoder", /is the encoder of an encoder-decoder/],
] as const)("a model of the architecture %s is refused wherever its file is named", async (part, what) => {
  const file = await writeT5(path.join(await tempDir(), `${part}.gguf`), part);
  const engine = await openEngine(["Hello."]);
  const refused = { code: "UNSUPPORTED_ARCHITECTURE", message: expect.stringMatching(what) as string };
  const { models } = engine;
  expect(await rejection(models.load("one", { path: file }))).toMatchObject(refused);
  expect(await rejection(models.load("one", { path: file, lazy: true }))).toMatchObject(refused);
  expect(await rejection(models.estimate({ path: file }))).toMatchObject(refused);
  expect(await rejection(createEngine({ model: file, gpu: false }))).toMatchObject(refused);
  expect(models.list().map(({ modelId }) => modelId)).toEqual(["default"]);
  expect((await engine.generate("Hi")).text).toBe("Hello.");
});

test("a cancelled call waits for no other call's batch", async () => {
  const engine = await openEngine([], { model: bundledModel, batchSize: 4096, contextSize: 4096 });
  await engine.embed("short", { pooling: "mean" }); // makes the context
  const ended: string[] = [];
  const first = engine.embed("word ".repeat(1360), { pooling: "mean" }).then(() => ended.push("first"));
  // The first call computes for a second or two. A short one that is computed before it says nothing.
  const short = (): Promise<unknown> =>
    engine.embed("short", { pooling: "mean", signal: AbortSignal.timeout(50) }).catch((error: unknown) => error);
  let second = await short();
  while (!(second instanceof LlamaHooksError)) second = await short();
  expect(second).toMatchObject({ code: "CANCELLED" });
  expect(ended).toEqual([]);
  await first;
  expect((await engine.embed("short", { pooling: "mean" })).tokens).toBeGreaterThan(0);
});
