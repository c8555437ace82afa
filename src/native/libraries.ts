// Where llama.cpp's libraries are: in the packages that node-llama-cpp ships. Must not: load them; the addon does.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { LlamaHooksError } from "../base/errors.js";

/** Which GPU backend to use. "auto": CUDA when its module and an NVIDIA device are there, else the CPU. */
export type Gpu = "auto" | "cuda" | "vulkan" | false;

const require = createRequire(import.meta.url);
const buildRecord = fileURLToPath(new URL("../../build/Release/llama_hooks.json", import.meta.url));

/**
 * The folder with libllama and ggml's CPU backends: that of the libraries the addon is linked with, since two copies must
 * not meet in one process. Errors: BACKEND_UNAVAILABLE.
 */
export async function librariesFolder(): Promise<string> {
  return linkedFolder() ?? packageFolder(platformPackage());
}

/** As the build wrote it down beside the addon; undefined for an addon that was built by hand. */
function linkedFolder(): string | undefined {
  try {
    const { libraries } = JSON.parse(readFileSync(buildRecord, "utf8")) as { libraries?: unknown };
    const folder = path.resolve(path.dirname(buildRecord), String(libraries));
    return existsSync(folder) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** The environment variable that names a GPU module of the user's own. */
const ownModuleVariable = "LLAMA_HOOKS_GPU_MODULE";

/**
 * Paths of the GPU module to try, in order; null stands for the CPU alone. A module of the user's own stands in for the
 * packaged ones; "auto" goes on to the CPU where it finds no device. Errors: BACKEND_UNAVAILABLE when
 * that module is missing, or when a GPU was asked for by name and its package is not installed.
 */
export async function gpuModules(gpu: Gpu): Promise<(string | null)[]> {
  if (gpu === false) return [null];
  const own = ownModule();
  if (own !== undefined) return gpu === "auto" ? [own, null] : [own];
  if (gpu === "auto") {
    if (!hasNvidiaDevice()) return [null];
    return [...(await variantModules("cuda").catch(() => [])), null];
  }
  return variantModules(gpu);
}

function ownModule(): string | undefined {
  const named = process.env[ownModuleVariable];
  if (named === undefined || named === "") return undefined;
  const file = path.resolve(named);
  if (existsSync(file)) return file;
  throw new LlamaHooksError("BACKEND_UNAVAILABLE", `${ownModuleVariable} names ${file}, which does not exist`);
}

async function variantModules(variant: "cuda" | "vulkan"): Promise<string[]> {
  const name = `${platformPackage()}-${variant}`;
  const file = process.platform === "win32" ? `ggml-${variant}.dll` : `libggml-${variant}.so`;
  const modules = [path.join(await packageFolder(name), file)];
  // The module above needs the newest CUDA runtime; this one is built for the runtime before it.
  if (variant === "cuda") {
    const older = await packageFolder(`${name}-ext`).catch(() => undefined);
    if (older !== undefined) modules.push(path.join(older, "fallback", file));
  }
  const found = modules.filter((module) => existsSync(module));
  if (found.length === 0) throw new LlamaHooksError("BACKEND_UNAVAILABLE", `${name} has no ${file}`);
  return found;
}

function platformPackage(): string {
  const arch = process.arch === "arm" ? "armv7l" : process.arch;
  switch (process.platform) {
    case "darwin":
      return arch === "arm64" ? "@node-llama-cpp/mac-arm64-metal" : "@node-llama-cpp/mac-x64";
    case "win32":
      return `@node-llama-cpp/win-${arch}`;
    default:
      return `@node-llama-cpp/${process.platform}-${arch}`;
  }
}

/** The folder of libraries in one package, which may be nested below node-llama-cpp's own. */
async function packageFolder(name: string): Promise<string> {
  try {
    const entry = createRequire(require.resolve("node-llama-cpp")).resolve(name);
    const module = (await import(pathToFileURL(entry).href)) as { getBinsDir(): { binsDir: string } };
    const { binsDir } = module.getBinsDir();
    const folder = readdirSync(binsDir, { withFileTypes: true }).find((item) => item.isDirectory());
    if (folder === undefined) throw new Error(`${binsDir} is empty`);
    return path.join(binsDir, folder.name);
  } catch (cause) {
    throw new LlamaHooksError(
      "BACKEND_UNAVAILABLE",
      `The package ${name}, which holds llama.cpp's libraries, cannot be used here. It comes with node-llama-cpp as an optional dependency: install without --omit=optional.`,
      { cause },
    );
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
