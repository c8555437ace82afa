// What idle conversations and adapters take of memory: counted, and of conversations given up before any model.
import path from "node:path";
import { expect, test } from "vitest";
import { cancel, type Engine, type EngineOptions } from "../src/index.js";
import { writeSyntheticModel } from "../src/testing/index.js";
import { openAdapted } from "./support/adapters.js";
import { openEngine, rejection, scriptModel, tempDir } from "./support/engine.js";

const mib = 2 ** 20;
const shape = { layers: 4, embedding: 512, heads: 8, kvHeads: 4, feedForward: 2048, vocabulary: 4000 };
const talk = { threads: 1, parallel: 1, contextSize: 1024, cacheMemory: 64 } as const;
const conversations = 6;
const few = 20; // tokens with which all prompts begin, and less

async function bigModel(): Promise<string> {
  const file = path.join(await tempDir(), "big.gguf");
  await writeSyntheticModel(file, shape, { quantization: "F16" });
  return file;
}

function main(engine: Engine) {
  const found = engine.memory().find(({ type }) => type === "cpu");
  if (found === undefined) throw new Error("no main memory");
  return found;
}

/** One turn of a conversation; how many of its prompt's tokens were read before. */
async function turn(engine: Engine, number: number): Promise<number> {
  const prompt = `${String.fromCharCode(97 + number)} talks at length. `.repeat(30);
  const { usage } = await engine.generate(prompt, { model: "big", maxTokens: 1 });
  return usage.cachedTokens;
}

/** An engine whose one sequence has served all conversations in turn: all but the last are in main memory. */
async function talked(file: string, options: EngineOptions = {}): Promise<Engine> {
  const engine = await openEngine([], { ...options, models: { big: { path: file, ...talk } } });
  for (let number = 0; number < conversations; number++) expect(await turn(engine, number)).toBeLessThan(few);
  return engine;
}

/** A budget, in MiB, that leaves `other` no room, but has enough where some conversations go. */
async function tightBudget(file: string, other: string): Promise<number> {
  const engine = await talked(file);
  const { usedBytes, conversationBytes } = main(engine);
  const { estimate } = await engine.models.estimate({ path: other, ...small });
  await engine.close();
  const budget = Math.ceil(usedBytes / mib);
  expect(estimate.hostBytes).toBeGreaterThan(2 * mib);
  expect(estimate.hostBytes).toBeLessThan(conversationBytes - mib);
  return budget;
}

const small = { threads: 1, parallel: 1, contextSize: 4096 } as const;

test("idle conversations count as memory of their model, until they are dropped with it", async () => {
  const file = await bigModel();
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
  const [file, other] = [await bigModel(), await scriptModel(["Here."])];
  const memoryBudget = await tightBudget(file, other);
  const engine = await talked(file, { memoryBudget });
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
  const [file, other] = [await bigModel(), await scriptModel(["Here."])];
  const engine = await talked(file, { memoryBudget: await tightBudget(file, other) });
  const held = main(engine).conversationBytes;
  engine.hooks.on("vramPressure", () => answer ?? cancel("they come back at once"));
  expect(await rejection(engine.models.load("other", { path: other, ...small }))).toMatchObject({
    code: "INSUFFICIENT_MEMORY",
  });
  expect(main(engine).conversationBytes).toBe(held);
  expect(await turn(engine, 0)).toBeGreaterThan(100);
});

test("a hook may have a model go in their place", async () => {
  const [file, other] = [await bigModel(), await scriptModel(["Here."])];
  const engine = await talked(file, { memoryBudget: await tightBudget(file, other) });
  engine.hooks.on("vramPressure", () => ({ conversationBytes: 0, plan: ["big"] }));
  await engine.models.load("other", { path: other, ...small });
  expect(engine.models.describe("big").state).toBe("cold");
});

test("where conversations are not enough, models go, too", async () => {
  const [file, other] = [await bigModel(), await bigModel()];
  const engine = await talked(file, { memoryBudget: 80 });
  const plans: unknown[] = [];
  const all = main(engine).conversationBytes;
  engine.hooks.on("vramPressure", ({ conversationBytes, plan }) => void plans.push([conversationBytes, plan]));
  await engine.models.load("other", { path: other, ...small, contextSize: 512 });
  expect(plans).toEqual([[all, ["big"]]]);
  expect(main(engine).conversationBytes).toBe(0);
});

test.each([-1, 1.5, "all", null])("conversationBytes: %j is no answer", async (conversationBytes) => {
  const [file, other] = [await bigModel(), await scriptModel(["Here."])];
  const engine = await talked(file, { memoryBudget: await tightBudget(file, other) });
  const errors: string[] = [];
  engine.hooks.on("error", ({ message }) => void errors.push(message));
  engine.hooks.on("vramPressure", () => ({ conversationBytes }) as never);
  await engine.models.load("other", { path: other, ...small }).catch(() => {});
  expect(errors.join()).toContain("conversation");
});

test("conversations do not overdraw the budget for long", async () => {
  const file = await bigModel();
  const plain = await openEngine([], { models: { big: { path: file, ...talk } } });
  const memoryBudget = Math.ceil(main(plain).usedBytes / mib) + 3;
  await plain.close();
  const engine = await talked(file, { memoryBudget });
  const asked: unknown[] = [];
  engine.hooks.on("vramPressure", (event) => void asked.push(event));
  await expect.poll(() => main(engine).usedBytes, { timeout: 60_000 }).toBeLessThanOrEqual(memoryBudget * mib);
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
