// `npm run check`: runs everything that CI runs, in order and to the end. The end of what each failed step has printed
// is repeated at the end, where a log that keeps only its end has it too; the last line counts the passed steps.
//   --without NAME, --only NAME   repeatable; all steps but these, or these alone
// Must not: stop at the first failure, or repair anything.
import { spawn } from "node:child_process";
import { once } from "node:events";
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
  return ["node", "scripts/processor-time.mjs", name, ...command];
}

/** One program per step. Headers are compiled alone in each language. */
const STEPS = [
  { name: "format", run: ["npx", "prettier", "--check", "."] },
  { name: "lint", run: ["npx", "oxlint", "--deny-warnings"] },
  { name: "types", run: ["npx", "tsc", "-p", "tsconfig.json"] },
  ...["bench", "inspector"].map((name) => ({
    name: `types of the page of ${name}`,
    run: ["npx", "tsc", "-p", `src/${name}/page/browser/tsconfig.json`],
  })),
  { name: "layers", run: ["node", "scripts/check-layers.mjs"] },
  { name: "generated", run: ["node", "scripts/generate-contract.mjs", "--check"] },
  { name: "api pages", run: ["npx", "--no-install", "typedoc", "--emit", "none"] },
  { name: "released numbers", run: ["node", "scripts/check-released.mjs"] },
  { name: "workflows", run: ["node", "scripts/check-workflows.mjs"] },
  ...HEADERS.flatMap((header) => [
    { name: `${header} as C99`, run: ["gcc", "-x", "c", "-std=c99", ...STRICT, "-"], input: `#include "${header}"\n` },
    {
      name: `${header} as C++17`,
      run: ["g++", "-x", "c++", "-std=c++17", ...STRICT, "-"],
      input: `#include "${header}"\n`,
    },
  ]),
  // Limited to fit into the time of a check: a release compiles all for each system.
  { name: "other systems", run: ["node", "scripts/check-platforms.mjs", "--short"] },
  { name: "native style", run: ["node", "scripts/check-native-style.mjs"] },
  // Limited in the same way; `npm run test:native` also runs with ThreadSanitizer, and so does
  // `npm run reliability`, without which nothing is published.
  { name: "native", run: ["node", "scripts/test-native.mjs", "address"] },
  // With what the step before has built, where clang is there.
  { name: "fuzz", run: ["node", "scripts/fuzz.mjs", "--seconds", "8", "--jobs", "2"] },
  { name: "node-gyp", run: ["node", "scripts/check-node-gyp.mjs"] },
  { name: "C example", run: ["node", "scripts/check-c-example.mjs"] },
  { name: "install", run: ["node", "scripts/test-install.mjs", "--short"] },
  // With what the step before has packed.
  { name: "other runtimes", run: ["node", "scripts/test-runtimes.mjs", "--packed"] },
  { name: "bench", run: ["node", "scripts/check-bench.mjs"] },
  { name: "instructions", run: ["node", "scripts/check-instructions.mjs"] },
  // Limited in the same way; `npm run test:remote` and `npm run test:isolated` run more.
  { name: "remote models", run: ["node", "scripts/test-models.mjs", "remote", "test/points", "test/parity"] },
  { name: "isolated models", run: ["node", "scripts/test-models.mjs", "process", "test/points", "test/parity"] },
  // Limited in the same way: a sample of the damaged models is among the tests; `npm run test:long` tries all.
  {
    name: "long tests",
    run: ["npm", "run", "test:long", "--", "--exclude", "test/bad-input/mutated-models.long.test.ts"],
  },
  // Limited in the same way; `npm run test:real` compares more.
  { name: "real models", run: ["node", "scripts/test-real.mjs", ...REAL] },
  // Limited in the same way; `npm run test:clients` takes all families, coding agents and Next.js.
  { name: "clients", run: ["node", "scripts/test-clients.mjs", "--libraries", "-t", CLIENT_FAMILIES] },
  { name: "build", run: costly("build", "sh", "-c", "rm -rf build/clean && node scripts/build.mjs --out build/clean") },
  { name: "test", run: costly("npm test", "npm", "test") },
];

/** Number of characters that are repeated of what a failed step has printed. */
const REPEATED = 6000;

/** Runs a step, shows what it prints, and returns its end if it failed. */
async function failure({ run, input }) {
  const stdio = [input === undefined ? "ignore" : "pipe", "pipe", "pipe"];
  // Windows has npx as a script of its shell.
  const child = spawn(run[0], run.slice(1), { stdio, shell: process.platform === "win32" });
  let end = "";
  for (const name of ["stdout", "stderr"]) {
    child[name].setEncoding("utf8").on("data", (text) => {
      process[name].write(text);
      end = (end + text).slice(-REPEATED);
    });
  }
  child.stdin?.end(input);
  const [status, signal] = await once(child, "close").catch((error) => [error.message]);
  if (status === 0) return undefined;
  return `${stripVTControlCharacters(end).trimEnd()}\n(${signal ?? `exit ${status}`})`;
}

const list = { type: "string", multiple: true };
const { only, without = [] } = parseArgs({ options: { only: list, without: list } }).values;
const names = STEPS.map(({ name }) => name);
const unknown = [...(only ?? []), ...without].find((name) => !names.includes(name));
if (unknown !== undefined) throw new TypeError(`there is no step "${unknown}"; there are ${names.join(", ")}`);
let passed = 0;
const failed = new Map();
for (const step of STEPS.filter(({ name }) => (only ?? names).includes(name) && !without.includes(name))) {
  console.log(`\n== ${step.name}`);
  const begun = performance.now();
  const end = await failure(step);
  console.log(`(${step.name}: ${Math.round((performance.now() - begun) / 1000)} s)`);
  if (end === undefined) passed += 1;
  else failed.set(step.name, end);
}
for (const [name, end] of failed) console.log(`\n== the end of what ${name} printed, which failed\n${end}`);
if (failed.size > 0) console.log(`\nfailed: ${[...failed.keys()].join(", ")}`);
console.log(`\nchecks: ${passed} passed, ${failed.size} failed`);
process.exitCode = failed.size > 0 ? 1 : 0;
