// Instructions and allocations per call of the hot paths, counted by callgrind, and their bounds in
// bench/instructions.json. Must not: measure time.
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
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

/** The difference of two runs excludes start, end and one-time work. */
const [fewer, more] = [1000, 3000];

/** Why nothing can be counted here; undefined if it can. */
export function whyNotCounted() {
  if (process.arch !== "x64") return `the bounds are for x64, this is ${process.arch}`;
  const found = (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, "valgrind")));
  return found ? undefined : "valgrind was not found (apt-get install valgrind)";
}

export function readBounds() {
  return JSON.parse(readFileSync(boundsFile, "utf8"));
}

/** Instructions and allocations per call of one case. */
async function count(program, name) {
  const runs = await Promise.all(
    [fewer, more].map(async (calls) => {
      const log = ["--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-fd=1"];
      const output = await runProgram("valgrind", [...log, program, name, String(calls)]);
      const instructions = /Collected : (\d+)/.exec(output)?.[1];
      const allocations = /^(\d+)$/m.exec(output)?.[1];
      if (instructions === undefined || allocations === undefined) throw new Error(`no figures in: ${output}`);
      return { instructions: Number(instructions), allocations: Number(allocations) };
    }),
  );
  const perCall = (key) => (runs[1][key] - runs[0][key]) / (more - fewer);
  return {
    perCall: Math.round(perCall("instructions")),
    // Growing data (the text of a generation) allocates now and then.
    allocations: Number(perCall("allocations").toFixed(2)),
  };
}

/** All hot paths, by name. `folder` contains the program. */
export async function countHotPaths(folder, hint) {
  const program = builtFile("hot-paths", folder, hint);
  const counted = {};
  for (const name of Object.keys(hotPaths)) counted[name] = await count(program, name);
  return counted;
}
