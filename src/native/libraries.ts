// Chooses the GPU modules of llama.cpp that an engine may use, and finds their files. The engine loads them.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { LlamaHooksError } from "../base/errors.js";
import { isBuiltFromSource } from "./find-addon.js";
import {
  findPackage,
  type GpuBackend,
  howToInstall,
  librariesIn,
  librariesVersion,
  platformName,
  platformPackage,
  readManifest,
  root,
  thisPlatform,
  versionMismatch,
} from "./packages.js";

/**
 * The GPU backend. Its module is first tried in a child process. "auto": Metal on Apple silicon; CUDA if its module and
 * an NVIDIA device are present; else the CPU.
 */
export type Gpu = "auto" | GpuBackend | false;

export const gpus: readonly Gpu[] = ["auto", "cuda", "metal", "vulkan", false];

/** The backends that are used without being named. */
const automatic: readonly GpuBackend[] = ["cuda", "metal"];

/** The environment variable that names a user's own GPU module. */
const ownModuleVariable = "LLAMA_HOOKS_GPU_MODULE";

/**
 * Paths of the GPU modules to try, in order; null means the CPU alone. The user's own module replaces the packaged
 * ones; with "auto", the CPU follows in case the module finds no device. Errors: BACKEND_UNAVAILABLE if that module is
 * missing, or if a GPU was requested by name and its package does not exist for this machine and build or is not
 * installed; VERSION_MISMATCH if the package and the libraries have different versions.
 */
export function gpuModules(gpu: Gpu): (string | null)[] {
  if (gpu === false) return [null];
  const own = ownModule();
  if (own !== undefined) return gpu === "auto" ? [own, null] : [own];
  if (gpu !== "auto") return gpuModulesOf(gpu);
  const present = automatic.filter((backend) => findGpuPackage(backend) !== undefined && hasDeviceOf(backend));
  return [...present.flatMap(gpuModulesOf), null];
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
export function gpuPackage(backend: GpuBackend): string | undefined {
  return isBuiltFromSource() ? undefined : thisPlatform()?.gpu[backend];
}

/**
 * Searches beside this package, where users install it, beside node-llama-cpp, and beside the addon's package, which
 * depends on Metal's.
 */
export function findGpuPackage(backend: GpuBackend): string | undefined {
  const name = gpuPackage(backend);
  if (name === undefined) return undefined;
  const others = ["node-llama-cpp", `${platformPackage()}/package.json`].map((one) => findPackage(one, root));
  const found = [root, ...others].map((from) => from && findPackage(name, from));
  return found.find((folder) => folder !== undefined);
}

/** Errors: BACKEND_UNAVAILABLE, VERSION_MISMATCH. */
export function gpuModulesOf(backend: GpuBackend): string[] {
  const name = gpuPackage(backend);
  if (name === undefined) {
    const what = isBuiltFromSource() ? "a llama.cpp that was built from source" : platformName();
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
  const file = process.platform === "win32" ? `ggml-${backend}.dll` : `libggml-${backend}.so`; // on macOS, too
  const modules = [path.join(librariesIn(folder), file)];
  // The module above needs the newest CUDA runtime; this one supports the previous runtime.
  const older = backend === "cuda" ? findPackage(`${name}-ext`, folder) : undefined;
  if (older !== undefined) modules.push(path.join(librariesIn(older), "fallback", file));
  const there = modules.filter((module) => existsSync(module));
  if (there.length === 0) throw new LlamaHooksError("BACKEND_UNAVAILABLE", `${name} has no ${file}: reinstall it`);
  return there;
}

/** True if the machine shows a device for the backend. */
export function hasDeviceOf(backend: GpuBackend): boolean {
  if (backend === "metal") return process.platform === "darwin"; // each Mac has one
  return backend === "cuda" ? hasNvidiaDevice() : hasVulkanDevice();
}

/** True if Linux shows a GPU (/dev/dri/renderD128 and up), or Windows has the library that a driver installs. */
function hasVulkanDevice(): boolean {
  if (process.platform === "win32")
    return existsSync(path.join(process.env["SystemRoot"] ?? "C:\\Windows", "System32", "vulkan-1.dll"));
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
