// The memory of idle conversations and adapters counts, and idle conversations are evicted before any model.
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cancel, createEngine, type Engine, type EngineOptions } from "../../src/index.js";
import { writeScriptModel, writeSyntheticModel } from "../../src/testing/index.js";
import { openAdapted } from "../support/adapters.js";
import { openEngine, rejection } from "../support/engine.js";

const mib = 2 ** 20;
// Much memory for each token of a conversation, and little to compute: a loaded machine reads a prompt in time, too.
const shape = { layers: 4, embedding: 256, heads: 4, kvHeads: 4, feedForward: 256, vocabulary: 1000 };
const talk = { threads: 1, parallel: 1, contextSize: 1024, cacheMemory: 64 } as const;
const conversations = 6;
const few = 20; // tokens with which all prompts begin, and less

const small = { threads: 1, parallel: 1, contextSize: 4096 } as const;

let folder: string;
let file: string;
let other: string;
/** The memory in use after all conversations, in MiB: too little for `other`, unless some conversations are evicted. */
let memoryBudget: number;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "llama-hooks-test-"));
  [file, other] = [path.join(folder, "big.gguf"), path.join(folder, "other.gguf")];
  await writeSyntheticModel(file, shape, { quantization: "F16" });
  await writeScriptModel(other, { replies: ["Here."] });
  await using engine = await createEngine({ gpu: false, threads: 1, models: { big: { path: file, ...talk } } });
  await talkOn(engine);
  const { usedBytes, conversationBytes } = main(engine);
  const { estimate } = await engine.models.estimate({ path: other, ...small });
  memoryBudget = Math.ceil(usedBytes / mib);
  expect(estimate.hostBytes).toBeGreaterThan(2 * mib);
  expect(estimate.hostBytes).toBeLessThan(conversationBytes - mib);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function main(engine: Engine) {
  const found = engine.memory().find(({ type }) => type === "cpu");
  if (found === undefined) throw new Error("no main memory");
  return found;
}

/** One turn of a conversation; how many of its prompt's tokens were read before. */
async function turn(engine: Engine, number: number): Promise<number> {
  const prompt = `${String.fromCharCode(97 + number)} talks at length. `.repeat(20);
  const { usage } = await engine.generate(prompt, { model: "big", maxTokens: 1 });
  return usage.cachedTokens;
}

/** One sequence serves all conversations in turn: all but the last are in main memory. */
async function talkOn(engine: Engine): Promise<void> {
  for (let number = 0; number < conversations; number++) expect(await turn(engine, number)).toBeLessThan(few);
}

async function talked(options: EngineOptions): Promise<Engine> {
  const engine = await openEngine([], { ...options, models: { big: { path: file, ...talk } } });
  await talkOn(engine);
  return engine;
}

test("idle conversations count as memory of their model, until they are dropped with it", async () => {
  const engine = await openEngine([], { models: { big: { path: file, ...talk } } });
  const before = main(engine);
  expect(before.conversationBytes).toBe(0);
  await turn(engine, 0);
  expect(main(engine).conversationBytes).toBe(0);
  await turn(engine, 1);
  const one = main(engine).conversationBytes;
  expect(one).toBeGreaterThan(mib);
  expect(main(engine).usedBytes).toBe(before.usedBytes + one);
  const contexts = engine.models.describe("big").memory.reduce((sum, { contextBytes }) => sum + contextBytes, 0);
  expect(contexts).toBeGreaterThan(one);
  let freed = 0;
  engine.hooks.on("modelUnload", (event) => void (freed = event.freed.hostBytes));
  await engine.models.unload("big");
  expect(main(engine)).toMatchObject({ usedBytes: 0, conversationBytes: 0 });
  expect(freed).toBe(before.usedBytes + one);
});

