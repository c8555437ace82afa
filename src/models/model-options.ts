// How a model is loaded: options, checks, and their form on the wire. Must not: set defaults; the engine has them.
import { checkObject, optionalFunction, optionalSignal, requiredString } from "../base/check.js";
import { checkParameters, parameterKeys, parametersToWire } from "../base/check-parameters.js";
import { loadChecks, type LoadOptions } from "../generated/parameters.js";
import { toJson } from "../base/wire.js";

export type { LoadOptions };

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

export const loadKeys = parameterKeys(loadChecks);
const modelKeys = ["path", ...loadKeys] as const;

/** Checks options that are known to have good keys. */
export function checkLoad(given: { readonly [K in keyof LoadOptions]?: unknown }, what: string): LoadOptions {
  return checkParameters(loadChecks, given, what) as LoadOptions;
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
  return toJson(parametersToWire(options));
}
