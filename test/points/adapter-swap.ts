import path from "node:path";
import { expect } from "vitest";
import { cancel, type Engine, type GenerateResult, type LlamaHooksError } from "../../src/index.js";
import { openAdapted } from "../support/adapters.js";
import { rejection } from "../support/engine.js";
import type { PointDefinition } from "./five-tests.js";

const open = async (): Promise<Engine> => (await openAdapted(["Hello."], { pirate: ["Ahoy!"] })).engine;

const speak = (engine: Engine): PromiseLike<GenerateResult> => engine.generate("Hi", { adapters: [{ id: "pirate" }] });
const file = expect.stringContaining(`${path.sep}pirate.gguf`);

export const adapterSwap: PointDefinition = {
  point: "adapterSwap",
  inRuns: { never: "only where adapters are loaded" },
  open,
  occasion: speak,
  event: {
    currentAdapter: null,
    targetAdapter: "pirate",
    adapterPath: file,
    scale: 1,
    adapters: [{ adapterId: "pirate", adapterPath: file, scale: 1 }],
  },
  answers: {
    scale: async () => {
      const engine = await open();
      engine.hooks.on("adapterSwap", () => ({ scale: 0.1 }));
      expect((await speak(engine)).text).toBe("Hello.");
    },
    adapters: async () => {
      const engine = await open();
      const hook = engine.hooks.on("adapterSwap", () => ({ adapters: [] }));
      expect((await speak(engine)).text).toBe("Hello.");
      hook.dispose();
      engine.hooks.on("adapterSwap", ({ adapters }) => ({ adapters: adapters.map((one) => ({ ...one, scale: 2 })) }));
      expect((await speak(engine)).text).toBe("Ahoy!");
    },
    cancel: async () => {
      const engine = await open();
      engine.hooks.on("adapterSwap", () => cancel("no pirates"), { name: "navy" });
      expect(await rejection(speak(engine))).toMatchObject({
        code: "HOOK_CANCELLED",
        message: expect.stringContaining("no pirates"),
        decision: { point: "adapterSwap", reason: "no pirates", decidedBy: { name: "navy" }, status: null },
      });
      const session = engine.session();
      expect(await rejection(engine.adapters.swap(session, [{ id: "pirate" }]))).toMatchObject({
        code: "HOOK_CANCELLED",
        decision: { reason: "no pirates" },
      });
      expect((await session.run("Hi")).text).toBe("Hello.");
    },
  },
  failedClosed: (outcome, thrown) => {
    expect(outcome).toMatchObject({ code: "HOOK_CANCELLED", decision: { status: "HOOK_FAILED" } });
    expect((outcome as LlamaHooksError).decision?.decidedBy?.name).toBe("cold");
    expect((outcome as LlamaHooksError).cause).toBe(thrown);
  },
};
