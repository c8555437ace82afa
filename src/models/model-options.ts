// Checks the options of a load and converts them to the engine's form. The engine sets defaults.
import path from "node:path";
import {
  checkObject,
  isObject,
  optionalFunction,
  optionalName,
  optionalSignal,
  requiredString,
} from "../base/check.js";
import { checkParameters, parameterKeys, parametersToWire } from "../base/check-parameters.js";
import type { OnDownload } from "../download/download.js";
import { loadChecks, type LoadOptions, ownChecks, type OwnModelParameters } from "../generated/parameters.js";
import { checkProvider, type LanguageModel, type RemoteModel } from "../remote/remote.js";
import { unpackedPath } from "../base/unpacked-path.js";
import { toJson } from "../base/wire.js";

export type { LoadOptions };

/** A model and how it is loaded. */
export interface ModelOptions extends LoadOptions {
  /** Path of a GGUF file, or a name or address that `downloadModel()` takes. */
  readonly path: string;
}

/** A remote model. */
export interface ProvidedModelOptions extends Pick<OwnModelParameters, "contextSize" | "parallel" | "description"> {
  /** The result of `remote()`, or a language model of an AI SDK provider package (version 3 or 4 of its interface). */
  readonly provider: RemoteModel | LanguageModel;
}

/** Called while a model loads, with the progress from 0 to 1 and the model's id. */
export type OnProgress = (progress: number, modelId: string) => void;

/** Progress callbacks and cancellation of a load. */
export interface LoadControl {
  /** Cancels the load: it rejects with CANCELLED. */
  readonly signal?: AbortSignal;
  /** Called with the progress of the load. */
  readonly onProgress?: OnProgress;
  /** Called with the progress of the download, if the model must be downloaded. */
  readonly onDownload?: OnDownload;
}

export const loadKeys = parameterKeys(loadChecks);
const modelKeys = ["path", ...loadKeys] as const;

/** Checks options whose keys are already checked. */
export function checkLoad(given: { readonly [K in keyof LoadOptions]?: unknown }, what: string): LoadOptions {
  // The engine reads an empty name as none.
  for (const key of ["draftModel", "mainDevice", "chatTemplate"] as const) optionalName(given[key], `${what}.${key}`);
  return checkParameters(loadChecks, given, what) as LoadOptions;
}

/** Undefined: the options name a file. */
export function checkProvided(value: unknown, what: string): ProvidedModel | undefined {
  if (!isObject(value) || value["provider"] === undefined) return undefined;
  const given = checkObject(value, what, ["provider", "contextSize", "parallel", "description"]);
  const { provider, ...options } = given;
  const model = checkProvider(provider, `${what}.provider`);
  return { model, options: checkParameters(ownChecks, options, what) as OwnModelParameters };
}

/** A remote model, as its caller described it. */
export interface ProvidedModel {
  readonly model: RemoteModel;
  readonly options: OwnModelParameters;
}

/** Checks a model that is given by its path, or with options. */
export function checkModel(value: unknown, what: string): ModelOptions {
  if (typeof value === "string") return { path: requiredString(value, `${what}.path`) };
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

/** Makes paths absolute: an evicted model is loaded again, maybe after the working directory changed. */
export function modelToWire({ draftModel, ...options }: ModelOptions): string {
  const draft = draftModel === undefined ? {} : { draftModel: unpackedPath(path.resolve(draftModel)) };
  return toJson(parametersToWire({ ...options, ...draft }));
}
