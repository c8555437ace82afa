// Builds the addon: its requirements, whether it is up to date, and the CMake runs.
// Must not: print to stdout (npm shows it), or download anything.
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { delimiter, join, relative } from "node:path";
import {
  buildDir,
  cmakeVariables,
  ensureSource,
  librariesPackage,
  nodeLlamaCpp,
  prebuiltLibraries,
  projectDir,
  resolveTool,
  thisPlatform,
} from "./llama-paths.mjs";

const oldestCMake = [3, 19];

/** "prebuilt": node-llama-cpp's libraries; "source": llama.cpp built from the bundle. */
export function llamaOrigin() {
  const origin = process.env.LLAMA_HOOKS_LLAMA || "prebuilt";
  if (origin === "prebuilt" || origin === "source") return origin;
  throw new Error(`LLAMA_HOOKS_LLAMA must be "prebuilt" or "source", got ${JSON.stringify(origin)}`);
}

function onPath(program) {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => folder !== "" && existsSync(join(folder, program)));
}

function cmakeProblem() {
  const wanted = `CMake ${oldestCMake.join(".")} or newer`;
  const mend = "install it with your system's package manager (apt-get install cmake, brew install cmake)";
  if (!onPath("cmake")) return `${wanted} was not found: ${mend}`;
  const text = execFileSync("cmake", ["--version"], { encoding: "utf8" });
  const [major, minor] = (/(\d+)\.(\d+)/.exec(text) ?? ["", "0", "0"]).slice(1).map(Number);
  const enough = major > oldestCMake[0] || (major === oldestCMake[0] && minor >= oldestCMake[1]);
  return enough ? undefined : `${wanted} is needed, found ${major}.${minor}: ${mend}`;
}

/** Everything that prevents a build, one sentence each, with the remedy. */
export function findProblems() {
  if (process.platform === "win32") return ["Windows is not supported yet: use the Windows Subsystem for Linux"];
  const problems = [cmakeProblem()];
  if (!["g++", "clang++"].some(onPath)) {
    problems.push("no C++20 compiler was found: install one (apt-get install g++, or xcode-select --install)");
  }
  if (!["ninja", "make"].some(onPath)) problems.push("neither make nor ninja was found: apt-get install make");
  if (!onPath("git")) problems.push("git was not found: install it (apt-get install git)");
  problems.push(toolsProblem());
  const found = nodeLlamaCpp();
  if (found !== undefined && llamaOrigin() === "prebuilt") problems.push(librariesProblem(found, prebuiltLibraries()));
  return problems.filter((problem) => problem !== undefined);
}

/** Checks the npm packages that only a build needs. */
function toolsProblem() {
  const { devDependencies } = JSON.parse(readFileSync(join(projectDir, "package.json"), "utf8"));
  const tools = ["node-llama-cpp", "cmake-js", "node-addon-api", "node-api-headers"];
  const missing = tools.filter((name) => resolveTool(name) === undefined);
  if (missing.length === 0) return undefined;
  const line = missing.map((name) => `${name}@${devDependencies[name]}`).join(" ");
  return `${missing.join(", ")}, which a build uses, cannot be found: npm install --save-dev ${line}`;
}

function librariesProblem(found, libraries) {
  const build = "set LLAMA_HOOKS_LLAMA=source to build llama.cpp here instead (a quarter of an hour)";
  const name = librariesPackage();
  if (name === undefined) return `there are no prebuilt llama.cpp libraries for ${thisPlatform}: ${build}`;
  if (libraries === undefined) {
    return `the package ${name}, with llama.cpp's libraries for ${thisPlatform}, is not installed: install it with npm install ${name}@${found.version} (npm leaves it out with --omit=optional), or ${build}`;
  }
  if (libraries.release === found.release) return undefined;
  return `${name} holds llama.cpp ${libraries.release}, but node-llama-cpp ${found.version} has the source of ${found.release}: install the same version of both`;
}

function* filesBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else yield path;
  }
}

function sourceHash() {
  const hash = createHash("sha256");
  const others = ["test", "fuzz"].map((folder) => join(projectDir, "native", folder));
  const files = [...filesBelow(join(projectDir, "native")), ...filesBelow(join(projectDir, "cmake"))];
  const table = join(projectDir, "scripts", "unicode-table.mjs");
  for (const file of [...files, join(projectDir, "CMakeLists.txt"), table]) {
    if (others.some((folder) => file.startsWith(folder))) continue;
    hash.update(relative(projectDir, file)).update("\0").update(readFileSync(file)).update("\0");
  }
  return hash.digest("hex");
}

