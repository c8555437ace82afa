// Checks native/ with clang: formatted by .clang-format, and compiles without warnings, including lock annotations
// (-Wthread-safety). Compiles native/node only, because the native tests and the fuzz targets compile the rest with
// clang and the same warnings; with `--all` each file by itself, which finds missing includes and takes ten minutes.
// `--fix` formats. Skipped, with a message, without clang, unless LLAMA_HOOKS_CLANG=required.
import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { cmakeVariables, ensureSource, projectDir } from "../build/llama-paths.mjs";

// C files, whose pointer style differs.
const IN_C = /\/include\/|\.c$|^native\/test\/hooks\/c_hooks\.h$/;

function has(program) {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function tracked(...patterns) {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", ...patterns], { cwd: projectDir });
  return listed.toString().split("\n").filter(Boolean);
}

function run(program, args) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: projectDir, stdio: ["ignore", "inherit", "inherit"] });
    child.on("close", (code) => resolve(code === 0));
  });
}

/** Runs `check` on each item, a few at a time, and returns those for which it was false. */
async function failing(items, check) {
  const left = [...items];
  const failed = [];
  const work = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) if (!(await check(item))) failed.push(item);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return failed;
}

function includes({ LH_LLAMA_SOURCE_DIR: llama, LH_NODE_INCLUDE_DIRS: node }) {
  const own = ["native", "native/include", "native/test", "build/generated"].map((folder) => `-I${folder}`);
  const parts = ["include", "ggml/include", "common", "src", "vendor"].map((part) => `${llama}/${part}`);
  return [...own, ...[...parts, ...node.split(";")].flatMap((folder) => ["-isystem", folder])];
}

async function warnings() {
  ensureSource();
  const flags = [
    "-std=c++20",
    "-fsyntax-only",
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wshadow",
    "-Wthread-safety",
    "-Werror",
    "-DLH_BUILD",
    "-DNAPI_VERSION=8",
    "-DNODE_ADDON_API_CPP_EXCEPTIONS_ALL",
    '-DLH_LLAMA_RELEASE="none"',
    '-DLH_BUILD_ID="none"',
    ...["MODEL", "LIBRARIES", "TEMPLATES"].map((name) => `-DLH_FUZZ_${name}="none"`),
    ...includes(cmakeVariables()),
  ];
  const files = tracked(process.argv.includes("--all") ? "native/*.cpp" : "native/node/*.cpp");
  return failing(files, (file) => run("clang++", [...flags, file]));
}

function format(fix) {
  const generated = (file) => /Generated from native\/contract\//.test(readFileSync(`${projectDir}/${file}`, "utf8"));
  const files = tracked("native/*.cpp", "native/*.h", "bench/native/*.cpp", "bench/native/*.h").filter(
    (file) => !IN_C.test(file) && !generated(file),
  );
  return run("clang-format", [...(fix ? ["-i"] : ["--dry-run", "-Werror", "--ferror-limit=1"]), ...files]);
}

const missing = ["clang-format", "clang++"].filter((program) => !has(program));
if (missing.length > 0) {
  console.log(`skipped: ${missing.join(" and ")} not found (apt-get install clang clang-format)`);
  if (process.env.LLAMA_HOOKS_CLANG === "required") process.exitCode = 1;
} else if (process.argv.includes("--fix")) {
  await format(true);
} else {
  const formatted = await format(false);
  if (!formatted) console.error("native/ is not formatted; run: node scripts/check/native-style.mjs --fix");
  const warned = await warnings();
  for (const file of warned) console.error(`${file}: clang warns`);
  process.exitCode = formatted && warned.length === 0 ? 0 : 1;
}
