// Instructions and allocations per call of the hot paths, and instructions of a turn of a long conversation, counted by
// callgrind, and their bounds in bench/instructions.json. Must not: measure time.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { builtFile, projectDir, runProgram } from "./programs.mjs";

export const boundsFile = join(projectDir, "bench", "instructions.json");

/** Descriptions, by the names of bench/native/hot_paths.cpp. */
export const hotPaths = {
  has: "empty point: has()",
  fire: "empty point: fire()",
  token: "token without a hook",
  c_hook: "token with a C hook",
  token_in_task: "token without a hook or a reader, split and staged",
  token_read: "token without a hook, its event built and read",
};

const turn = (template, name, messages) => [
  `turn_${name}_${messages}`,
  { what: `turn of ${messages} messages, template of ${template}`, template, messages },
];
/** Turns of bench/native/turns.c: one rendering, and a handler of llama.cpp. */
const turns = Object.fromEntries([
  turn("Qwen-Qwen2.5-7B-Instruct", "qwen", 400),
  turn("Qwen-Qwen2.5-7B-Instruct", "qwen", 800),
  turn("google-gemma-4-31B-it", "gemma", 400),
  turn("google-gemma-4-31B-it", "gemma", 800),
]);

/** Describes a count, by its name in bench/instructions.json. */
export function describeCount(name) {
  return hotPaths[name] ?? turns[name].what;
}

/** Why nothing can be counted here; undefined if it can. */
export function whyNotCounted() {
  if (process.arch !== "x64") return `the bounds are for x64, this is ${process.arch}`;
  const found = (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, "valgrind")));
  return found ? undefined : "valgrind was not found (apt-get install valgrind)";
}

export function readBounds() {
  return JSON.parse(readFileSync(boundsFile, "utf8"));
}

/**
 * Counts instructions per call, and allocations if the program prints them (otherwise NaN). The figures are the
 * difference of two runs, which excludes start, end and one-time work.
 */
async function count(program, args, [fewer, more]) {
  const runs = await Promise.all(
    [fewer, more].map(async (calls) => {
      const log = ["--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-fd=1"];
      const output = await runProgram("valgrind", [...log, program, ...args, String(calls)]);
      const instructions = /Collected : (\d+)/.exec(output)?.[1];
      if (instructions === undefined) throw new Error(`no figures in: ${output}`);
      return { instructions: Number(instructions), allocations: Number(/^(\d+)$/m.exec(output)?.[1]) };
    }),
  );
  const perCall = (key) => (runs[1][key] - runs[0][key]) / (more - fewer);
  return { perCall: Math.round(perCall("instructions")), allocations: perCall("allocations") };
}

/** All hot paths, by name. `folder` contains the program. */
export async function countHotPaths(folder, hint) {
  const program = builtFile("hot-paths", folder, hint);
  const counted = {};
  for (const name of Object.keys(hotPaths)) {
    const { perCall, allocations } = await count(program, [name], [1000, 3000]);
    if (Number.isNaN(allocations)) throw new Error(`${name} has printed no allocations`);
    // Growing data (the text of a generation) allocates now and then.
    counted[name] = { perCall, allocations: Number(allocations.toFixed(2)) };
  }
  return counted;
}

/** Counts all turns, by name. `engine`: the engine's shared library; `libraries`: the folder of llama.cpp's. */
export async function countTurns(engine, libraries) {
  const folder = dirname(engine);
  const program = join(folder, "turns");
  const source = join(projectDir, "bench", "native", "turns.c");
  const paths = [folder, libraries].map((path) => `-Wl,-rpath,${path}`);
  const flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", `-I${join(projectDir, "native", "include")}`];
  execFileSync("cc", [...flags, source, "-o", program, engine, ...paths]);
  const model = join(projectDir, "models", "tiny-agent.gguf");
  const counted = {};
  for (const [name, { template, messages }] of Object.entries(turns)) {
    const file = join(projectDir, "build", "llama.cpp", "models", "templates", `${template}.jinja`);
    const { perCall } = await count(program, [libraries, model, file, String(messages)], [2, 6]);
    counted[name] = { perCall };
  }
  return counted;
}
