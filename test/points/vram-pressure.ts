// The occasion: a model is loaded beside one that leaves no room for it.
import { expect } from "vitest";
import { cancel, type Engine, LlamaHooksError, type ModelInfo } from "../../src/index.js";
import { openEngine, rejection, scriptModel } from "../support/engine.js";
import type { PointDefinition } from "./five-tests.js";

const files = new WeakMap<Engine, string>();
let loads = 0;

/** With room for one model of those that `load` loads, and no more. */
async function open(): Promise<Engine> {
  const engine = await openEngine([], { models: {}, memoryBudget: 40 });
  files.set(engine, await scriptModel(["Hello there."]));
  await load(engine);
  return engine;
}

/** 33 MiB. */
function load(engine: Engine, pinned = false): Promise<ModelInfo> {
  const path = files.get(engine) ?? "";
  return engine.models.load(`model-${++loads}`, { path, threads: 1, contextSize: 16_384, pinned });
}

const isModel = expect.stringMatching(/^model-\d+$/);

export const vramPressure: PointDefinition = {
  point: "vramPressure",
  inRuns: { never: "only where memory is short" },
  open,
  occasion: load,
  event: {
    device: "CPU",
    vramUsedMb: 33,
    vramTotalMb: 40,
    pressureLevel: "critical",
    neededBytes: expect.any(Number),
    freeBytes: expect.any(Number),
    budgetBytes: 40 * 2 ** 20,
    cause: "context",
    candidates: [{ modelId: isModel, bytes: expect.any(Number), lastUsed: expect.any(Number), pinned: false }],
    conversationBytes: 0,
    plan: [isModel],
  },
  answers: {
    conversation_bytes: async () => {
      const engine = await open();
      await engine.models.load("talk", { path: files.get(engine) ?? "", threads: 1, parallel: 1, contextSize: 512 });
      const idle = (): number => engine.memory().reduce((sum, { conversationBytes }) => sum + conversationBytes, 0);
      for (const word of ["one ", "two "]) await engine.generate(word.repeat(50), { model: "talk" });
      expect(idle()).toBeGreaterThan(0);
      engine.hooks.on("vramPressure", () => ({ conversationBytes: 2 ** 40, plan: [] }));
      expect(await rejection(load(engine))).toMatchObject({ code: "INSUFFICIENT_MEMORY" });
      expect(idle()).toBe(0);
      expect(engine.models.list().map(({ state }) => state)).toEqual(["ready", "ready"]);
    },
    plan: async () => {
      const engine = await open();
      engine.hooks.on("vramPressure", () => ({ plan: [] }), { name: "keeper" });
      expect(await rejection(load(engine))).toMatchObject({
        code: "INSUFFICIENT_MEMORY",
        message: expect.stringContaining("the hook keeper at vramPressure left less to be unloaded than was planned"),
      });
      expect(engine.models.list().map(({ state }) => state)).toEqual(["ready"]);
    },
    cancel: async () => {
      const engine = await open();
      engine.hooks.on("vramPressure", () => cancel("it is needed"), { name: "keeper" });
      const failure = await rejection(load(engine));
      expect(failure).toBeInstanceOf(LlamaHooksError);
      expect(failure).toMatchObject({
        code: "INSUFFICIENT_MEMORY",
        message: expect.stringContaining("keeper would have nothing unloaded: it is needed"),
        decision: { point: "vramPressure", reason: "it is needed", decidedBy: { name: "keeper" } },
      });
      expect(engine.models.list().map(({ state }) => state)).toEqual(["ready"]);
    },
  },
  failedClosed: (outcome, thrown) => {
    expect(outcome).toMatchObject({ code: "INSUFFICIENT_MEMORY", decision: { status: "HOOK_FAILED" } });
    expect((outcome as LlamaHooksError).cause).toBe(thrown);
  },
};
