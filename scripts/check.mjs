// `npm run check`: runs everything that CI runs, in order and to the end. Steps that leave a core idle run two at a
// time; what such a step prints is shown when it ends. The end of what each failed step has printed is repeated at the
// end, where a log that keeps only its end has it too; the last line counts the passed steps.
//   --without NAME, --only NAME   repeatable; all steps but these, or these alone
// Must not: stop at the first failure, or repair anything.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { parseArgs, stripVTControlCharacters } from "node:util";

const HEADERS = ["llama_hooks/hooks.h", "llama_hooks/engine.h", "entropic/types/hooks.h"];
const STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-Inative/include", "-fsyntax-only"];

/** The tests with real models that take no more than some minutes. */
const REAL = ["adapters", "agents", "clients", "embeddings", "guide", "jinja", "llama-cpp", "tokens"].map(
  (name) => `test/real/${name}.test.ts`,
);

/** The families of test/clients/matrix, in titles of tests, whose formats differ most. */
const CLIENT_FAMILIES = "Qwen3.5-4B|openai-gpt-oss|Mistral-Small-3.2";

/** The command, which fails beyond its bound of processor time. */
function costly(name, ...command) {
  return ["node", "scripts/check/processor-time.mjs", name, ...command];
}

/**
 * One program per step. `light`: it waits for a network or works on one core for the larger part of its time, and
 * judges no time; neighbours that are light run two at a time. `after`: an earlier one of them, whose files it reads or
 * replaces.
 */
const STEPS = [
  // Limited to fit into the time of a check: a release compiles all for each system.
  { name: "other systems", light: true, run: ["node", "scripts/check/platforms.mjs", "--short"] },
  { name: "types", light: true, run: ["npx", "tsc", "-p", "tsconfig.json"] },
  { name: "format", light: true, run: ["npx", "prettier", "--check", "."] },
  { name: "lint", light: true, run: ["npx", "oxlint", "--deny-warnings"] },
  ...["bench", "src/inspector"].map((folder) => ({
    name: `types of the page of ${folder}`,
    light: true,
    run: ["npx", "tsc", "-p", `${folder}/page/browser/tsconfig.json`],
  })),
  { name: "layers", light: true, run: ["node", "scripts/check/layers.mjs"] },
  { name: "generated", light: true, run: ["node", "scripts/generate-contract.mjs", "--check"] },
  { name: "api pages", light: true, run: ["npx", "--no-install", "typedoc", "--emit", "none"] },
  { name: "released numbers", light: true, run: ["node", "scripts/check/released.mjs"] },
  { name: "workflows", light: true, run: ["node", "scripts/check/workflows.mjs"] },
  ...HEADERS.flatMap((header) => [
    {
      name: `${header} as C99`,
      light: true,
      run: ["gcc", "-x", "c", "-std=c99", ...STRICT, "-"],
      input: `#include "${header}"\n`,
    },
    {
      name: `${header} as C++17`,
      light: true,
      run: ["g++", "-x", "c++", "-std=c++17", ...STRICT, "-"],
      input: `#include "${header}"\n`,
    },
  ]),
  { name: "native style", light: true, run: ["node", "scripts/check/native-style.mjs"] },
  // Limited in the same way; `npm run test:native` also runs with ThreadSanitizer, and so does
  // `npm run reliability`, without which nothing is published.
  { name: "native", run: ["node", "scripts/test/native.mjs", "address"] },
  // With what the step before has built, where clang is there.
  { name: "fuzz", run: ["node", "scripts/fuzz.mjs", "--seconds", "8", "--jobs", "2"] },
  { name: "node-gyp", run: ["node", "scripts/check/node-gyp.mjs"] },
  { name: "C example", run: ["node", "scripts/check/c-example.mjs"] },
  { name: "bench", light: true, run: ["node", "scripts/check/bench.mjs"] },
  // Fetched and built beside other steps; the steps "clients" and "real models" use it.
  { name: "libraries of clients", light: true, run: ["node", "scripts/test/clients/libraries.mjs"] },
  // Packs, for which it writes dist/ anew.
  { name: "install", light: true, after: "bench", run: ["node", "scripts/test/install.mjs", "--short"] },
  // A benchmark would measure the llama-server that it builds.
  { name: "references", light: true, after: "bench", run: ["node", "scripts/test/real.mjs", "--prepare"] },
  // With what "install" has packed.
  { name: "other runtimes", light: true, after: "install", run: ["node", "scripts/test/runtimes.mjs", "--packed"] },
  { name: "instructions", light: true, after: "install", run: ["node", "scripts/check/instructions.mjs"] },
  // Limited in the same way; `npm run test:remote` and `npm run test:isolated` run more.
  { name: "remote models", run: ["node", "scripts/test/models.mjs", "remote", "test/points", "test/parity"] },
  { name: "isolated models", run: ["node", "scripts/test/models.mjs", "process", "test/points", "test/parity"] },
  // Limited in the same way: a sample of the damaged models is among the tests; `npm run test:long` tries all.
  {
    name: "long tests",
    run: ["npm", "run", "test:long", "--", "--exclude", "test/bad-input/mutated-models.long.test.ts"],
  },
  // Limited in the same way; `npm run test:real` compares more.
  { name: "real models", light: true, run: ["node", "scripts/test/real.mjs", ...REAL] },
  // Limited in the same way; `npm run test:clients` takes all families, coding agents and Next.js.
  {
    name: "clients",
    light: true,
    run: ["node", "scripts/test/clients.mjs", "--libraries", "-t", CLIENT_FAMILIES],
  },
  {
    name: "build",
    run: costly("build", "sh", "-c", "rm -rf build/clean && node scripts/build/addon.mjs --out build/clean"),
  },
  { name: "test", run: costly("npm test", "npm", "test") },
];

