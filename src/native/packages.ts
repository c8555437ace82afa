// Where the packages with native code lie, of which versions they must be, and what installs them.
// Must not: load anything.
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { LlamaHooksError } from "../base/errors.js";

/** A platform that llama.cpp's libraries are published for, as native/platforms.json has it. */
export interface Platform {
  readonly os: string;
  readonly cpu: string;
  readonly libc?: string;
  /** The package of llama.cpp's libraries; those of a GPU are called after it. */
  readonly libraries: string;
  readonly gpu: readonly string[];
}

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** This package's folder. */
export const root: string = fileURLToPath(new URL("../../", import.meta.url));

/** This machine, such as "linux-x64". */
export const platformName = `${process.platform}-${process.arch}`;

/** The manifest of this package. Errors: ADDON_NOT_LOADED where a bundler has taken the code out of it. */
export function ownManifest(): Manifest {
  try {
    const manifest = readManifest(root);
    if (manifest.name === "llama-hooks") return manifest;
  } catch {
    // said below
  }
  throw new LlamaHooksError(
    "ADDON_NOT_LOADED",
    `llama-hooks does not lie in its package any more, it seems to be bundled: leave it to node_modules (esbuild: --external:llama-hooks)`,
  );
}

export function platforms(): Readonly<Record<string, Platform>> {
  return JSON.parse(readFileSync(path.join(root, "native", "platforms.json"), "utf8")) as Record<string, Platform>;
}

/** The package of the addon for this machine. */
export const platformPackage = `@llama-hooks/${platformName}`;

/** The package of llama.cpp's libraries for this machine; undefined where there is none. */
export function librariesPackage(): string | undefined {
  return platforms()[platformName]?.libraries;
}

/** Of llama.cpp's packages, whose libraries the addon was built with. */
export function librariesVersion(): string {
  return Object.values(ownManifest().peerDependencies ?? {})[0] ?? "";
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as Manifest;
}

/**
 * The folder of a package, as a module of `from` (a folder) would find it: hoisted, nested, linked or zipped and
 * unplugged. Undefined when it is not installed.
 */
export function findPackage(name: string, from: string): string | undefined {
  let file: string;
  try {
    file = createRequire(path.join(from, "package.json")).resolve(name);
  } catch {
    return undefined;
  }
  let folder = path.dirname(file);
  while (!existsSync(path.join(folder, "package.json"))) {
    if (folder === path.dirname(folder)) return undefined;
    folder = path.dirname(folder);
  }
  // Before Node 24 there may be links in it, as in the command when it was started through one; what it depends on lies
  // beside its real place.
  return realpathSync(folder);
}

/** The folder of libraries in one of llama.cpp's packages. */
export function librariesIn(folder: string): string {
  const bins = path.join(folder, "bins");
  const inner = existsSync(bins)
    ? readdirSync(bins, { withFileTypes: true }).find((entry) => entry.isDirectory())
    : undefined;
  if (inner !== undefined) return path.join(bins, inner.name);
  throw new LlamaHooksError("BACKEND_UNAVAILABLE", `${folder} has no libraries: reinstall it`);
}

/** What to type, for each package manager. */
export function howToInstall(name: string, version: string): string {
  const one = `${name}@${version}`;
  return `npm install ${one} (pnpm add ${one}, yarn add ${one})`;
}

/** A package of another version than the one that is needed. */
export function versionMismatch(name: string, found: string, wanted: string): LlamaHooksError {
  const message = `${name} is of version ${found}, and ${wanted} is needed: ${howToInstall(name, wanted)}`;
  return new LlamaHooksError("VERSION_MISMATCH", message);
}
