// Counts the instructions and allocations of the hot paths, and the instructions of a turn of a long conversation, and
// fails above their bounds in bench/instructions.json:
// `node scripts/check/instructions.mjs [--update]`; --update writes the counts, and bounds slightly above.
// Must not: measure time, which depends on the machine's load; or pass silently where it cannot count: with
// LLAMA_HOOKS_VALGRIND=required that is a failure.
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  boundsFile,
  countHotPaths,
  countTurns,
  describeCount,
  readBounds,
  whyNotCounted,
} from "../../bench/micro/instructions.mjs";
import { buildDir, prebuiltLibraries } from "../build/llama-paths.mjs";
import { buildNative, llamaOrigin } from "../build/native.mjs";

const { values } = parseArgs({ options: { update: { type: "boolean", default: false } } });

/** Compilers and standard libraries differ by about this much; an allocation costs more. */
const boundFor = (perCall) => Math.ceil(perCall * 1.1 + 10);

/** Turns also differ by processor, and by whether the engine was compiled file by file. */
const boundForTurn = (perCall) => Math.ceil(perCall * 1.2);

function update(counted) {
  const bounds = Object.entries(counted).map(([name, { perCall, allocations }]) => [
    name,
    { perCall, bound: (allocations === undefined ? boundForTurn : boundFor)(perCall), allocations },
  ]);
  writeFileSync(boundsFile, `${JSON.stringify(Object.fromEntries(bounds), null, 2)}\n`);
}

/** Prints the table and returns the counts above their bounds. */
function compare(counted, bounds) {
  const failures = [];
  const rows = Object.entries(counted).map(([name, { perCall, allocations }]) => {
    const { perCall: before, bound, allocations: allowed } = bounds[name];
    const what = describeCount(name);
    if (perCall > bound) failures.push(`${what}: ${perCall} instructions a call, at most ${bound}`);
    const figures = { "instructions a call": perCall, recorded: before, bound };
    if (allocations === undefined) return [what, figures]; // a turn
    if (allocations > allowed) failures.push(`${what}: ${allocations} allocations a call, at most ${allowed}`);
    return [what, { ...figures, allocations, "at most": allowed }];
  });
  console.table(Object.fromEntries(rows));
  return failures;
}

async function main() {
  const problem = whyNotCounted();
  if (problem !== undefined) {
    const required = process.env.LLAMA_HOOKS_VALGRIND === "required";
    console.log(`instructions: ${required ? "cannot be counted" : "skipped"}: ${problem}`);
    return required ? 1 : 0;
  }
  const out = join(buildDir, "instructions");
  await buildNative({ out, variables: { LH_BUILD_BENCH: "ON" }, target: "hot_paths" });
  // The engine's library is linked from what the addon's build has compiled.
  if (!existsSync(join(buildDir, "CMakeCache.txt"))) throw new Error("the addon is not built: run npm run build");
  execFileSync("cmake", ["--build", buildDir, "--config", "Release", "--target", "llama_hooks_engine"]);
  const release = join(buildDir, "Release");
  const libraries = llamaOrigin() === "source" ? release : prebuiltLibraries().folder;
  const counted = {
    ...(await countHotPaths(join(out, "Release"))),
    ...(await countTurns(join(release, "libllama_hooks_engine.so"), libraries)),
  };
  if (values.update) update(counted);
  const failures = compare(counted, readBounds());
  for (const failure of failures) console.error(`above its bound: ${failure}`);
  return failures.length > 0 ? 1 : 0;
}

process.exitCode = await main();
