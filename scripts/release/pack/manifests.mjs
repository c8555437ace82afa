// The package.json files of the published packages.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectDir } from "../../build/llama-paths.mjs";
import { unfilled } from "../placeholders.mjs";

const readJson = (file) => JSON.parse(readFileSync(join(projectDir, file), "utf8"));

const own = readJson("package.json");
const platforms = readJson("native/platforms.json");

export const platformNames = Object.keys(platforms);

/** The project's addresses. A package without them must not be published: it is marked private, and npm refuses it. */
function home(manifest) {
  const { repository, homepage, bugs } = manifest;
  return unfilled(manifest).length > 0
    ? { private: true, repository: undefined, homepage: undefined, bugs: undefined }
    : { repository, homepage, bugs };
}

export const platformPackage = (platform) => `@llama-hooks/${platform}`;

/** The manifest of the main package, which takes its addon from the packages of `published` platforms. */
export function mainManifest(published) {
  const { scripts: _, ...rest } = own;
  return {
    ...rest,
    ...home(own),
    optionalDependencies: Object.fromEntries(published.map((name) => [platformPackage(name), own.version])),
  };
}

/**
 * The manifest of a platform's package: its fields are strict, so that package managers install it nowhere else.
 * `linked`: the version of llama.cpp's package that its addon is linked with; any but the pinned one is for trying.
 */
export function platformManifest(platform, linked = own.devDependencies["node-llama-cpp"]) {
  const { os, cpu, libc, libraries } = platforms[platform];
  return {
    name: platformPackage(platform),
    version: own.version,
    description: `The native addon of llama-hooks for ${platform}.`,
    license: own.license,
    ...home(own),
    ...(linked !== own.devDependencies["node-llama-cpp"] && { private: true }),
    type: "commonjs",
    engines: own.engines,
    os: [os],
    cpu: [cpu],
    ...(libc && { libc: [libc] }),
    // A shared library cannot be opened inside an archive.
    preferUnplugged: true,
    exports: { "./package.json": "./package.json", "./llama_hooks.node": "./llama_hooks.node" },
    ...(libraries && { dependencies: { [libraries]: linked } }),
  };
}
