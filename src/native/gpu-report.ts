// Reports the GPU modules of this machine. Must not: load one into this process; a driver may crash it.
import { LlamaHooksError } from "../base/errors.js";
import { type GpuTrial, tryGpuModule } from "./gpu-trial.js";
import { findGpuPackage, gpuModulesOf, gpuPackage, hasDeviceOf, ownModule } from "./libraries.js";
import { type GpuBackend, howToInstall, librariesVersion } from "./packages.js";

/** A GPU module and its state on this machine. */
export interface GpuModuleReport {
  /** "own": the module that LLAMA_HOOKS_GPU_MODULE names, which replaces the others. */
  readonly backend: "own" | GpuBackend;
  /** Path of the module. Null: not installed or not found, see `problem`. */
  readonly module: string | null;
  /** The result of loading it in a child process. Null: not tried. */
  readonly trial: GpuTrial | null;
  /** The reason why it cannot be used. Null: no problem. */
  readonly problem: string | null;
  /** True: the module should work here. LLAMA_HOOKS_GPU_MODULE names it, or the machine has a matching device. */
  readonly expected: boolean;
  /** The command that installs it. Null: installed, or no package exists for this machine. */
  readonly install: string | null;
}

/**
 * Reports every GPU module that this machine can have. Installed modules are tried again.
 *
 * @example
 * ```ts
 * for (const { backend, module, problem } of await gpuReport()) console.log(backend, module, problem);
 * ```
 */
export async function gpuReport(): Promise<readonly GpuModuleReport[]> {
  let own: string | undefined;
  try {
    own = ownModule();
  } catch (error) {
    return [{ backend: "own", module: null, trial: null, problem: inWords(error), expected: true, install: null }];
  }
  if (own !== undefined) return [await tried("own", own, true)];
  const reports: GpuModuleReport[] = [];
  for (const backend of ["cuda", "metal", "vulkan"] as const) {
    const name = gpuPackage(backend);
    if (name !== undefined) reports.push(await ofPackage(backend, name));
  }
  return reports;
}

async function ofPackage(backend: GpuBackend, name: string): Promise<GpuModuleReport> {
  const expected = hasDeviceOf(backend);
  const nothing = { backend, module: null, trial: null, problem: null, expected, install: null };
  if (findGpuPackage(backend) === undefined) return { ...nothing, install: howToInstall(name, librariesVersion()) };
  let modules: string[];
  try {
    modules = gpuModulesOf(backend);
  } catch (error) {
    return { ...nothing, problem: inWords(error) };
  }
  const [first = ""] = modules;
  if (backend === "cuda" && !expected)
    return { ...nothing, module: first, problem: "this machine shows no NVIDIA device" };
  let last = await tried(backend, first, expected);
  for (const module of modules.slice(1))
    if (last.trial?.state !== "works") last = await tried(backend, module, expected);
  return last;
}

async function tried(backend: GpuModuleReport["backend"], module: string, expected: boolean): Promise<GpuModuleReport> {
  const trial = await tryGpuModule(module, { anew: true });
  return { backend, module, trial, problem: trial.reason, expected, install: null };
}

function inWords(error: unknown): string {
  return error instanceof LlamaHooksError ? `${error.message} (${error.code})` : String(error);
}
