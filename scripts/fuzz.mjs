// Fuzzing: `npm run fuzz -- [--target NAME]... [--seconds N] [--runs N] [--jobs N] [--keep FOLDER] [--fresh] [--json
// FILE]`. Builds native/fuzz with clang and the sanitizers, runs each target for N seconds (default 120) or N inputs,
// and prints a table. Inputs that a target has found worth keeping, and those that break it, stay in FOLDER, outside
// the repository. Exit code 1: an input broke a target. Skipped, with a message, without clang, unless
// LLAMA_HOOKS_CLANG=required.
import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildFuzz, missingTools } from "./fuzz/build.mjs";
import { nativeTargets, runNative } from "./fuzz/native.mjs";
import { runRecordings } from "./fuzz/recordings.mjs";

const { values } = parseArgs({
  options: {
    target: { type: "string", multiple: true },
    seconds: { type: "string" },
    runs: { type: "string" },
    jobs: { type: "string", default: "1" },
    keep: { type: "string" },
    fresh: { type: "boolean", default: false },
    json: { type: "string" },
  },
});

function count(name, otherwise) {
  const text = values[name];
  if (text === undefined) return otherwise;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new TypeError(`--${name} must be a whole number, got "${text}"`);
  return number;
}

/** Runs the targets, `jobs` at a time. */
async function runAll(names, limits, jobs) {
  const left = [...names];
  const results = [];
  const work = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const result = await (name === "recordings" ? runRecordings(limits) : runNative(name, limits));
      console.log(`${name}: ${result.inputs} inputs, ${result.crashes.length} crashes`);
      results.push(result);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return results.sort((a, b) => (a.target < b.target ? -1 : 1));
}

function show(results) {
  console.table(
    results.map(({ target, inputs, seconds, crashes, peakMb }) => ({
      target,
      inputs,
      seconds: Math.round(seconds),
      crashes: crashes.length,
      "peak MB": peakMb,
    })),
  );
  const inputs = results.reduce((sum, result) => sum + result.inputs, 0);
  console.log(`${inputs} inputs over ${results.length} targets`);
  for (const { target, crashes } of results) {
    for (const { file, reason, reproduce } of crashes) console.log(`\n${target}: ${reason}\n  ${file}\n  ${reproduce}`);
  }
}

const missing = missingTools();
if (missing !== undefined) {
  console.log(`skipped: ${missing} (apt-get install clang)`);
  process.exit(process.env.LLAMA_HOOKS_CLANG === "required" ? 1 : 0);
}
const runs = count("runs");
const limits = {
  runs,
  seconds: count("seconds", runs === undefined ? 120 : undefined),
  keep: resolve(values.keep ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "llama-hooks", "fuzz")),
  fresh: values.fresh,
};
mkdirSync(limits.keep, { recursive: true });
await buildFuzz();
const known = [...nativeTargets(), "recordings"];
const chosen = values.target ?? known;
for (const name of chosen) {
  if (!known.includes(name)) throw new TypeError(`--target ${name}: one of ${known.join(", ")} is needed`);
}
const results = await runAll(chosen, limits, count("jobs"));
show(results);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, undefined, 1)}\n`);
process.exitCode = results.every(({ crashes }) => crashes.length === 0) ? 0 : 1;
