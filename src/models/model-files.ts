// Finds the file of a model that a caller names by path, name or address.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isA } from "../base/thrown.js";
import { LlamaHooksError } from "../base/errors.js";
import { unpackedPath } from "../base/unpacked-path.js";
import { downloadModel, type OnDownload } from "../download/download.js";
import { isRemote, nameForms } from "../download/model-name.js";

/**
 * Path of the agent model that comes with the package: some 2.4 million parameters, trained to call tools, delegate
 * tasks and complete runs.
 */
export const bundledModel: string = unpackedPath(
  fileURLToPath(new URL("../../models/tiny-agent.gguf", import.meta.url)),
);

/** The settings for downloading a model by name or address. */
export interface Downloading {
  readonly allowHttp: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onDownload?: OnDownload | undefined;
}

/** Returns the path of a model. A name or an address is downloaded first, unless it is in the cache. */
export async function resolveModel(model: string, { allowHttp, signal, onDownload }: Downloading): Promise<string> {
  if (!isRemote(model)) return unpackedPath(path.resolve(model));
  const control = { ...(signal && { signal }), ...(onDownload && { onProgress: onDownload }) };
  return (await downloadModel(model, { allowHttp, ...control })).path;
}

/**
 * Awaits `work` with a model. If it fails because the file does not exist and `model` may have been meant as a name,
 * the error lists the valid forms of names.
 */
export async function orNames<T>(model: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const isMissing = isA(error, LlamaHooksError) && error.code === "MODEL_FILE_NOT_FOUND";
    if (!isMissing || isRemote(model) || model.endsWith(".gguf")) throw error;
    const { code, message, cause, decision, details } = error;
    throw new LlamaHooksError(code, `${message}; ${nameForms}`, {
      ...(cause !== undefined && { cause }),
      ...(decision !== undefined && { decision }),
      ...(details !== undefined && { details }),
    });
  }
}