test("for a load idle conversations go first, the oldest of them, and as few as are enough", async () => {
  const engine = await talked({ memoryBudget });
  const held = main(engine).conversationBytes;
  const asked: unknown[] = [];
  engine.hooks.on("vramPressure", ({ conversationBytes, plan, candidates }) => {
    expect(conversationBytes).toBeGreaterThan(0);
    expect(conversationBytes).toBeLessThan(held);
    asked.push([plan, candidates.map(({ modelId }) => modelId)]);
  });
  await engine.models.load("other", { path: other, ...small });
  expect(asked).toEqual([[[], ["big"]]]);
  expect(engine.models.list().map(({ state }) => state)).toEqual(["ready", "ready"]);
  expect(main(engine).conversationBytes).toBeLessThan(held);
  expect(main(engine).usedBytes).toBeLessThanOrEqual(memoryBudget * mib);
  expect(await turn(engine, conversations - 2)).toBeGreaterThan(100);
  expect(await turn(engine, 0)).toBeLessThan(few);
});

test.each([
  ["keeps them", { conversationBytes: 0 }],
  ["will have nothing given up", undefined],
])("a hook that %s makes the load fail, and the conversations stay", async (_, answer) => {
  const engine = await talked({ memoryBudget });
  const held = main(engine).conversationBytes;
  engine.hooks.on("vramPressure", () => answer ?? cancel("they come back at once"));
  expect(await rejection(engine.models.load("other", { path: other, ...small }))).toMatchObject({
    code: "INSUFFICIENT_MEMORY",
  });
  expect(main(engine).conversationBytes).toBe(held);
  expect(await turn(engine, 0)).toBeGreaterThan(100);
});

test("a hook may have a model go in their place", async () => {
  const engine = await talked({ memoryBudget });
  engine.hooks.on("vramPressure", () => ({ conversationBytes: 0, plan: ["big"] }));
  await engine.models.load("other", { path: other, ...small });
  expect(engine.models.describe("big").state).toBe("cold");
});

test("where conversations are not enough, models go, too", async () => {
  const copy = path.join(folder, "copy.gguf"); // whose weights are its own
  await copyFile(file, copy);
  const engine = await talked({ memoryBudget });
  const plans: unknown[] = [];
  const all = main(engine).conversationBytes;
  engine.hooks.on("vramPressure", ({ conversationBytes, plan }) => void plans.push([conversationBytes, plan]));
  await engine.models.load("copy", { path: copy, ...small, contextSize: 2048 });
  expect(plans).toEqual([[all, ["big"]]]);
  expect(main(engine).conversationBytes).toBe(0);
});

test.each([-1, 1.5, "all", null])("conversationBytes: %j is not an answer", async (conversationBytes) => {
  const engine = await talked({ memoryBudget });
  const errors: string[] = [];
  engine.hooks.on("error", ({ message }) => void errors.push(message));
  engine.hooks.on("vramPressure", () => ({ conversationBytes }) as never);
  await engine.models.load("other", { path: other, ...small }).catch(() => {});
  expect(errors.join()).toContain("conversation");
});

test("conversations do not overdraw the budget for long", async () => {
  const plain = await openEngine([], { models: { big: { path: file, ...talk } } });
  const budget = Math.ceil(main(plain).usedBytes / mib) + 3;
  await plain.close();
  const engine = await talked({ memoryBudget: budget });
  const asked: unknown[] = [];
  engine.hooks.on("vramPressure", (event) => void asked.push(event));
  while (main(engine).usedBytes > budget * mib) await setImmediate();
  expect(main(engine).conversationBytes).toBeGreaterThan(0);
  expect(asked).toEqual([]);
});

test("adapters count as memory of their model", async () => {
  const { engine, file } = await openAdapted(["Plain."], { loud: ["LOUD."] });
  const one = main(engine).usedBytes;
  await engine.adapters.load("again", { path: file("loud") });
  const two = main(engine).usedBytes;
  const [info] = engine.adapters.list();
  expect(two - one).toBeGreaterThan(0);
  expect(two - one).toBeLessThanOrEqual(2 * (info?.fileBytes ?? 0));
  await engine.adapters.unload("again");
  expect(main(engine).usedBytes).toBe(one);
  await engine.adapters.unload("loud");
  expect(main(engine).usedBytes).toBe(one - (two - one));
});
