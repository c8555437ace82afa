// Finds the packages with native code, their required versions, and the commands that install them.
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { LlamaHooksError } from "../base/errors.js";
import { unpackedPath } from "../base/unpacked-path.js";

/** A backend of llama.cpp for GPUs. */
export type GpuBackend = "cuda" | "metal" | "vulkan";

/** A platform that has an addon, from native/platforms.json. */
export interface Platform {
  readonly os: string;
  readonly cpu: string;
  readonly libc?: string;
  /** The package of llama.cpp's libraries; absent: they are in the addon's own package. */
  readonly libraries?: string;
  /** The packages of modules for GPUs. */
  readonly gpu: Readonly<Partial<Record<GpuBackend, string>>>;
}

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** The folder of this package. */
export const root: string = fileURLToPath(new URL("../../", import.meta.url));

let known: string | undefined;

/** The platform of this machine, such as "linux-x64" or "linux-x64-musl". */
export function platformName(): string {
  if (known === undefined) {
    const isMusl = process.platform === "linux" && cLibrary().isMusl;
    known = `${process.platform}-${process.arch}${isMusl ? "-musl" : ""}`;
  }
  return known;
}

/** The version of glibc, such as "2.36", or whether the C library is musl; neither if that is not known. */
export function cLibrary(): { readonly glibc: string | undefined; readonly isMusl: boolean } {
  const report = process.report as (NodeJS.ProcessReport & { excludeNetwork?: boolean }) | undefined;
  if (report === undefined) return { glibc: undefined, isMusl: false };
  const before = report.excludeNetwork ?? false;
  // Else a report looks up the host names of open connections, which takes seconds.
  report.excludeNetwork = true;
  try {
    const { header, sharedObjects = [] } = report.getReport() as unknown as {
      header: { glibcVersionRuntime?: string };
      sharedObjects?: readonly string[];
    };
    const glibc = header.glibcVersionRuntime;
    const isThere = (file: string): boolean => /\b(?:ld-musl-|libc\.musl-)/.test(file);
    return { glibc, isMusl: glibc === undefined && [...sharedObjects, ...readdirSync("/lib")].some(isThere) };
  } finally {
    report.excludeNetwork = before;
  }
}

/** The manifest of this package. Errors: ADDON_NOT_LOADED if a bundler has moved the code out of the package. */
export function ownManifest(): Manifest {
  try {
    const manifest = readManifest(root);
    if (manifest.name === "llama-hooks") return manifest;
  } catch {
    // reported below
  }
  throw new LlamaHooksError(
    "ADDON_NOT_LOADED",
    `llama-hooks does not lie in its package any more, it seems to be bundled: leave it to node_modules (esbuild: --external:llama-hooks)`,
  );
}

export function platforms(): Readonly<Record<string, Platform>> {
  return JSON.parse(readFileSync(path.join(root, "native", "platforms.json"), "utf8")) as Record<string, Platform>;
}

/** The addon's package for this machine. */
export function platformPackage(): string {
  return `@llama-hooks/${platformName()}`;
}

/** This machine's platform; undefined if llama.cpp has to be built here. */
export function thisPlatform(): Platform | undefined {
  return platforms()[platformName()];
}

/** The version of llama.cpp's packages that the addon was built with. */
export function librariesVersion(): string {
  const found = Object.entries(ownManifest().peerDependencies ?? {}).find(([name]) =>
    name.startsWith("@node-llama-cpp/"),
  );
  return found?.[1] ?? "";
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as Manifest;
}

/**
 * The folder of a package, resolved from the folder `from` as a module there would: hoisted, nested, linked or zipped
 * and unplugged. Undefined: not installed.
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
  // Before Node 24 the path may contain symbolic links, for example if the command was started through one.
  // Dependencies lie beside the real path.
  return realpathSync(folder);
}

/** The folder of libraries in one of llama.cpp's packages. */
export function librariesIn(folder: string): string {
  const bins = path.join(folder, "bins");
  const inner = existsSync(bins)
    ? readdirSync(bins, { withFileTypes: true }).find((entry) => entry.isDirectory())
    : undefined;
  if (inner !== undefined) return unpackedPath(path.join(bins, inner.name));
  throw new LlamaHooksError("BACKEND_UNAVAILABLE", `${folder} has no libraries: reinstall it`);
}

/** The install command for each package manager. */
export function howToInstall(name: string, version: string): string {
  const one = `${name}@${version}`;
  return `npm install ${one} (pnpm add ${one}, yarn add ${one})`;
}

/** The error for a package of the wrong version. */
export function versionMismatch(name: string, found: string, wanted: string): LlamaHooksError {
  const message = `${name} has version ${found}, but ${wanted} is needed: ${howToInstall(name, wanted)}`;
  return new LlamaHooksError("VERSION_MISMATCH", message);
}
