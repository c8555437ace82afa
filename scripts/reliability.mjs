// The long tests of reliability: `npm run reliability -- [--minutes N] [--part NAME]... [--jobs N] [--out FOLDER]`.
// Runs fuzzing, failing allocations, codes of llama_decode, kills and full disks while files are written, a clock that
// jumps, engines and workers that come and go, random sessions, and the native tests with ThreadSanitizer. Writes
// result.json and index.html, with curves of memory, handles and threads, to FOLDER (build/reliability). Exit code 1: a
// fault.
// The whole, with 60 minutes (the default), fits into an hour on two cores. Linux only.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildDir, projectDir } from "./build/llama-paths.mjs";
import { reliabilityPage } from "./reliability/page.mjs";
import { partsFor } from "./reliability/parts.mjs";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    part: { type: "string", multiple: true },
    jobs: { type: "string", default: "2" },
    out: { type: "string", default: join(buildDir, "reliability") },
  },
});

function count(name) {
  const number = Number(values[name]);
  if (!(number > 0)) throw new TypeError(`--${name} must be a positive number, got "${values[name]}"`);
  return number;
}

/** The commit, with a mark if the working tree differs from it. */
function commit() {
  const git = (...args) => execFileSync("git", args, { cwd: projectDir, encoding: "utf8" }).trim();
  try {
    return git("rev-parse", "HEAD") + (git("status", "--porcelain") === "" ? "" : " with changes");
  } catch {
    return "unknown";
  }
}

const all = partsFor(count("minutes"), count("jobs"));
const chosen = values.part ?? Object.keys(all);
for (const name of chosen) {
  if (!(name in all)) throw new TypeError(`--part ${name}: one of ${Object.keys(all).join(", ")} is needed`);
}
const result = { commit: commit(), date: new Date().toISOString(), node: process.version, whole: false, parts: [] };
for (const name of chosen) {
  console.log(`\n== ${name}`);
  const begin = performance.now();
  const part = await all[name]().catch((error) => ({ counts: {}, faults: [error.stack ?? String(error)] }));
  const { counts, faults, samples = [] } = part;
  result.parts.push({ name, seconds: (performance.now() - begin) / 1000, counts, faults, samples });
  console.log(JSON.stringify(counts));
  for (const fault of faults) console.log(`FAULT: ${fault}`);
}
const faults = result.parts.reduce((sum, part) => sum + part.faults.length, 0);
result.whole = values.part === undefined && count("minutes") >= 60;
result.held = faults === 0;
const out = resolve(values.out);
mkdirSync(out, { recursive: true });
writeFileSync(join(out, "result.json"), `${JSON.stringify(result, undefined, 1)}\n`);
writeFileSync(join(out, "index.html"), reliabilityPage(result));
console.log(`\nreliability: ${result.parts.length} parts, ${faults} faults; ${join(out, "index.html")}`);
process.exitCode = faults === 0 ? 0 : 1;
