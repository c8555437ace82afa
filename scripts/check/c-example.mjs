// Builds and runs examples/c with the commands of docs/getting-started.md, and runs it again under valgrind: no errors
// and no leaks of our code.
// Must not: pass silently without valgrind: with LLAMA_HOOKS_VALGRIND=required that is a failure.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { buildDir, prebuiltLibraries, projectDir } from "../build/llama-paths.mjs";
import { llamaOrigin } from "../build/native.mjs";

const example = join(buildDir, "c-example");

function run(program, args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: projectDir, encoding: "utf8" });
  if (error !== undefined) throw error;
  return { status, output: `${stdout}${stderr}` };
}

function build(...args) {
  const { status, output } = run("cmake", args);
  if (status !== 0) throw new Error(`cmake ${args.join(" ")} failed\n${output}`);
}

/** Runs the example, and returns what is wrong with the result. */
function faultOf(what, expected, program, args) {
  const { status, output } = run(program, args);
  const missing = expected.filter((part) => !part.test(output));
  if (status === 0 && missing.length === 0) return undefined;
  return `${what} ended with ${status}${missing.map((part) => `, without ${part}`).join("")}\n${output}`;
}

build("--build", buildDir, "--config", "Release", "--target", "llama_hooks_engine");
build("-S", join("examples", "c"), "-B", example, "-DCMAKE_BUILD_TYPE=Release");
build("--build", example);
const libraries = llamaOrigin() === "source" ? join(buildDir, "Release") : prebuiltLibraries().folder;
/** Each program, its arguments, and what it says. */
const programs = [
  [
    "first_generation",
    [join("models", "tiny-agent.gguf")],
    [/"reason":"no passwords here"/, /counter saw [1-9]\d* tokens/],
  ],
  ["own_model", [], [/"address":"this file"/, /"text":"This was said ELSEWHERE!"/, /"completion_tokens":4/]],
];
const hasValgrind = (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, "valgrind")));
const faults = programs.flatMap(([name, rest, expected]) => {
  const program = [join(example, name), libraries, ...rest];
  const checks = ["--leak-check=full", "--errors-for-leak-kinds=definite,indirect", "--error-exitcode=9", "-q"];
  return [
    faultOf(name, expected, program[0], program.slice(1)),
    hasValgrind ? faultOf(`${name} under valgrind`, expected, "valgrind", [...checks, ...program]) : undefined,
  ];
});
if (!hasValgrind && process.env.LLAMA_HOOKS_VALGRIND === "required") {
  faults.push("valgrind was not found (apt-get install valgrind)");
} else if (!hasValgrind) {
  console.log("examples/c: not run under valgrind, which was not found (apt-get install valgrind)");
}

const found = faults.filter((fault) => fault !== undefined);
for (const fault of found) console.error(fault);
if (found.length === 0) console.log("examples/c: built and run");
process.exitCode = found.length > 0 ? 1 : 0;
