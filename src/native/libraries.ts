// Chooses the GPU modules of llama.cpp that an engine may use, and finds their files. The engine loads them.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { LlamaHooksError } from "../base/errors.js";
import { isBuiltFromSource } from "./find-addon.js";
import {
  findPackage,
  howToInstall,
  librariesIn,
  librariesVersion,
  platformName,
  platforms,
  readManifest,
  root,
  versionMismatch,
} from "./packages.js";

/**
 * The GPU backend. Its module is first tried in a child process. "auto": CUDA if its module and an NVIDIA device are
 * present, else the CPU.
 */
export type Gpu = "auto" | "cuda" | "vulkan" | false;

export const gpus: readonly Gpu[] = ["auto", "cuda", "vulkan", false];

/** The environment variable that names a user's own GPU module. */
const ownModuleVariable = "LLAMA_HOOKS_GPU_MODULE";

/**
 * Paths of the GPU modules to try, in order; null stands for the CPU alone. The user's own module replaces the packaged
 * ones; with "auto", the CPU follows in case the module finds no device. Errors: BACKEND_UNAVAILABLE if that module is
 * missing, or if a GPU was requested by name and its package does not exist for this machine and build or is not
 * installed; VERSION_MISMATCH if the package and the libraries have different versions.
 */
export function gpuModules(gpu: Gpu): (string | null)[] {
  if (gpu === false) return [null];
  const own = ownModule();
  if (own !== undefined) return gpu === "auto" ? [own, null] : [own];
  if (gpu !== "auto") return gpuModulesOf(gpu);
  const cuda = hasNvidiaDevice() && findGpuPackage("cuda") !== undefined;
  return cuda ? [...gpuModulesOf("cuda"), null] : [null];
}

/** The module that the environment names. Errors: BACKEND_UNAVAILABLE if the file does not exist. */
export function ownModule(): string | undefined {
  const named = process.env[ownModuleVariable];
  if (named === undefined || named === "") return undefined;
  const file = path.resolve(named);
  if (existsSync(file)) return file;
  throw new LlamaHooksError("BACKEND_UNAVAILABLE", `${ownModuleVariable} names ${file}, which does not exist`);
}

/**
 * The package of a backend for this machine; undefined if there is none. With llama.cpp built from source there is
 * none, because the module of a package would load a second copy of ggml.
 */
export function gpuPackage(backend: "cuda" | "vulkan"): string | undefined {
  if (isBuiltFromSource()) return undefined;
  const platform = platforms()[platformName];
  return platform?.gpu.includes(backend) ? `${platform.libraries}-${backend}` : undefined;
}

/** Searches beside this package, where users install it, and beside node-llama-cpp. */
export function findGpuPackage(backend: "cuda" | "vulkan"): string | undefined {
  const name = gpuPackage(backend);
  if (name === undefined) return undefined;
  const nodeLlamaCpp = findPackage("node-llama-cpp", root);
  return findPackage(name, root) ?? (nodeLlamaCpp && findPackage(name, nodeLlamaCpp));
}

/** Errors: BACKEND_UNAVAILABLE, VERSION_MISMATCH. */
export function gpuModulesOf(backend: "cuda" | "vulkan"): string[] {
  const name = gpuPackage(backend);
  if (name === undefined) {
    const what = isBuiltFromSource() ? "a llama.cpp that was built from source" : platformName;
    const which = `there is no package of llama.cpp's ${backend} module for ${what}`;
    throw new LlamaHooksError("BACKEND_UNAVAILABLE", `${which}: name a module of your own in ${ownModuleVariable}`);
  }
  const folder = findGpuPackage(backend);
  const version = librariesVersion();
  if (folder === undefined) {
    const message = `gpu "${backend}" needs the package ${name}: ${howToInstall(name, version)}`;
    throw new LlamaHooksError("BACKEND_UNAVAILABLE", message);
  }
  const { version: found } = readManifest(folder);
  if (found !== version) throw versionMismatch(name, found, version);
  const file = `libggml-${backend}.so`;
  const modules = [path.join(librariesIn(folder), file)];
  // The module above needs the newest CUDA runtime; this one supports the previous runtime.
  const older = backend === "cuda" ? findPackage(`${name}-ext`, folder) : undefined;
  if (older !== undefined) modules.push(path.join(librariesIn(older), "fallback", file));
  const there = modules.filter((module) => existsSync(module));
  if (there.length === 0) throw new LlamaHooksError("BACKEND_UNAVAILABLE", `${name} has no ${file}: reinstall it`);
  return there;
}

/** True if the machine shows a device for the backend. */
export function hasDeviceOf(backend: "cuda" | "vulkan"): boolean {
  return backend === "cuda" ? hasNvidiaDevice() : hasRenderDevice();
}

/** True if Linux shows a GPU: /dev/dri/renderD128 and up. */
function hasRenderDevice(): boolean {
  try {
    return readdirSync("/dev/dri").some((name) => name.startsWith("renderD"));
  } catch {
    return false;
  }
}

function hasNvidiaDevice(): boolean {
  if (process.platform === "linux") return existsSync("/dev/nvidiactl") || existsSync("/dev/dxg");
  if (process.platform !== "win32") return false;
  try {
    execFileSync("nvidia-smi", ["-L"], { stdio: "ignore", timeout: 5000 });
    return true;
  } catch {
    return false;
  }
}
