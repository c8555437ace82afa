// Compiles the native code for the systems that this machine is not, with Zig, warnings as errors. Nothing is linked.
// Objects stay in build/platforms, so that a second check takes seconds. Skipped, with a message, where Zig cannot be
// installed, unless LLAMA_HOOKS_ZIG=required.
//   node scripts/check/platforms.mjs [PLATFORM ...]   by default one of each system
//   --differences   only native/platform and the loader: seconds, where the whole takes one to two minutes a system
//   --short         the whole for the first system, and the differences of the others
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildDir, cmakeVariables, ensureSource, projectDir } from "../build/llama-paths.mjs";
import { ensureZig, targets, zigEnvironment, zigVariables } from "../build/zig.mjs";

const { values, positionals } = parseArgs({
  options: { differences: { type: "boolean", default: false }, short: { type: "boolean", default: false } },
  allowPositionals: true,
});
const unknown = positionals.find((platform) => !(platform in targets));
if (unknown !== undefined) {
  console.error(`there is no platform ${unknown}; there are ${Object.keys(targets).join(", ")}`);
  process.exit(2);
}
const differences = ["--target", "lh_platform", "llama_hooks_loader"];

try {
  ensureZig();
} catch (error) {
  if (process.env.LLAMA_HOOKS_ZIG === "required") throw error;
  console.log("other systems: skipped, because Zig cannot be installed");
  process.exit(0);
}
ensureSource();

function run(...command) {
  const { status, stdout, stderr } = spawnSync("cmake", command, {
    cwd: projectDir,
    encoding: "utf8",
    env: zigEnvironment(),
  });
  if (status !== 0) process.stderr.write(`${stdout}${stderr}`);
  return status === 0;
}

function compiles(platform, parts) {
  const out = join(buildDir, "platforms", platform);
  const variables = {
    ...zigVariables(platform),
    ...cmakeVariables(),
    LH_LLAMA: "none",
    LH_WERROR: "ON",
    LH_NODE_PROGRAM: process.execPath,
    CMAKE_BUILD_TYPE: "Debug",
    // Zig's own default for such a build is a sanitizer, and it passes clang flags that clang does not use.
    CMAKE_CXX_FLAGS_DEBUG: "-O0 -g0 -fno-sanitize=all -Wno-unused-command-line-argument",
    // Nothing is linked in CMake's own tests, either: for a program Zig builds its C++ library, which takes minutes.
    CMAKE_TRY_COMPILE_TARGET_TYPE: "STATIC_LIBRARY",
    CMAKE_C_COMPILER_ID_TEST_FLAGS_FIRST: "-c",
    CMAKE_CXX_COMPILER_ID_TEST_FLAGS_FIRST: "-c",
  };
  const set = Object.entries(variables).map(([name, value]) => `-D${name}=${value}`);
  const jobs = String(availableParallelism());
  return run("-S", ".", "-B", out, ...set) && run("--build", out, "--parallel", jobs, ...parts);
}

// The first is Windows, which differs most. All three get the same C++ library from Zig.
const oneOfEach = ["win32-x64", "darwin-arm64", "linux-x64-musl"];
const failed = (positionals.length > 0 ? positionals : oneOfEach).filter((platform, at) => {
  const begun = performance.now();
  const ok = compiles(platform, values.differences || (values.short && at > 0) ? differences : []);
  console.log(`${platform}: ${ok ? "compiled" : "FAILED"} (${Math.round((performance.now() - begun) / 1000)} s)`);
  return !ok;
});
process.exitCode = failed.length > 0 ? 1 : 0;
