// Creates the error of a download. downloadModel() adds the model's name.
import { LlamaHooksError, type LlamaHooksErrorOptions } from "../base/errors.js";

export function downloadFailed(message: string, options?: LlamaHooksErrorOptions): LlamaHooksError {
  return new LlamaHooksError("DOWNLOAD_FAILED", message, options);
}
