// Finds the addon to load and explains why none can be loaded.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { LlamaHooksError } from "../base/errors.js";
import { isPacked, unpackedPath } from "../base/unpacked-path.js";
import {
  cLibrary,
  findPackage,
  howToInstall,
  librariesIn,
  type Manifest,
  ownManifest,
  platformName,
  platformPackage,
  readManifest,
  root,
  thisPlatform,
  versionMismatch,
} from "./packages.js";

export interface AddonFiles {
  readonly addon: string;
  /** An addon that opens libraries before the main addon is loaded. */
  readonly loader: string;
  /** The program of an engine's own process (`isolation`). */
  readonly host: string;
  /** ggml's RPC backend, for that program (`rpc`). */
  readonly rpcModule: string;
  /** Folder of libllama, libllama-common and ggml, which the addon was linked with. */
  readonly libraries: string;
}

/** Requirements of the prebuilt packages. */
const leastGlibc = [2, 34] as const;
const needs = `glibc ${leastGlibc.join(".")} and libstdc++ with GLIBCXX_3.4.30 (Debian 12, Ubuntu 22.04, RHEL 9 with gcc-toolset, and newer)`;

/**
 * The addon that was built in this package's folder, else the one of the platform's package.
 * Errors: ADDON_MISSING, PLATFORM_UNSUPPORTED, VERSION_MISMATCH, BACKEND_UNAVAILABLE.
 */
export function findAddon(): AddonFiles {
  const own = ownManifest();
  const built = filesIn(path.join(root, "build", "Release"));
  if (existsSync(built.addon))
    return { ...built, libraries: builtWith(built.addon) ?? librariesFor(root, path.dirname(built.addon)) };
  const folder = findPackage(`${platformPackage()}/package.json`, root);
  if (folder === undefined) throw missing(own);
  const { version, dependencies } = readManifest(folder);
  if (version !== own.version) throw versionMismatch(platformPackage(), version, own.version);
  return { ...filesIn(folder), libraries: librariesFor(folder, folder, dependencies) };
}

/** The packages that an application of Electron leaves out of its archive. */
const unpackedPackages = '"node_modules/@llama-hooks/**" and "node_modules/@node-llama-cpp/**"';

/** Messages of loaders that lack memory for a library. No other build of the library would help. */
const noRoom = /failed to map segment|cannot allocate memory(?! in static TLS)/i;

/** Messages of macOS's loader for a file that it will not open because of where the file comes from. */
const quarantined =
  /library load (?:disallowed|denied) by system policy|code signature [^]* not valid for use in process/i;

/** Explains why the addon could not be loaded. `before`: errors of opening the libraries. */
export function loadFailure(files: AddonFiles, cause: Error, before: readonly Error[] = []): LlamaHooksError {
  const full = [...before, cause].find((error) => noRoom.test(error.message));
  if (full !== undefined) {
    const message = `${files.addon} cannot be loaded: there is not enough memory`;
    return new LlamaHooksError("INSUFFICIENT_MEMORY", message, { cause: full });
  }
  if (/GLIBC(?:XX)?_[\d.]+' not found|libstdc\+\+\.so\.6: cannot open/.test(cause.message)) {
    const message = `This system's libraries are too old for llama-hooks: it needs ${needs}. Use a newer system or image, or build it here with llama.cpp: ${howToBuild({ llama: true })}`;
    return new LlamaHooksError("PLATFORM_UNSUPPORTED", message, { cause });
  }
  const refused = [...before, cause].find((error) => quarantined.test(error.message));
  if (process.platform === "darwin" && refused !== undefined) {
    const folders = `"${path.dirname(files.addon)}" "${files.libraries}"`;
    const message = `${files.addon} cannot be loaded: ${refused.message}. macOS quarantines what a browser has downloaded: xattr -dr com.apple.quarantine ${folders}`;
    return new LlamaHooksError("ADDON_NOT_LOADED", message, { cause: refused });
  }
  if (isPacked(files.addon) || isPacked(files.libraries)) {
    const message = `${files.addon} cannot be loaded: ${cause.message}. Shared libraries cannot be opened inside Electron's archive: list ${unpackedPackages} in asarUnpack`;
    return new LlamaHooksError("ADDON_NOT_LOADED", message, { cause });
  }
  const message = `${files.addon} cannot be loaded: ${cause.message}. Reinstall it: ${howToInstall("llama-hooks", ownManifest().version)}`;
  return new LlamaHooksError("ADDON_NOT_LOADED", message, { cause });
}