/** Number of characters that are repeated of what a failed step has printed. */
const REPEATED = 6000;

/** Runs a step; `show(name, text)` is called with what it prints. The end of that if it failed. */
async function failure({ run, input }, show) {
  const stdio = [input === undefined ? "ignore" : "pipe", "pipe", "pipe"];
  // Windows has npx as a script of its shell.
  const child = spawn(run[0], run.slice(1), { stdio, shell: process.platform === "win32" });
  let end = "";
  for (const name of ["stdout", "stderr"]) {
    child[name].setEncoding("utf8").on("data", (text) => {
      show(name, text);
      end = (end + text).slice(-REPEATED);
    });
  }
  child.stdin?.end(input);
  const [status, signal] = await once(child, "close").catch((error) => [error.message]);
  if (status === 0) return undefined;
  return `${stripVTControlCharacters(end).trimEnd()}\n(${signal ?? `exit ${status}`})`;
}

let passed = 0;
const failed = new Map();

const write = (name, text) => process[name].write(text);

/** Runs a step and counts it. `isAlone`: shows at once what it prints, else when it ends. */
async function take(step, isAlone) {
  const kept = [];
  const show = isAlone ? write : (name, text) => kept.push([name, text]);
  const title = `\n== ${step.name}\n`;
  if (isAlone) write("stdout", title);
  const begun = performance.now();
  const end = await failure(step, show);
  if (!isAlone) write("stdout", title);
  for (const [name, text] of kept) write(name, text);
  console.log(`(${step.name}: ${Math.round((performance.now() - begun) / 1000)} s)`);
  if (end === undefined) passed += 1;
  else failed.set(step.name, end);
}

/** Groups the steps, in order: neighbouring light steps share a group, each other step is alone in its group. */
function groupsOf(steps) {
  const groups = [];
  for (const [at, step] of steps.entries()) {
    if (step.light && at > 0 && steps[at - 1].light) groups.at(-1).push(step);
    else groups.push([step]);
  }
  return groups;
}

/** Runs the steps of a group, two at a time where there are two cores. */
async function takeAll(group) {
  const width = Math.min(2, group.length, availableParallelism());
  const left = [...group];
  const ends = new Map();
  const lane = async () => {
    for (let step = left.shift(); step !== undefined; step = left.shift()) {
      const earlier = ends.get(step.after);
      const end = Promise.resolve(earlier).then(() => take(step, width === 1));
      ends.set(step.name, end);
      await end;
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
}

const list = { type: "string", multiple: true };
const { only, without = [] } = parseArgs({ options: { only: list, without: list } }).values;
const names = STEPS.map(({ name }) => name);
const unknown = [...(only ?? []), ...without].find((name) => !names.includes(name));
if (unknown !== undefined) throw new TypeError(`there is no step "${unknown}"; there are ${names.join(", ")}`);
const chosen = STEPS.filter(({ name }) => (only ?? names).includes(name) && !without.includes(name));
for (const group of groupsOf(chosen)) await takeAll(group);
for (const [name, end] of failed) console.log(`\n== the end of what ${name} printed, which failed\n${end}`);
if (failed.size > 0) console.log(`\nfailed: ${[...failed.keys()].join(", ")}`);
console.log(`\nchecks: ${passed} passed, ${failed.size} failed`);
process.exitCode = failed.size > 0 ? 1 : 0;
