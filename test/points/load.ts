import path from "node:path";
import { expect } from "vitest";
import { cancel, createEngine, type Engine, LlamaHooksError, type ModelInfo } from "../../src/index.js";
import { openEngine, rejection, scriptModel } from "../support/engine.js";
import type { PointDefinition } from "./five-tests.js";

const files = new WeakMap<Engine, string>();
let loads = 0;

async function open(): Promise<Engine> {
  const engine = await openEngine([], { models: {} });
  files.set(engine, await scriptModel(["Hello there."]));
  return engine;
}

/** Loads the engine's file under a new id. */
function load(engine: Engine, options: { contextSize?: number; parallel?: number } = {}): Promise<ModelInfo> {
  return engine.models.load(`model-${++loads}`, { path: files.get(engine) ?? "", threads: 1, ...options });
}

const isFile = expect.stringContaining(`${path.sep}script.gguf`);
const someBytes = { deviceBytes: expect.any(Number), hostBytes: expect.any(Number) };

export const modelLoad: PointDefinition = {
  point: "modelLoad",
  inRuns: { never: "before a model is there to run" },
  open,
  occasion: load,
  event: {
    modelId: expect.stringMatching(/^model-\d+$/),
    path: isFile,
    fileBytes: expect.any(Number),
    params: { threads: 1, parallel: 4, batchSize: 512, kvType: "f16", mmap: true, contextSize: 4096, gpuLayers: 0 },
    estimate: { deviceBytes: 0, hostBytes: expect.any(Number) },
  },
  answers: {
    params: async () => {
      const engine = await open();
      engine.hooks.on("modelLoad", ({ params }) => ({ params: { ...params, contextSize: 512, parallel: 2 } }));
      const info = await load(engine, { contextSize: 1024 });
      expect([info.contextSize, info.parallel]).toEqual([512, 2]);
    },
    cancel: async () => {
      const engine = await open();
      engine.hooks.on("modelLoad", () => cancel("not from there"), { name: "vetted" });
      const failure = await rejection(load(engine));
      expect(failure).toBeInstanceOf(LlamaHooksError);
      expect(failure).toMatchObject({
        code: "HOOK_CANCELLED",
        message: expect.stringContaining("not from there"),
        decision: { point: "modelLoad", reason: "not from there", decidedBy: { name: "vetted" }, status: null },
      });
      expect(engine.models.list()).toEqual([]);

      // A first model that a hook refuses: there is no engine.
      const hooks = [{ name: "vetted", handlers: { modelLoad: () => cancel("not at all") }, options: {} }];
      const start = createEngine({ gpu: false, threads: 1, model: files.get(engine) ?? "", hooks });
      expect(await rejection(start)).toMatchObject({ code: "HOOK_CANCELLED", decision: { reason: "not at all" } });
    },
  },
  failedClosed: (outcome, thrown) => {
    expect(outcome).toMatchObject({ code: "HOOK_CANCELLED", decision: { status: "HOOK_FAILED" } });
    expect((outcome as LlamaHooksError).decision?.decidedBy?.name).toBe("cold");
    expect((outcome as LlamaHooksError).cause).toBe(thrown);
  },
};

export const modelReady: PointDefinition = {
  point: "modelReady",
  inRuns: { never: "before a model is there to run" },
  open,
  occasion: load,
  event: {
    modelId: expect.stringMatching(/^model-\d+$/),
    path: isFile,
    loadMs: expect.any(Number),
    devices: [expect.any(String)],
    measured: someBytes,
    nCtx: 4096,
    architecture: expect.stringMatching(/./),
  },
  answers: {},
};

export const modelUnload: PointDefinition = {
  point: "modelUnload",
  inRuns: { never: "when no run uses the model any more" },
  open,
  occasion: async (engine) => engine.models.unload((await load(engine)).modelId, "making room"),
  event: {
    modelId: expect.stringMatching(/^model-\d+$/),
    path: isFile,
    reason: "making room",
    freed: { ...someBytes, measured: true },
  },
  answers: {},
};