const isWindows = process.platform === "win32";

function filesIn(folder: string): Omit<AddonFiles, "libraries"> {
  const file = (name: string): string => unpackedPath(path.join(folder, name));
  return {
    addon: file("llama_hooks.node"),
    loader: file("llama_hooks_loader.node"),
    host: file(isWindows ? "llama_hooks_host.exe" : "llama_hooks_host"),
    rpcModule: file(isWindows ? "llama_hooks_rpc.dll" : "llama_hooks_rpc.so"),
  };
}

/** The notes that the build wrote beside the addon; empty for an addon that was built by hand. */
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

/** True if llama.cpp was compiled together with the addon (LLAMA_HOOKS_LLAMA=source). */
export function isBuiltFromSource(): boolean {
  const built = path.join(root, "build", "Release", "llama_hooks.node");
  return existsSync(built) && recordOf(built).llama === "source";
}

/**
 * `from`: the folder of the package that depends on the libraries, or of a clone, whose node-llama-cpp does. `beside`:
 * the addon's folder, where they are if no package has them.
 */
function librariesFor(from: string, beside: string, wanted?: Readonly<Record<string, string>>): string {
  const platform = thisPlatform();
  if (platform !== undefined && platform.libraries === undefined) return beside;
  const name = platform?.libraries;
  if (name === undefined) {
    const message = `There are no prebuilt libraries of llama.cpp for ${platformName()}. Build them here: ${howToBuild()}`;
    throw new LlamaHooksError("BACKEND_UNAVAILABLE", message);
  }
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

function missing(own: Manifest): LlamaHooksError {
  const unsupported = platformProblem();
  if (unsupported !== undefined) return new LlamaHooksError("PLATFORM_UNSUPPORTED", unsupported);
  if (isClone(own)) {
    return new LlamaHooksError("ADDON_MISSING", `The addon of this clone has not been built: ${howToBuild()}`);
  }
  const published = own.optionalDependencies ?? {};
  const version = published[platformPackage()];
  if (version === undefined) {
    const names = Object.keys(published).map((name) => name.replace("@llama-hooks/", ""));
    const message = `There is no prebuilt llama-hooks for ${platformName()} (there is for ${names.join(", ")}). Build it here, with ${tools}: ${howToBuild()}`;
    return new LlamaHooksError("PLATFORM_UNSUPPORTED", message);
  }
  const message = `The package ${platformPackage()}, which holds the addon, is not installed (by --omit=optional, or by a lock file of another platform): ${howToInstall(platformPackage(), version)}`;
  return new LlamaHooksError("ADDON_MISSING", message);
}

const tools = isWindows ? "CMake, Ninja and git" : "CMake, a C++20 compiler and git";

/** A clone has the build scripts; a package has only the command. */
function isClone({ scripts }: Manifest): boolean {
  return scripts?.["build"] !== undefined;
}

/**
 * The command that builds the addon. `llama`: builds llama.cpp, too, because its prebuilt libraries do not run here or
 * do not exist.
 */
function howToBuild({ llama = thisPlatform()?.libraries === undefined } = {}): string {
  // On Windows llama.cpp is always built.
  if (isClone(ownManifest()))
    return llama && process.platform !== "win32" ? "LLAMA_HOOKS_LLAMA=source npm run build" : "npm run build";
  return llama ? "npx llama-hooks build --llama" : "npx llama-hooks build";
}

/** Returns the reason why no build of the addon can run on this system. */
function platformProblem(): string | undefined {
  const glibc = process.platform === "linux" ? cLibrary().glibc : undefined;
  if (glibc === undefined) return undefined;
  const [major = 0, minor = 0] = glibc.split(".").map(Number);
  const old = major < leastGlibc[0] || (major === leastGlibc[0] && minor < leastGlibc[1]);
  if (!old) return undefined;
  const build = howToBuild({ llama: true });
  return `llama-hooks needs ${needs}, and this system has glibc ${glibc}: use a newer one, or build it here with llama.cpp: ${build}`;
}
