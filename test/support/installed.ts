// A project with the published package, unpacked by hand instead of by a package manager.
import { randomUUID } from "node:crypto";
import { copyFileSync, linkSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { copyFile, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import { tempDir } from "./engine.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { platformManifest, mainManifest } = (await import(
  new URL("../../scripts/release/pack/manifests.mjs", import.meta.url).href
)) as {
  platformManifest(platform: string): { dependencies: Record<string, string> };
  mainManifest(published: readonly string[]): object;
};

/** The platform of this machine, as in package names. */
export const platform = `${process.platform}-${process.arch}`;
const clonesManifest = JSON.parse(await readFile(path.join(root, "package.json"), "utf8")) as { version: string };
export const { version } = clonesManifest;
/** The manifests of the packages that `npm run pack` writes. */
export function packedManifests(): Record<string, unknown>[] {
  return [mainManifest([platform]), platformManifest(platform)] as unknown as Record<string, unknown>[];
}

/** Llama.cpp's package for this machine, and its version. */
export const [[librariesPackage, librariesVersion]] = Object.entries(platformManifest(platform).dependencies) as [
  [string, string],
];

export interface Layout {
  /** True: the package is a clone, with its scripts and without platforms. */
  readonly clone?: boolean;
  /** Platforms that the main package lists [this one]. */
  readonly published?: readonly string[];
  /** True: the package of this platform is installed [true]. `addonVersion` is its version [the same]. */
  readonly addon?: boolean;
  readonly addonVersion?: string;
  /** True: llama.cpp's package is installed [true]. `librariesVersion` is its version [its own]. */
  readonly libraries?: boolean;
  readonly librariesVersion?: string;
  /** Content of the Vulkan module's file; without it that package is not installed. */
  readonly vulkan?: string;
}

/** The copies that linkTree() has made, by the path of the file that each is of. */
const copies = new Map<string, string>();

/** True if the file got a second name; between two file systems or mounts it gets none. */
function isLinked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch {
    return false;
  }
}

/**
 * Gives a file, or those of a folder, a second name: a copy of the libraries takes longer than the test that needs it.
 * Between two mounts a file is copied once, and later calls name the copy. Must not: be used for files that tests change.
 */
function linkTree(from: string, to: string): void {
  if (statSync(from).isDirectory()) {
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(from)) linkTree(path.join(from, name), path.join(to, name));
    return;
  }
  mkdirSync(path.dirname(to), { recursive: true });
  if (isLinked(copies.get(from) ?? from, to)) return;
  copyFileSync(from, to);
  const copy = path.join(inject("modelFolder"), `copy-${randomUUID()}`); // this folder outlives the test's
  if (isLinked(to, copy)) copies.set(from, copy);
}

/** Writes the project and returns its folder. */
export async function installed(layout: Layout = {}): Promise<string> {
  const { published = [platform], addon = true, addonVersion = version, libraries = true, vulkan } = layout;
  const folder = path.join(await tempDir(), "p ünï");
  const main = path.join(folder, "node_modules", "llama-hooks");
  await mkdir(main, { recursive: true });
  for (const part of ["dist", "schemas", "native/platforms.json", "models/tiny-agent.gguf"]) {
    linkTree(path.join(root, part), path.join(main, part));
  }
  const manifest = layout.clone ? clonesManifest : mainManifest(published);
  await writeFile(path.join(main, "package.json"), JSON.stringify(manifest));
  for (const name of [
    "ajv",
    "commander",
    "fast-deep-equal",
    "fast-uri",
    "json-schema-traverse",
    "require-from-string",
  ]) {
    await symlink(path.join(root, "node_modules", name), path.join(folder, "node_modules", name), "dir");
  }
  if (addon) {
    const to = path.join(folder, "node_modules", "@llama-hooks", platform);
    await mkdir(to, { recursive: true });
    for (const file of ["llama_hooks.node", "llama_hooks_loader.node", "llama_hooks_host", "llama_hooks_rpc.so"]) {
      await copyFile(path.join(root, "build", "Release", file), path.join(to, file));
    }
    await writeFile(
      path.join(to, "package.json"),
      JSON.stringify({ ...platformManifest(platform), version: addonVersion }),
    );
  }
  if (libraries) {
    // A place where no RUNPATH looks for it.
    const to = path.join(folder, "node_modules", "@llama-hooks", "node_modules", librariesPackage);
    await mkdir(to, { recursive: true });
    linkTree(path.join(root, "node_modules", librariesPackage), to);
    const file = path.join(to, "package.json");
    if (layout.librariesVersion !== undefined) {
      const own = JSON.parse(await readFile(file, "utf8")) as object;
      await rm(file); // a link to the package's own
      await writeFile(file, JSON.stringify({ ...own, version: layout.librariesVersion }));
    }
  }
  if (vulkan !== undefined) {
    const name = `${librariesPackage}-vulkan`;
    const to = path.join(folder, "node_modules", name);
    await mkdir(path.join(to, "bins", platform), { recursive: true });
    await writeFile(path.join(to, "package.json"), JSON.stringify({ name, version: librariesVersion }));
    await writeFile(path.join(to, "index.js"), "");
    await writeFile(path.join(to, "bins", platform, "libggml-vulkan.so"), vulkan);
  }
  return folder;
}
