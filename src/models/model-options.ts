// How a model is loaded: options, checks, and their form on the wire. Must not: set defaults; the engine has them.
import path from "node:path";
import { checkObject, optionalFunction, optionalName, optionalSignal, requiredString } from "../base/check.js";
import { checkParameters, parameterKeys, parametersToWire } from "../base/check-parameters.js";
import type { OnDownload } from "../download/download.js";
import { loadChecks, type LoadOptions } from "../generated/parameters.js";
import { toJson } from "../base/wire.js";

export type { LoadOptions };

/** A model and how it is loaded. */
export interface ModelOptions extends LoadOptions {
  /** Path of a GGUF file, or a name or address that `downloadModel()` takes. */
  readonly path: string;
}

/** Called while a model is loaded: the share done, 0 to 1, and the model's id. */
export type OnProgress = (progress: number, modelId: string) => void;

/** How a load is followed and given up. */
export interface LoadControl {
  /** Stops the load: it rejects with code CANCELLED. */
  readonly signal?: AbortSignal;
  /** Tells how far the load is. */
  readonly onProgress?: OnProgress;
  /** Tells how far a model is that has to be fetched first. */
  readonly onDownload?: OnDownload;
}

export const loadKeys = parameterKeys(loadChecks);
const modelKeys = ["path", ...loadKeys] as const;

/** Checks options that are known to have good keys. */
export function checkLoad(given: { readonly [K in keyof LoadOptions]?: unknown }, what: string): LoadOptions {
  // An empty one would be none.
  for (const key of ["draftModel", "mainDevice", "chatTemplate"] as const) optionalName(given[key], `${what}.${key}`);
  return checkParameters(loadChecks, given, what) as LoadOptions;
}

export function checkModel(value: unknown, what: string): ModelOptions {
  const given = checkObject(value, what, modelKeys);
  return { path: requiredString(given.path, `${what}.path`), ...checkLoad(given, what) };
}

export function checkControl(value: unknown, what: string): LoadControl {
  const given = checkObject(value, what, ["signal", "onProgress", "onDownload"]);
  optionalSignal(given.signal, `${what}.signal`);
  optionalFunction(given.onProgress, `${what}.onProgress`);
  optionalFunction(given.onDownload, `${what}.onDownload`);
  return value === undefined ? {} : (value as LoadControl);
}

/** Paths whole: a model that was given up is loaded again, wherever the process is by then. */
export function modelToWire({ draftModel, ...options }: ModelOptions): string {
  const draft = draftModel === undefined ? {} : { draftModel: path.resolve(draftModel) };
  return toJson(parametersToWire({ ...options, ...draft }));
}
