// From what a caller names as a model to a file. Must not: open the file.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { downloadModel, type OnDownload } from "../download/download.js";
import { isRemote } from "../download/model-name.js";

/** The agent model that comes with the package: some 2.4 million parameters, trained to call tools, to hand on tasks and to complete. */
export const bundledModel: string = fileURLToPath(new URL("../../models/tiny-agent.gguf", import.meta.url));

/** The path of a model. Names and addresses are fetched, once. */
export async function resolveModel(model: string, signal?: AbortSignal, onDownload?: OnDownload): Promise<string> {
  if (!isRemote(model)) return path.resolve(model);
  return (await downloadModel(model, { ...(signal && { signal }), ...(onDownload && { onProgress: onDownload }) }))
    .path;
}
