// From what a caller names as a model to a file. Must not: open the file.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isA } from "../base/thrown.js";
import { LlamaHooksError } from "../base/errors.js";
import { downloadModel, type OnDownload } from "../download/download.js";
import { isRemote, nameForms } from "../download/model-name.js";

/** The agent model that comes with the package: some 2.4 million parameters, trained to call tools, to hand on tasks and to complete. */
export const bundledModel: string = fileURLToPath(new URL("../../models/tiny-agent.gguf", import.meta.url));

/** The path of a model. Names and addresses are fetched, once. */
export async function resolveModel(model: string, signal?: AbortSignal, onDownload?: OnDownload): Promise<string> {
  if (!isRemote(model)) return path.resolve(model);
  return (await downloadModel(model, { ...(signal && { signal }), ...(onDownload && { onProgress: onDownload }) }))
    .path;
}

/** What `work` with a model comes to. Errors: its own; where a name may have been meant for the file that is not there, with those there are. */
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
