// Builds the addon: its requirements, whether it is up to date, and the CMake runs.
// Must not: print to stdout (npm shows it), or download anything.
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
import { ensureZig, forCMake, targets, zigEnvironment, zigVariables } from "./zig.mjs";

const oldestCMake = [3, 19];
/** The macOS that llama.cpp's libraries need. */
const leastMacOS = "14.0";
const onWindows = process.platform === "win32";

/** "prebuilt": node-llama-cpp's libraries; "source": llama.cpp built from the bundle. */
export function llamaOrigin() {
  // Those for Windows are MSVC's, whose C++ no other compiler can call.
  const usual = process.platform === "win32" ? "source" : "prebuilt";
  const origin = process.env.LLAMA_HOOKS_LLAMA || usual;
  if (origin === "prebuilt" || origin === "source") return origin;
  throw new Error(`LLAMA_HOOKS_LLAMA must be "prebuilt" or "source", got ${JSON.stringify(origin)}`);
}

function onPath(program) {
  const names = onWindows ? [`${program}.exe`, `${program}.cmd`] : [program];
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.some((folder) => names.some((name) => existsSync(join(folder, name))));
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

/**
 * Everything that prevents a build, one sentence each, with the remedy. `llama`: where llama.cpp comes from; `zig`: Zig
 * compiles, and not the system's compiler.
 */
export function findProblems({ llama = llamaOrigin(), zig = onWindows } = {}) {
  const problems = [cmakeProblem()];
  if (onWindows && !(thisPlatform in targets)) problems.push(`there is no build for ${thisPlatform}`);
  if (!zig && !["g++", "clang++"].some(onPath)) {
    problems.push("no C++20 compiler was found: install one (apt-get install g++, or xcode-select --install)");
  }
  if (onWindows && !onPath("ninja")) {
    problems.push("ninja was not found: install it (winget install Ninja-build.Ninja)");
  } else if (!["ninja", "make"].some(onPath)) {
    problems.push("neither make nor ninja was found: apt-get install make");
  }
  if (!onPath("git")) problems.push("git was not found: install it (apt-get install git)");
  problems.push(toolsProblem());
  const found = nodeLlamaCpp();
  if (found !== undefined && llama === "prebuilt") problems.push(librariesProblem(found, prebuiltLibraries()));
  return problems.filter((problem) => problem !== undefined);
}

/** Checks the npm packages that only a build needs. */
function toolsProblem() {
  const { devDependencies } = JSON.parse(readFileSync(join(projectDir, "package.json"), "utf8"));
  const tools = ["node-llama-cpp", "node-addon-api", "node-api-headers"];
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
  const table = join(projectDir, "scripts", "build", "unicode-table.mjs");
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
  const libraries = llama === "source" ? join(buildDir, "Release") : prebuiltLibraries().folder;
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

function run(command, { verbose, env }) {
  return new Promise((resolve, reject) => {
    const [program, ...args] = command.map(String);
    const child = spawn(program, args, { cwd: projectDir, env, stdio: ["ignore", "pipe", "pipe"] });
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

/** The settings of CMake for this system's own compiler. */
function systemVariables() {
  if (process.platform !== "darwin") return {};
  // A Node for Intel runs on Apple's processors, too.
  const architecture = process.arch === "x64" ? "x86_64" : process.arch;
  return { CMAKE_OSX_ARCHITECTURES: architecture, CMAKE_OSX_DEPLOYMENT_TARGET: leastMacOS };
}

/**
 * The commands of a build. `platform`: the one that Zig builds for: another system, or Windows, where a user may have
 * no compiler.
 */
function commandsOf({ out, target, variables, platform }) {
  if (platform !== undefined) ensureZig();
  const set = Object.entries({
    CMAKE_BUILD_TYPE: "Release",
    CMAKE_LIBRARY_OUTPUT_DIRECTORY: join(out, "Release"),
    ...(platform === undefined ? systemVariables() : zigVariables(platform)),
    ...variables,
  }).map(([name, value]) => `-D${name}=${forCMake(value)}`);
  const generator = onPath("ninja") ? "Ninja" : "Unix Makefiles";
  const parallel = ["--parallel", availableParallelism()];
  return {
    configure: ["cmake", "-S", projectDir, "-B", out, "-G", generator, ...set],
    build: ["cmake", "--build", out, ...parallel, ...(target === undefined ? [] : ["--target", target])],
    env: platform === undefined ? process.env : zigEnvironment(),
  };
}

/**
 * Configures and builds, incrementally. `out` is the build folder (the addon goes to <out>/Release), `variables`
 * further CMake variables, `zig` the platform that Zig builds for, `target` a single target.
 */
export async function buildNative({ out = buildDir, variables = {}, zig, target, verbose = false } = {}) {
  const llama = variables.LH_LLAMA ?? llamaOrigin();
  const all = { LH_LLAMA: llama, LH_NODE_PROGRAM: process.execPath, ...cmakeVariables(), ...variables };
  if (all.LH_LLAMA_SOURCE_DIR === cmakeVariables().LH_LLAMA_SOURCE_DIR) ensureSource(llama === "source");
  const platform = zig ?? (onWindows ? thisPlatform : undefined);
  const commands = commandsOf({ out, target, variables: all, platform });
  const extra = (process.env.LLAMA_HOOKS_CMAKE_OPTIONS ?? "").split(/\s+/).filter((word) => word !== "");
  mkdirSync(out, { recursive: true });
  const configure = [...commands.configure, ...extra];
  const options = { verbose, env: commands.env };
  const isMain = out === buildDir;
  if (isMain) rmSync(stampFile, { force: true });
  const before = isMain ? describeBuild() : undefined;
  try {
    await run(configure, options);
  } catch (error) {
    // The cache may be a leftover of another generator or a moved folder. Without a cache, the error is caused by the
    // sources.
    if (!existsSync(join(out, "CMakeCache.txt"))) throw error;
    rmSync(join(out, "CMakeCache.txt"));
    rmSync(join(out, "CMakeFiles"), { recursive: true, force: true });
    await run(configure, options);
  }
  const said = remarks(await run(commands.build, options));
  if (said.length > 0) process.stderr.write(`${said.join("\n")}\n`);
  if (isMain) writeFileSync(stampFile, `${JSON.stringify(before, null, 2)}\n`);
}
