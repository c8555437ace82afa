import { mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { cancel, type Engine, type ModelInfo } from "../../src/index.js";
import { adaptedModel } from "../support/adapters.js";
import { embeddingModel } from "../support/embeddings.js";
import { openEngine, rejection, scriptModel, tempDir } from "../support/engine.js";
import { gate } from "../support/gate.js";

/** Writes down when models are asked for, loaded and gone. */
function watched(engine: Engine): string[] {
  const events: string[] = [];
  engine.hooks.on("modelLoad", ({ modelId }) => void events.push(`load ${modelId}`));
  engine.hooks.on("modelReady", ({ modelId }) => void events.push(`ready ${modelId}`));
  engine.hooks.on("modelUnload", ({ modelId }) => void events.push(`unload ${modelId}`));
  return events;
}

function states(engine: Engine): string[] {
  return engine.models.list().map(({ modelId, state }) => `${modelId} ${state}`);
}

/** The facts about a model that a load does not change. */
function lasting(info: ModelInfo): object {
  return { ...info, loadMs: null, measured: null, memory: null, state: null };
}

test("a lazy model is known, takes nothing, and is loaded by who uses it first", async () => {
  const [left, right] = [await scriptModel(["I am left."]), await scriptModel(["I am right."])];
  const engine = await openEngine([], { models: { left, right: { path: right, pinned: true } }, lazy: true });
  const events = watched(engine);
  expect(states(engine)).toEqual(["left cold", "right cold"]);
  expect(engine.memory()[0]?.usedBytes).toBe(0);
  const before = engine.models.describe("right");
  expect(before).toMatchObject({ loadMs: 0, measured: { deviceBytes: 0, hostBytes: 0 }, memory: [], pinned: true });
  expect((await engine.generate("Who?", { model: "right" })).text).toBe("I am right.");
  expect(events).toEqual(["load right", "ready right"]);
  expect(states(engine)).toEqual(["left cold", "right ready"]);
  const after = engine.models.describe("right");
  expect(lasting(after)).toEqual(lasting(before));
  expect(after.loadMs).toBeGreaterThan(0);
  expect(after.measured.hostBytes).toBe(engine.memory()[0]?.usedBytes);
});

test("the only model may be lazy: it has no need of its name", async () => {
  const engine = await openEngine([], { model: await scriptModel(["Here.", "Still here."]), lazy: true });
  const session = engine.session();
  expect((await session.run("Who?")).text).toBe("Here.");
  expect((await session.run("And now?")).text).toBe("Still here.");
});

test("models.load() of a lazy model says what it will be, and without lazy loads it", async () => {
  const engine = await openEngine([], { models: {} });
  const events = watched(engine);
  const file = await scriptModel(["Here."]);
  const lazy = await engine.models.load("one", { path: file, lazy: true, contextSize: 512, parallel: 2 });
  expect(lazy).toMatchObject({ modelId: "one", path: file, state: "cold", contextSize: 512, parallel: 2 });
  expect(events).toEqual([]);
  const loaded = await engine.models.load("one", { path: file, contextSize: 1024 });
  expect(loaded).toMatchObject({ state: "ready", contextSize: 1024 });
  expect(events).toEqual(["load one", "ready one"]);
  expect(await rejection(engine.models.load("one", { path: file, lazy: true }))).toMatchObject({
    code: "MODEL_IN_USE",
  });
});

test("what is described of an embedder without a load is what the load makes of it", async () => {
  const file = await embeddingModel();
  const engine = await openEngine([], { models: {} });
  const estimate = await engine.models.estimate({ path: file, threads: 1 });
  const lazy = await engine.models.load("vectors", { path: file, threads: 1, lazy: true });
  const [vector] = (await engine.embed(["a text"], { model: "vectors" })).embeddings;
  const loaded = engine.models.describe("vectors");
  expect(loaded.state).toBe("ready");
  expect(lasting(loaded)).toEqual(lasting(lazy));
  expect(vector).toHaveLength(lazy.embedding.dimensions);
  const { chatTemplate, generates, infills, embedding, threads, contextSize } = loaded;
  expect(estimate).toMatchObject({ chatTemplate, generates, infills, embedding, threads, contextSize });
});

test("many that use a lazy model at once wait for one load", async () => {
  const engine = await openEngine([], { model: await scriptModel(Array(6).fill("Here.")), lazy: true });
  const events = watched(engine);
  const answers = await Promise.all(Array.from({ length: 6 }, () => engine.generate("Who?")));
  expect(answers.map(({ text }) => text)).toEqual(Array(6).fill("Here."));
  expect(events).toEqual(["load default", "ready default"]);
});

test("a hook refuses the load of a lazy model where it is used; it stays cold, and the next use tries again", async () => {
  const engine = await openEngine([], { model: await scriptModel(["Here."]), lazy: true });
  const guard = engine.hooks.on("modelLoad", () => cancel("not now"), { name: "guard" });
  const refused = await rejection(engine.generate("Who?"));
  expect(refused).toMatchObject({ code: "HOOK_CANCELLED", decision: { decidedBy: { name: "guard" } } });
  expect(states(engine)).toEqual(["default cold"]);
  guard.dispose();
  expect((await engine.generate("Who?")).text).toBe("Here.");
});

test("a file that cannot be loaded is refused when it is named, and leaves nothing behind", async () => {
  const engine = await openEngine([], { models: {} });
  const file = path.join(await tempDir(), "bad.gguf");
  await writeFile(file, "not a model");
  const bad = await rejection(engine.models.load("bad", { path: file, lazy: true }));
  expect(bad).toMatchObject({ code: "MODEL_FILE_INVALID" });
  const template = { path: await scriptModel(["Here."]), chatTemplate: "{% if %}" };
  for (const attempt of [
    () => engine.models.load("bad", { ...template, lazy: true }),
    () => engine.models.estimate(template),
    () => engine.models.load("bad", template),
  ])
    expect(await rejection(attempt())).toMatchObject({ code: "TEMPLATE_FAILED" });
  expect(engine.models.list()).toEqual([]);
  await engine.models.load("bad", { path: await scriptModel(["Good."]) });
  expect((await engine.generate("Who?")).text).toBe("Good.");
});

test("a file that has gone since is an error of the use, after which the engine continues", async () => {
  const file = await scriptModel(["Here."]);
  const engine = await openEngine([], { model: file, lazy: true });
  const aside = path.join(path.dirname(file), "aside");
  await mkdir(aside);
  await rename(file, path.join(aside, "script.gguf"));
  expect(await rejection(engine.generate("Who?"))).toMatchObject({ code: "MODEL_FILE_NOT_FOUND" });
  await rename(path.join(aside, "script.gguf"), file);
  expect((await engine.generate("Who?")).text).toBe("Here.");
});

test("a lazy model that was not used is unloaded without a hook, and nothing was freed", async () => {
  const engine = await openEngine([], { model: await scriptModel(["Here."]), lazy: true });
  const events = watched(engine);
  const result = await engine.models.unload("default");
  expect(result).toEqual({ modelId: "default", freed: { deviceBytes: 0, hostBytes: 0 } });
  expect([events, engine.models.list()]).toEqual([[], []]);
  expect(await rejection(engine.generate("Who?"))).toMatchObject({ code: "MODEL_NOT_LOADED" });
});

test("the list shows each state: cold, loading, ready, unloading", async () => {
  const engine = await openEngine([], { model: await scriptModel(["Here."]), lazy: true });
  const seen: string[] = [...states(engine)];
  engine.hooks.on("modelLoad", () => void seen.push(...states(engine)));
  engine.hooks.on("modelReady", () => void seen.push(...states(engine)));
  await engine.generate("Who?");
  const [entered, released] = [gate(), gate()];
  engine.hooks.on("preGenerate", () => (entered.open(), released.passed));
  const running = engine.generate("Again?");
  await entered.passed;
  const unloading = engine.models.unload("default");
  seen.push(...states(engine));
  released.open();
  await Promise.all([running, unloading]);
  seen.push(...states(engine));
  expect(seen).toEqual(["default cold", "default loading", "default ready", "default unloading"]);
});

test("a cold model fits when others are given up for it, as one that was loaded", async () => {
  const size = { threads: 1, contextSize: 16_384, lazy: true } as const;
  const models = { left: await scriptModel(["I am left."]), right: await scriptModel(["I am right."]) };
  const engine = await openEngine([], { models, ...size, memoryBudget: 40 });
  expect(states(engine)).toEqual(["left cold", "right cold"]);
  for (const id of ["left", "right", "left"] as const) {
    expect((await engine.generate("Who?", { model: id })).text).toBe(`I am ${id}.`);
  }
  expect(states(engine)).toEqual(["left ready", "right cold"]);
  expect(engine.models.describe("right").memory).toEqual([]);
});

test("a load of a cold model that fails leaves it as it was", async () => {
  const file = await scriptModel(["Here."]);
  const engine = await openEngine([], { model: file, lazy: true, contextSize: 512 });
  const guard = engine.hooks.on("modelLoad", () => cancel("not now"));
  const refused = await rejection(engine.models.load("default", { path: file, contextSize: 1024 }));
  expect(refused).toMatchObject({ code: "HOOK_CANCELLED" });
  guard.dispose();
  const missing = await rejection(engine.models.load("default", { path: "/nowhere.gguf", lazy: true }));
  expect(missing).toMatchObject({ code: "MODEL_FILE_NOT_FOUND" });
  expect(engine.models.list()).toMatchObject([{ modelId: "default", state: "cold", contextSize: 512 }]);
  expect((await engine.generate("Who?")).text).toBe("Here.");
  expect(engine.models.describe("default").contextSize).toBe(512);
});

test("who uses a cold model while it is loaded by its name waits for that; a hook of the load is refused", async () => {
  const file = await scriptModel(["Here."]);
  const engine = await openEngine([], { model: file, lazy: true, contextSize: 512 });
  const [entered, released] = [gate(), gate()];
  const events = watched(engine);
  let inside: unknown;
  const hook = engine.hooks.on("modelLoad", async () => {
    inside = await rejection(engine.generate("Who?"));
    entered.open();
    await released.passed;
  });
  const loading = engine.models.load("default", { path: file, contextSize: 1024 });
  await entered.passed;
  expect(inside).toMatchObject({ code: "REENTRANT" });
  expect(states(engine)).toEqual(["default loading"]);
  const generating = engine.generate("Who?");
  released.open();
  expect((await loading).contextSize).toBe(1024);
  expect((await generating).text).toBe("Here.");
  hook.dispose();
  expect(events).toEqual(["load default", "ready default"]);
});

test("lazy loads of one id at once are one; who aborts leaves it to the other, or nothing behind", async () => {
  const engine = await openEngine([], { models: {} });
  const options = { path: await scriptModel(["Here."]), lazy: true };
  const aborted = AbortSignal.abort();
  const [one, two] = await Promise.all([engine.models.load("both", options), engine.models.load("both", options)]);
  expect(one).toEqual(two);
  expect(one).toEqual(engine.models.describe("both"));
  const left = rejection(engine.models.load("alone", options, { signal: aborted }));
  expect(await left).toMatchObject({ code: "CANCELLED" });
  const shared = Promise.all([
    rejection(engine.models.load("shared", options, { signal: aborted })),
    engine.models.load("shared", options),
  ]);
  expect(await shared).toMatchObject([{ code: "CANCELLED" }, { state: "cold" }]);
  expect(states(engine)).toEqual(["both cold", "shared cold"]);
});

test("what fails when a lazy model is named is an error that hooks receive", async () => {
  const engine = await openEngine([], { models: {} });
  const errors: unknown[] = [];
  engine.hooks.on("error", ({ code, where }) => void errors.push([code, where]));
  await rejection(engine.models.load("gone", { path: "/nowhere.gguf", lazy: true }));
  await expect.poll(() => errors).toEqual([["MODEL_FILE_NOT_FOUND", "load"]]);
});

test("adapters, rankings and tiers find a model that was not used, and close() one that never will be", async () => {
  const ranker = await embeddingModel({ reranks: true });
  const { model, file } = await adaptedModel(["Plain."], { warm: ["Warm."] });
  const other = await scriptModel(["From the other."]);
  const lead = await scriptModel([
    { toolCalls: [{ name: "delegate", args: { tier: "other", task: "Go." } }] },
    "Done.",
  ]);
  const models = { ranker, text: model, lead, other, idle: other };
  const engine = await openEngine([], { models, lazy: true });
  expect((await engine.rerank("query", ["one", "two"], { model: "ranker" })).results).toHaveLength(2);
  expect((await engine.adapters.load("warm", { path: file("warm"), model: "text" })).modelId).toBe("text");
  const session = engine.session({
    tier: "lead",
    tiers: { lead: { model: "lead" }, other: { model: "other" } },
    controlTools: ["delegate"],
  });
  expect((await session.run("Go.")).toolCalls).toMatchObject([
    { name: "delegate", result: expect.stringContaining("From the other.") },
  ]);
  expect(states(engine)).toEqual(["idle cold", "lead ready", "other ready", "ranker ready", "text ready"]);
  await engine.close();
});
