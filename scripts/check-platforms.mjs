// Compiles the native code for the systems that this machine is not, with Zig, warnings as errors. Nothing is linked.
// Objects stay in build/platforms, so that a second check takes seconds. Arguments: platforms, by default all
// that scripts/zig.mjs knows. Skipped, with a message, where Zig cannot be installed, unless LLAMA_HOOKS_ZIG=required.
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { buildDir, cmakeVariables, ensureSource, projectDir } from "./llama-paths.mjs";
import { ensureZig, targets, zigVariables } from "./zig.mjs";

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
    env: { ...process.env, ZIG_GLOBAL_CACHE_DIR: join(buildDir, "zig", "cache") },
  });
  if (status !== 0) process.stderr.write(`${stdout}${stderr}`);
  return status === 0;
}

function compiles(platform) {
  const out = join(buildDir, "platforms", platform);
  const variables = {
    ...zigVariables(platform),
    ...cmakeVariables(),
    LH_LLAMA: "none",
    LH_WERROR: "ON",
    LH_NODE_PROGRAM: process.execPath,
    CMAKE_BUILD_TYPE: "Debug",
    // Zig's own default for such a build is a sanitizer, and it passes clang flags that clang does not use.
    CMAKE_CXX_FLAGS_DEBUG: "-O0 -fno-sanitize=all -Wno-unused-command-line-argument",
    // A program would have Zig build all of its C++ library, which takes minutes.
    CMAKE_TRY_COMPILE_TARGET_TYPE: "STATIC_LIBRARY",
  };
  const set = Object.entries(variables).map(([name, value]) => `-D${name}=${value}`);
  return (
    run("-S", ".", "-B", out, ...set) && run("--build", out, "--parallel", String(availableParallelism()), "--", "-k")
  );
}

const asked = process.argv.slice(2);
const failed = (asked.length > 0 ? asked : Object.keys(targets)).filter((platform) => {
  const begun = performance.now();
  const ok = compiles(platform);
  console.log(`${platform}: ${ok ? "compiled" : "FAILED"} (${Math.round((performance.now() - begun) / 1000)} s)`);
  return !ok;
});
process.exitCode = failed.length > 0 ? 1 : 0;
