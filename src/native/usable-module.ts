// Checks whether a GPU module can be used, and words the error for a broken driver.
import { LlamaHooksError } from "../base/errors.js";
import { unlessAborted } from "../base/unless-aborted.js";
import { trialFailure, triesGpuModules, tryGpuModule } from "./gpu-trial.js";
import { type Gpu, gpuModules } from "./libraries.js";

const warnedOf = new Set<string>();

/**
 * Tries the module in a child process, so that a broken driver crashes that process and not this one. `warns`: a broken
 * driver is a warning of the process, once, because the caller continues without it.
 * Errors: BACKEND_UNAVAILABLE; CANCELLED, by `signal`.
 */
export async function requireUsable(
  module: string,
  { warns, signal }: { warns: boolean; signal: AbortSignal | undefined },
): Promise<void> {
  if (!triesGpuModules()) return;
  const cancelled = (cause: unknown): Error =>
    new LlamaHooksError("CANCELLED", "createEngine() was cancelled", { cause });
  const trial = await unlessAborted(tryGpuModule(module), signal, cancelled);
  if (trial.state === "works") return;
  const failure = trialFailure(module, trial);
  if (warns && trial.state === "broken" && !warnedOf.has(module)) {
    warnedOf.add(module);
    process.emitWarning(new LlamaHooksError(failure.code, `${failure.message}. Going on without it`));
  }
  throw failure;
}

/** The first module of `gpu` that can be used; null: none is needed. Errors: BACKEND_UNAVAILABLE. */
export async function usableModule(gpu: Gpu): Promise<string | null> {
  const modules = gpuModules(gpu);
  for (const [index, module] of modules.entries()) {
    const isLast = index + 1 === modules.length;
    try {
      if (module !== null) await requireUsable(module, { warns: !isLast, signal: undefined });
      return module;
    } catch (error) {
      if (isLast || !(error instanceof LlamaHooksError) || error.code !== "BACKEND_UNAVAILABLE") throw error;
    }
  }
  return null;
}
