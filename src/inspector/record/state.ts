// The state of an engine now: devices, models and hooks, and the memory of devices over time. Must not: use a timer; a
// sample is taken when a page asks, and when an activity begins or ends.
import type { DeviceMemory, Engine, HookEndedEvent, HookInfo, HookStats, ModelInfo } from "../../index.js";
import type { EngineState, ModelState, Sample } from "../wire/wire.js";
import { ownHookName } from "./values.js";

const mostSamples = 600;
/** Hooks that are not called any more: of sessions, runs and generations that have ended, for example. */
const mostEnded = 1000;
/** Milliseconds between two samples that activities cause. */
const restMs = 250;

/** Reads the state of an engine, and keeps the last one after its end. */
export class StateReader {
  readonly #engine: Engine;
  readonly #samples: Sample[] = [];
  #devices: readonly DeviceMemory[] = [];
  #models: readonly ModelState[] = [];
  /** The newest ones, by id. */
  readonly #ended = new Map<number, HookEndedEvent>();

  constructor(engine: Engine) {
    this.#engine = engine;
    this.sample();
  }

  /** Takes a sample, unless one was taken just before. */
  sample(): void {
    const at = Date.now();
    if (at - (this.#samples.at(-1)?.at ?? 0) < restMs) return;
    if (!this.#read()) return;
    const devices = this.#devices.map(({ device, usedBytes, conversationBytes, freeBytes }) => ({
      device,
      usedBytes,
      conversationBytes,
      freeBytes,
    }));
    this.#samples.push({ at, devices });
    if (this.#samples.length > mostSamples) this.#samples.splice(0, mostSamples >> 2);
  }

  read(): EngineState {
    this.sample();
    const [hooks, ended] = [this.#hooks(), [...this.#ended.values()]];
    return { devices: this.#devices, models: this.#models, hooks, ended, samples: this.#samples };
  }

  /** Keeps the counts of a hook that is not called any more. */
  end(hook: HookEndedEvent): void {
    this.#ended.set(hook.id, hook);
    for (const id of this.#ended.keys()) {
      if (this.#ended.size <= mostEnded) break;
      this.#ended.delete(id);
    }
  }

  /** False: the engine is closed, and its last state stays. */
  #read(): boolean {
    try {
      this.#devices = this.#engine.memory();
      this.#models = this.#engine.models.list().map(modelState);
      return true;
    } catch {
      return false;
    }
  }

  #hooks(): (HookInfo & HookStats)[] {
    const stats = new Map(this.#engine.hooks.stats({ all: true }).map((one) => [one.id, one]));
    return this.#engine.hooks.list({ all: true }).flatMap((info) => {
      const counts = stats.get(info.id);
      const isShown = info.name !== ownHookName && !this.#ended.has(info.id);
      return isShown && counts !== undefined ? [{ ...info, ...counts }] : [];
    });
  }
}

function modelState(info: ModelInfo): ModelState {
  const { modelId, path, address, architecture, state, contextSize, parallel } = info;
  const { gpuLayers, layers, loadMs, memory, pinned, sharesWeightsWith } = info;
  const where = { gpuLayers, layers, loadMs, memory, pinned, sharesWeightsWith };
  return { modelId, path, address, architecture, state, contextSize, parallel, ...where };
}