const addonFile = join(buildDir, "Release", "llama_hooks.node");
const stampFile = join(buildDir, "Release", "llama_hooks.json");

/** Everything that a build depends on. `libraries` is also the path of llama.cpp's libraries, relative to the addon. */
function describeBuild() {
  const llama = llamaOrigin();
  const libraries = llama === "source" ? join(buildDir, "bin") : prebuiltLibraries().folder;
  return {
    platform: process.platform,
    arch: process.arch,
    llama,
    release: nodeLlamaCpp().release,
    libraries: relative(join(buildDir, "Release"), libraries),
    options: process.env.LLAMA_HOOKS_CMAKE_OPTIONS ?? "",
    sources: sourceHash(),
  };
}

/** True if the present addon was built from these sources, for this machine. */
export function isUpToDate() {
  if (!existsSync(addonFile) || !existsSync(stampFile)) return false;
  return readFileSync(stampFile, "utf8") === `${JSON.stringify(describeBuild(), null, 2)}\n`;
}

/** Shows the progress of ninja ("[3/80]") or make ("[  3%]") in place of the previous one. */
function showProgress(text) {
  const last = [...text.matchAll(/^\[ *(\d+(?:%|\/\d+))\]/gm)].at(-1);
  if (last !== undefined) process.stderr.write(`\r\u001b[K${last[1]}`);
}

/** The output of compilers and linkers, without lines of the build tool (ninja, make) and CMake. */
function remarks(output) {
  const ofTools = /^(?:\[ *\d|-- |ninja: |g?make(?:\[\d+\])?: |Consolidate |Scanning )/;
  return output.split("\n").filter((line) => line !== "" && !ofTools.test(line));
}

function run(command, { verbose }) {
  return new Promise((resolve, reject) => {
    const [program, ...args] = command.map(String);
    const child = spawn(program, args, { cwd: projectDir, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        if (verbose) process.stderr.write(chunk);
        else output += chunk;
        if (!verbose && process.stderr.isTTY) showProgress(String(chunk));
      });
    }
    child.on("error", reject);
    child.on("close", (code) => {
      if (!verbose && process.stderr.isTTY) process.stderr.write("\r\u001b[K");
      if (code === 0) resolve(output);
      else reject(new Error(`${program} ${args[0] === "--build" ? "--build" : "configure"} failed\n${output}`));
    });
  });
}

/**
 * Configures and builds, incrementally. `out` is the build folder (the addon goes to <out>/Release), `variables`
 * further CMake variables, `platform` another platform to build for, `target` a single target.
 */
export async function buildNative({ out = buildDir, variables = {}, platform, target, verbose = false } = {}) {
  const llama = llamaOrigin();
  ensureSource(llama === "source");
  const extra = (process.env.LLAMA_HOOKS_CMAKE_OPTIONS ?? "").split(/\s+/).filter((word) => word !== "");
  // The class instead of cmake-js's command line, which would download Node's own headers; a Node-API addon does not
  // need them.
  const { CMake } = createRequire(import.meta.url)(resolveTool("cmake-js"));
  const cmake = new CMake({
    directory: projectDir,
    out,
    config: "Release",
    isNodeApi: true,
    target,
    parallel: availableParallelism(),
    cMakeOptions: { LH_LLAMA: llama, LH_NODE_PROGRAM: process.execPath, ...cmakeVariables(platform), ...variables },
    extraCMakeArgs: [],
  });
  mkdirSync(out, { recursive: true });
  const configure = [...(await cmake.getConfigureCommand()), "-B", out, ...extra];
  const isMain = out === buildDir;
  if (isMain) rmSync(stampFile, { force: true });
  const before = isMain ? describeBuild() : undefined;
  try {
    await run(configure, { verbose });
  } catch (error) {
    // The cache may be a leftover of another generator or a moved folder. Without a cache, the error is caused by the
    // sources.
    if (!existsSync(join(out, "CMakeCache.txt"))) throw error;
    rmSync(join(out, "CMakeCache.txt"));
    rmSync(join(out, "CMakeFiles"), { recursive: true, force: true });
    await run(configure, { verbose });
  }
  const said = remarks(await run(await cmake.getBuildCommand(), { verbose }));
  if (said.length > 0) process.stderr.write(`${said.join("\n")}\n`);
  if (isMain) writeFileSync(stampFile, `${JSON.stringify(before, null, 2)}\n`);
}
