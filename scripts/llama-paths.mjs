// Where llama.cpp comes from: node-llama-cpp's prebuilt libraries, and the bundle of the source they were built from.
// Must not: download anything. `node scripts/llama-paths.mjs --cmake` prints what CMakeLists.txt needs to know.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const projectDir = dirname(dirname(fileURLToPath(import.meta.url)));
export const buildDir = join(projectDir, "build");

const require = createRequire(import.meta.url);

const platformPackages = {
  "linux-x64": "linux-x64",
  "linux-arm64": "linux-arm64",
  "linux-arm": "linux-armv7l",
  "linux-riscv64": "linux-riscv64",
  "darwin-arm64": "mac-arm64-metal",
  "darwin-x64": "mac-x64",
};

/** The package of prebuilt CPU libraries for this machine, or undefined where there is none. */
export function platformPackage() {
  const name = platformPackages[`${process.platform}-${process.arch}`];
  return name === undefined ? undefined : `@node-llama-cpp/${name}`;
}

const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));

/** node-llama-cpp's folder and what its bundle holds; undefined when it is not installed. */
export function nodeLlamaCpp() {
  let folder;
  try {
    folder = dirname(require.resolve("node-llama-cpp"));
  } catch {
    return undefined;
  }
  // Its package.json is not among its exports.
  while (!existsSync(join(folder, "llama", "gitRelease.bundle"))) {
    if (folder === dirname(folder)) return undefined;
    folder = dirname(folder);
  }
  return {
    folder,
    version: readJson(join(folder, "package.json")).version,
    bundle: join(folder, "llama", "gitRelease.bundle"),
    release: readJson(join(folder, "llama", "binariesGithubRelease.json")).release,
  };
}

/** Folder and release of the prebuilt libraries for this machine; undefined when their package is not installed. */
export async function prebuiltLibraries() {
  const found = nodeLlamaCpp();
  const name = platformPackage();
  if (found === undefined || name === undefined) return undefined;
  let entry;
  try {
    // Seen from node-llama-cpp, whose optional dependency it is: a package manager may nest it there.
    entry = createRequire(join(found.folder, "package.json")).resolve(name);
  } catch {
    return undefined;
  }
  // An ES module with top-level await, which only import() loads.
  const { binsDir } = (await import(pathToFileURL(entry).href)).getBinsDir();
  const folder = join(binsDir, name.slice(name.indexOf("/") + 1));
  return { folder, release: readJson(join(folder, "_nlcBuildMetadata.json")).buildOptions.llamaCpp.release };
}

/** The clone of the bundle; `ensureSource` makes it. */
export const sourceDir = join(buildDir, "llama.cpp");

/** Clones the bundle unless a clone of that release is there. */
export function ensureSource() {
  const { bundle, release } = nodeLlamaCpp();
  const marker = join(buildDir, "llama.cpp.release");
  if (existsSync(marker) && existsSync(sourceDir) && readFileSync(marker, "utf8") === release) return;
  const partial = `${sourceDir}.partial-${process.pid}`;
  mkdirSync(buildDir, { recursive: true });
  try {
    const git = ["-c", "advice.detachedHead=false", "-c", "core.hooksPath=/dev/null"];
    execFileSync("git", [...git, "clone", "--quiet", "--depth", "1", pathToFileURL(bundle).pathname, partial], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    rmSync(marker, { force: true });
    rmSync(sourceDir, { recursive: true, force: true });
    renameSync(partial, sourceDir);
    writeFileSync(marker, release);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/** Folders of the Node-API headers and of node-addon-api. */
export function nodeIncludeDirs() {
  return [require("node-api-headers").include_dir, require("node-addon-api").include_dir].map((dir) =>
    realpathSync(dir),
  );
}

/** CMake variables, by name. */
export async function cmakeVariables() {
  const libraries = await prebuiltLibraries();
  return {
    LH_LLAMA_SOURCE_DIR: sourceDir,
    LH_LLAMA_LIB_DIR: libraries?.folder ?? "",
    LH_LLAMA_RELEASE: nodeLlamaCpp()?.release ?? "",
    LH_NODE_INCLUDE_DIRS: nodeIncludeDirs().join(";"),
  };
}

const asked = process.argv[1] === fileURLToPath(import.meta.url) ? process.argv[2] : undefined;
if (asked === "--libraries") console.log((await prebuiltLibraries())?.folder ?? join(buildDir, "bin"));
if (asked === "--cmake") {
  ensureSource();
  for (const [name, value] of Object.entries(await cmakeVariables())) console.log(`${name}=${value}`);
}
