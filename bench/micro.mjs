// Micro-benchmarks of the hooks, in less than a minute: the dispatcher in C++, the round trip to a TypeScript hook, and
// the instructions of hot paths. Run directly it prints tables and the targets P5 to P8: `node bench/micro.mjs
// [--json]`, after `node scripts/build/addon.mjs --bench`.
// Must not: skip silently what could not be measured.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runDispatch } from "./micro/dispatch.mjs";
import { countHotPaths, hotPaths, readBounds, whyNotCounted } from "./micro/instructions.mjs";
import { projectDir, releaseDir, runProgram } from "./micro/programs.mjs";
import { microRows } from "./micro/rows.mjs";

export { microRows };

async function runRoundTrips(folder) {
  const script = join(projectDir, "bench", "micro", "round-trip.mjs");
  return JSON.parse(await runProgram(process.execPath, [script, "--release", folder]));
}

async function countInstructions(folder) {
  const problem = whyNotCounted();
  if (problem !== undefined) throw new Error(`instructions: ${problem}`);
  const bounds = readBounds();
  return Object.entries(await countHotPaths(folder)).map(([name, counted]) => ({
    name: hotPaths[name],
    bound: bounds[name].bound,
    ...counted,
  }));
}

/**
 * Runs everything in turn. `release`: the folder of the built programs. `problems` lists what could not be measured,
 * and why; its results are missing.
 */
export async function runMicro({ release = releaseDir } = {}) {
  const problems = [];
  const attempt = async (run) => {
    try {
      return await run(release);
    } catch (error) {
      problems.push(error.message);
      return [];
    }
  };
  const micro = [...(await attempt(runDispatch)), ...(await attempt(runRoundTrips))];
  return { micro, instructions: await attempt(countInstructions), problems };
}

async function main() {
  const { values } = parseArgs({
    options: { json: { type: "boolean", default: false }, release: { type: "string" } },
  });
  const result = await runMicro(values);
  const rows = microRows(result);
  if (values.json) {
    console.log(JSON.stringify({ ...result, rows }));
  } else {
    const { microText } = await import("../dist/bench/text/micro-table.js");
    const { rowsText } = await import("../dist/bench/text/target-table.js");
    const { paintFor } = await import("../dist/base/paint.js");
    const paint = paintFor(process.stdout);
    console.log(`${microText(result.micro, paint)}\n`);
    console.table(result.instructions);
    console.log(rowsText(rows, paint));
  }
  for (const problem of result.problems) console.error(`not measured: ${problem}`);
  if (result.problems.length > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
