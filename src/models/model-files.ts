// From what a caller names as a model to a file. Must not: open the file.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { LlamaHooksError } from "../base/errors.js";

/** The agent model that comes with the package: some 1.5 million parameters, trained to call tools. */
export const bundledModel: string = fileURLToPath(new URL("../../models/tiny-agent.gguf", import.meta.url));

/** The path of a model. "hf:user/repo:quant" and URLs are downloaded, once, by node-llama-cpp. */
export async function resolveModel(model: string, signal?: AbortSignal): Promise<string> {
  if (!/^(hf:|huggingface:|https?:)/.test(model)) return path.resolve(model);
  const { resolveModelFile } = await import("node-llama-cpp");
  try {
    return await resolveModelFile(model, signal === undefined ? { cli: false } : { cli: false, signal });
  } catch (cause) {
    if (signal?.aborted === true)
      throw new LlamaHooksError("CANCELLED", "The download was cancelled", { cause: signal.reason });
    throw new LlamaHooksError("MODEL_FILE_NOT_FOUND", `${model} could not be downloaded`, { cause });
  }
}
