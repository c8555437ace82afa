// Which addon is loaded, and what stands in its way. Must not: load it.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { LlamaHooksError } from "../base/errors.js";
import {
  findPackage,
  howToInstall,
  librariesIn,
  librariesPackage,
  ownManifest,
  platformName,
  platformPackage,
  platforms,
  readManifest,
  root,
  versionMismatch,
} from "./packages.js";

export interface AddonFiles {
  readonly addon: string;
  /** Opens libraries before the addon is loaded. */
  readonly loader: string;
  /** Folder of libllama, libllama-common and ggml that the addon was linked with. */
  readonly libraries: string;
}

/** What prebuilt packages need. */
const leastGlibc = [2, 34] as const;
const needs = `glibc ${leastGlibc.join(".")} and libstdc++ with GLIBCXX_3.4.30 (Debian 12, Ubuntu 22.04, RHEL 9 with gcc-toolset, and newer)`;

/**
 * What was built in this package's folder, else what the platform's package brings.
 * Errors: ADDON_MISSING, PLATFORM_UNSUPPORTED, VERSION_MISMATCH, BACKEND_UNAVAILABLE.
 */
export function findAddon(): AddonFiles {
  const own = ownManifest();
  const built = filesIn(path.join(root, "build", "Release"));
  if (existsSync(built.addon)) return { ...built, libraries: builtWith(built.addon) ?? librariesFor(root) };
  const folder = findPackage(`${platformPackage}/package.json`, root);
  if (folder === undefined) throw missing(own.optionalDependencies);
  const { version, dependencies } = readManifest(folder);
  if (version !== own.version) throw versionMismatch(platformPackage, version, own.version);
  return { ...filesIn(folder), libraries: librariesFor(folder, dependencies) };
}

/** What loaders say when there is no room for a library: no other build of it would find any. */
const noRoom = /failed to map segment|cannot allocate memory(?! in static TLS)/i;

/** Why a loader failed, by its own words; `before`: those of one that failed at the libraries before the addon. */
export function loadFailure(files: AddonFiles, cause: Error, before: readonly Error[] = []): LlamaHooksError {
  const full = [...before, cause].find((error) => noRoom.test(error.message));
  if (full !== undefined) {
    const message = `${files.addon} cannot be loaded: there is not enough memory`;
    return new LlamaHooksError("INSUFFICIENT_MEMORY", message, { cause: full });
  }
  if (/GLIBC(?:XX)?_[\d.]+' not found|libstdc\+\+\.so\.6: cannot open/.test(cause.message)) {
    const message = `This system's libraries are too old for llama-hooks: it needs ${needs}. Use a newer system or image, or build it here: npx llama-hooks build`;
    return new LlamaHooksError("PLATFORM_UNSUPPORTED", message, { cause });
  }
  const message = `${files.addon} cannot be loaded: ${cause.message}. Reinstall it: ${howToInstall("llama-hooks", ownManifest().version)}`;
  return new LlamaHooksError("ADDON_NOT_LOADED", message, { cause });
}

function filesIn(folder: string): Omit<AddonFiles, "libraries"> {
  const file = (name: string): string => path.join(folder, name);
  return { addon: file("llama_hooks.node"), loader: file("llama_hooks_loader.node") };
}

/** What the build wrote down beside the addon; nothing of an addon that was built by hand. */
function recordOf(addon: string): { readonly libraries?: unknown; readonly llama?: unknown } {
  try {
    return Object(JSON.parse(readFileSync(addon.replace(/node$/, "json"), "utf8"))) as object;
  } catch {
    return {};
  }
}

function builtWith(addon: string): string | undefined {
  const { libraries } = recordOf(addon);
  if (typeof libraries !== "string") return undefined;
  const folder = path.resolve(path.dirname(addon), libraries);
  return existsSync(folder) ? folder : undefined;
}

/** Whether llama.cpp was compiled with the addon (LLAMA_HOOKS_LLAMA=source). */
export function isBuiltFromSource(): boolean {
  const built = path.join(root, "build", "Release", "llama_hooks.node");
  return existsSync(built) && recordOf(built).llama === "source";
}

/** `from`: the folder of the package that depends on the libraries, or of a clone, where node-llama-cpp does. */
function librariesFor(from: string, wanted?: Readonly<Record<string, string>>): string {
  const name = librariesPackage();
  if (name === undefined) throw missing(undefined);
  const inClone = wanted === undefined ? findPackage("node-llama-cpp", from) : undefined;
  const folder = findPackage(name, from) ?? (inClone && findPackage(name, inClone));
  const version = wanted?.[name];
  if (folder === undefined) {
    const how = version === undefined ? "install without --omit=optional" : howToInstall(name, version);
    throw new LlamaHooksError(
      "BACKEND_UNAVAILABLE",
      `The package ${name}, which holds llama.cpp's libraries, is not installed: ${how}`,
    );
  }
  const { version: found } = readManifest(folder);
  if (version !== undefined && found !== version) throw versionMismatch(name, found, version);
  return librariesIn(folder);
}

/** `published`: the platform packages that this package names; a clone names none. */
function missing(published: Readonly<Record<string, string>> | undefined): LlamaHooksError {
  const unsupported = platformProblem();
  if (unsupported !== undefined) return new LlamaHooksError("PLATFORM_UNSUPPORTED", unsupported);
  const version = published?.[platformPackage];
  if (version === undefined) {
    return new LlamaHooksError("ADDON_MISSING", "The addon of this clone has not been built: npm run build");
  }
  const message = `The package ${platformPackage}, which holds the addon, is not installed (by --omit=optional, or by a lock file of another platform): ${howToInstall(platformPackage, version)}`;
  return new LlamaHooksError("ADDON_MISSING", message);
}

function platformProblem(): string | undefined {
  const build = "or build it here: npx llama-hooks build";
  const platform = platforms()[platformName];
  if (platform === undefined) {
    return `There is no prebuilt llama-hooks for ${platformName} (there is for ${Object.keys(platforms()).join(", ")}): use one of these, ${build}`;
  }
  if (platform.libc !== "glibc") return undefined;
  const glibc = glibcVersion();
  if (glibc === undefined) {
    return `llama-hooks needs glibc, and this system has another C library, such as Alpine's musl: use an image with glibc (node:22-slim), ${build}`;
  }
  const [major = 0, minor = 0] = glibc.split(".").map(Number);
  const old = major < leastGlibc[0] || (major === leastGlibc[0] && minor < leastGlibc[1]);
  return old ? `llama-hooks needs ${needs}, and this system has glibc ${glibc}: use a newer one, ${build}` : undefined;
}

function glibcVersion(): string | undefined {
  // A report looks up the names of open connections unless it is told not to, which takes seconds.
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork?: boolean };
  const before = report.excludeNetwork ?? false;
  report.excludeNetwork = true;
  try {
    const { header } = report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
    return header.glibcVersionRuntime;
  } finally {
    report.excludeNetwork = before;
  }
}
