// Counts the instructions and allocations of the hot paths and fails above their bounds in bench/instructions.json:
// `node scripts/check-instructions.mjs [--update]`; --update writes the counts, and bounds slightly above.
// Must not: measure time, which depends on the machine's load; or pass silently where it cannot count: with
// LLAMA_HOOKS_VALGRIND=required that is a failure.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { boundsFile, countHotPaths, hotPaths, readBounds, whyNotCounted } from "../bench/micro/instructions.mjs";
import { buildDir } from "./llama-paths.mjs";
import { buildNative } from "./native-build.mjs";

const { values } = parseArgs({ options: { update: { type: "boolean", default: false } } });

/** Compilers and standard libraries differ by about this much; an allocation costs more. */
const boundFor = (perCall) => Math.ceil(perCall * 1.1 + 10);

function update(counted) {
  const bounds = Object.entries(counted).map(([name, { perCall, allocations }]) => [
    name,
    { perCall, bound: boundFor(perCall), allocations },
  ]);
  writeFileSync(boundsFile, `${JSON.stringify(Object.fromEntries(bounds), null, 2)}\n`);
}

/** Prints the table and returns the counts above their bounds. */
function compare(counted, bounds) {
  const failures = [];
  const rows = Object.entries(counted).map(([name, { perCall, allocations }]) => {
    const { perCall: before, bound, allocations: allowed } = bounds[name];
    if (perCall > bound) failures.push(`${hotPaths[name]}: ${perCall} instructions a call, at most ${bound}`);
    if (allocations > allowed)
      failures.push(`${hotPaths[name]}: ${allocations} allocations a call, at most ${allowed}`);
    const figures = { "instructions a call": perCall, recorded: before, bound, allocations, "at most": allowed };
    return [hotPaths[name], figures];
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
  const counted = await countHotPaths(join(out, "Release"));
  if (values.update) update(counted);
  const failures = compare(counted, readBounds());
  for (const failure of failures) console.error(`above its bound: ${failure}`);
  return failures.length > 0 ? 1 : 0;
}

process.exitCode = await main();
