// How a model is loaded: options, checks, and their form on the wire. Must not: set defaults; the engine has them.
import {
  checkObject,
  optionalBoolean,
  optionalFunction,
  optionalInteger,
  optionalOneOf,
  optionalSignal,
  optionalString,
  requiredString,
} from "../base/check.js";
import { toJson, toSnake } from "../base/wire.js";

/** How a model is loaded. Defaults are the engine's and are given in brackets. */
export interface LoadOptions {
  /** Layers on the GPU; -1: all [0 without a GPU, else -1]. */
  readonly gpuLayers?: number;
  /** Tokens a sequence can hold; 0: the model's own, at most 4096 [0]. */
  readonly contextSize?: number;
  /** Sequences decoded together, 1 to 64 [4]. */
  readonly parallel?: number;
  /** Prompt tokens a decode call [512]. */
  readonly batchSize?: number;
  /** 0: one for each 8 MiB of weights. Never more than the cores that this process may use: what is more is capped, with
   * a warning in the log; `describe()` has the number [0]. */
  readonly threads?: number;
  /** Type of the KV cache ["f16"]. */
  readonly kvType?: "f16" | "q8_0" | "f32";
  /** Map the file instead of reading it [true]. */
  readonly mmap?: boolean;
  /** A Jinja chat template in place of the model's own. */
  readonly chatTemplate?: string;
}

/** A model and how it is loaded. */
export interface ModelOptions extends LoadOptions {
  /** Path of a GGUF file, or "hf:user/repo:quant", which is downloaded once. */
  readonly path: string;
}

/** Called while a model is loaded: the share done, 0 to 1, and the model's id. */
export type OnProgress = (progress: number, modelId: string) => void;

export interface LoadControl {
  /** Stops the load: it rejects with code CANCELLED. */
  readonly signal?: AbortSignal;
  readonly onProgress?: OnProgress;
}

export const loadKeys = [
  "gpuLayers",
  "contextSize",
  "parallel",
  "batchSize",
  "threads",
  "kvType",
  "mmap",
  "chatTemplate",
] as const;
const modelKeys = ["path", ...loadKeys] as const;

/** Checks options that are known to have good keys. */
export function checkLoad(given: { [K in (typeof loadKeys)[number]]?: unknown }, what: string): LoadOptions {
  const checked: Record<(typeof loadKeys)[number], unknown> = {
    gpuLayers: optionalInteger(given.gpuLayers, `${what}.gpuLayers`, -1, 2 ** 20),
    contextSize: optionalInteger(given.contextSize, `${what}.contextSize`, 0, 2 ** 24),
    parallel: optionalInteger(given.parallel, `${what}.parallel`, 1, 64),
    batchSize: optionalInteger(given.batchSize, `${what}.batchSize`, 1, 2 ** 16),
    threads: optionalInteger(given.threads, `${what}.threads`, 0, 512),
    kvType: optionalOneOf(given.kvType, `${what}.kvType`, ["f16", "q8_0", "f32"]),
    mmap: optionalBoolean(given.mmap, `${what}.mmap`),
    chatTemplate: optionalString(given.chatTemplate, `${what}.chatTemplate`),
  };
  return Object.fromEntries(Object.entries(checked).filter(([, value]) => value !== undefined)) as LoadOptions;
}

export function checkModel(value: unknown, what: string): ModelOptions {
  const given = checkObject(value, what, modelKeys);
  return { path: requiredString(given.path, `${what}.path`), ...checkLoad(given, what) };
}

export function checkControl(value: unknown, what: string): LoadControl {
  const given = checkObject(value, what, ["signal", "onProgress"]);
  optionalSignal(given.signal, `${what}.signal`);
  optionalFunction(given.onProgress, `${what}.onProgress`);
  return value === undefined ? {} : (value as LoadControl);
}

export function modelToWire(options: ModelOptions): string {
  return toJson(Object.fromEntries(Object.entries(options).map(([key, value]) => [toSnake(key), value])));
}
