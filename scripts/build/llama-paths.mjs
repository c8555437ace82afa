// Finds llama.cpp: node-llama-cpp's prebuilt libraries, and the bundle of the source that they were built from.
// `node scripts/build/llama-paths.mjs --cmake` prints the values for CMakeLists.txt, `--source` the folder of the whole
// source. Must not: download anything.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const projectDir = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const buildDir = join(projectDir, "build");

/** The platform of this machine, as native/platforms.json names it. */
export const thisPlatform = [process.platform, process.arch, ...(isMusl() ? ["musl"] : [])].join("-");

function isMusl() {
  if (process.platform !== "linux") return false;
  process.report.excludeNetwork = true; // host names of open connections take seconds to look up
  return process.report.getReport().header.glibcVersionRuntime === undefined;
}

/**
 * The packages that a build needs are beside this package in a clone, and in the user's project for `llama-hooks
 * build`.
 */
export function resolveTool(name) {
  for (const folder of [projectDir, process.cwd()]) {
    try {
      return createRequire(join(folder, "package.json")).resolve(name);
    } catch {
      // try the next folder
    }
  }
  return undefined;
}

/** The package of prebuilt CPU libraries for a platform, or undefined if there is none. */
export function librariesPackage(platform = thisPlatform) {
  return readJson(join(projectDir, "native", "platforms.json"))[platform]?.libraries;
}

const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));

/** node-llama-cpp's folder and the content of its bundle; undefined if it is not installed. */
export function nodeLlamaCpp() {
  const entry = resolveTool("node-llama-cpp");
  if (entry === undefined) return undefined;
  let folder = dirname(entry);
  // Its exports do not include package.json.
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

/** Folder and release of the prebuilt libraries for a platform; undefined if their package is not installed. */
export function prebuiltLibraries(platform = thisPlatform) {
  const found = nodeLlamaCpp();
  const name = librariesPackage(platform);
  if (found === undefined || name === undefined) return undefined;
  try {
    // Resolved from node-llama-cpp, whose optional dependency it is: a package manager may nest it there.
    return librariesIn(dirname(dirname(createRequire(join(found.folder, "package.json")).resolve(name))));
  } catch {
    return undefined;
  }
}

/** The same of a package of libraries, by its folder. */
export function librariesIn(packageFolder) {
  const bins = join(packageFolder, "bins");
  const folder = join(bins, readdirSync(bins)[0]);
  return { folder, release: readJson(join(folder, "_nlcBuildMetadata.json")).buildOptions.llamaCpp.release };
}

/** The files checked out of the bundle by `ensureSource`. */
export const sourceDir = join(buildDir, "llama.cpp");

/** The headers to compile with; tests and benchmarks of a clone also use its templates and vocabularies. */
const headers = [
  "include",
  "common",
  "ggml/include",
  "ggml/src/ggml-rpc", // compiled, as a module
  "ggml/src/ggml-impl.h",
  "ggml/src/ggml-backend-impl.h",
  "src",
  "vendor/nlohmann",
  "LICENSE",
];
const partsOfSource = (whole) =>
  whole ? ["."] : existsSync(join(projectDir, "test")) ? [...headers, "models"] : headers;

/**
 * Checks out what a build needs from the bundle, unless it is present; `whole`: everything, to build llama.cpp itself.
 */
export function ensureSource(whole = false) {
  checkOut(sourceDir, partsOfSource(whole));
}

/** Checks out the whole source beside the headers that the addon is built with, and returns its folder. */
export function ensureWholeSource() {
  const folder = join(buildDir, "llama.cpp-whole");
  checkOut(folder, ["."]);
  return folder;
}

function checkOut(folder, parts) {
  const { bundle, release } = nodeLlamaCpp();
  const record = `${release} ${parts.join(" ")}`;
  const marker = `${folder}.release`;
  if (existsSync(marker) && existsSync(folder) && readFileSync(marker, "utf8") === record) return;
  const partial = `${folder}.partial-${process.pid}`;
  mkdirSync(buildDir, { recursive: true });
  const git = (...args) => execFileSync("git", args, { stdio: ["ignore", "ignore", "pipe"] });
  try {
    git("clone", "--quiet", "--no-checkout", "-c", "core.hooksPath=/dev/null", bundle, partial);
    git("-C", partial, "-c", "core.hooksPath=/dev/null", "checkout", "--quiet", "HEAD", "--", ...parts);
    rmSync(join(partial, ".git"), { recursive: true });
    rmSync(marker, { force: true });
    rmSync(folder, { recursive: true, force: true });
    renameSync(partial, folder);
    writeFileSync(marker, record);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/** Folders of the Node-API headers and of node-addon-api. */
export function nodeIncludeDirs() {
  const require = createRequire(import.meta.url);
  const folders = [
    require(resolveTool("node-api-headers")).include_dir,
    require(resolveTool("node-addon-api")).include_dir,
  ];
  return folders.map((dir) => realpathSync(dir));
}

/** CMake variables, by name. */
export function cmakeVariables(libraries = prebuiltLibraries()) {
  return {
    LH_LLAMA_SOURCE_DIR: sourceDir,
    LH_LLAMA_LIB_DIR: libraries?.folder ?? "",
    LH_LLAMA_RELEASE: nodeLlamaCpp()?.release ?? "",
    LH_NODE_INCLUDE_DIRS: nodeIncludeDirs().join(";"),
  };
}

const asked = process.argv[1] === fileURLToPath(import.meta.url) ? process.argv[2] : undefined;
if (asked === "--libraries") console.log(prebuiltLibraries()?.folder ?? join(buildDir, "Release"));
if (asked === "--source") console.log(ensureWholeSource());
if (asked === "--cmake") {
  ensureSource();
  for (const [name, value] of Object.entries(cmakeVariables())) console.log(`${name}=${value}`);
}
