// The error of a download. Must not: say of which; downloadModel() does.
import { LlamaHooksError, type LlamaHooksErrorOptions } from "../base/errors.js";

export function failed(message: string, options?: LlamaHooksErrorOptions): LlamaHooksError {
  return new LlamaHooksError("DOWNLOAD_FAILED", message, options);
}
