// `npm run test:runtimes`: the packed packages in Bun and Deno: the README's first ten minutes, guides, the command,
// workers, and the end of processes. A project has no other runtime on its PATH. And the example of Electron, as far as
// it can be tried without Electron.
// Packs first, unless `--packed`. `--node`: in a Node, too, which judges the checks. `--only TEXT`: the runtimes or
// checks whose name has it. The last line counts.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { barePath } from "./install-test/tools.mjs";
import { buildDir, projectDir } from "./llama-paths.mjs";
import { checks, writePrograms } from "./runtimes-test/checks.mjs";
import { electronChecks } from "./runtimes-test/electron.mjs";
import { runtimes } from "./runtimes-test/runtimes.mjs";

/** Milliseconds after which a process of a check is killed. */
const LIMIT_MS = 30_000;

/** The parts of an installed project. */
const modules = ["node_modules", "package.json", "package-lock.json"];

const { values } = parseArgs({
  options: {
    packed: { type: "boolean", default: false },
    node: { type: "boolean", default: false },
    only: { type: "string", default: "" },
  },
});
if (!values.packed) execFileSync(process.execPath, [join(projectDir, "scripts", "pack.mjs")], { stdio: "inherit" });
const packages = join(buildDir, "packages");
const tarballs = readdirSync(packages).filter((name) => name.endsWith(".tgz"));

const outer = mkdtempSync(join(tmpdir(), "llama-hooks-runtimes-"));
const installed = install();
let passed = 0;
let failed = 0;
for (const runtime of runtimes) {
  if (runtime.as === "node" && !values.node) continue;
  const asked = Object.entries(checks).filter(([name]) => `${runtime.name}: ${name}`.includes(values.only));
  if (asked.length === 0) continue;
  const context = prepared(runtime);
  await passing(runtime.name, asked, context);
  for (const part of modules) renameSync(join(context.folder, part), join(installed, part));
}
const ofElectron = Object.entries(electronChecks(installed, outer));
await passing(
  "Electron",
  ofElectron.filter(([name]) => `Electron: ${name}`.includes(values.only)),
);
rmSync(outer, { recursive: true, force: true });
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** Runs and counts the checks, and says which fail. */
async function passing(about, asked, context) {
  const start = performance.now();
  for (const [name, check] of asked) {
    try {
      await check(context);
      passed += 1;
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${about}: ${name}: ${error.message}`);
    }
  }
  console.log(`${about}: ${asked.length} checks in ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

/** Installs the packages into a project that lends them to those of the runtimes, one after the other. */
function install() {
  const folder = join(outer, "installed");
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "first", version: "1.0.0", private: true }));
  const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", "--loglevel=error"];
  const files = tarballs.map((name) => join(packages, name));
  execFileSync("npm", ["install", ...quiet, ...files], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  return folder;
}

/** A new project of a runtime. */
function prepared(runtime) {
  const folder = join(outer, runtime.as, "p ünï"); // spaces and letters that are not ASCII, as people's folders have them
  mkdirSync(folder, { recursive: true });
  for (const part of modules) renameSync(join(installed, part), join(folder, part));
  writePrograms(folder);
  const program = runtime.program();
  const env = { PATH: barePath(program, runtime.as, runtime.as), HOME: folder, NO_COLOR: "1" };
  return { runtime, folder, run: (args, options) => ended(program, args, { cwd: folder, env }, options) };
}

/** Runs a process; returns its output. Throws if it ends otherwise than expected, or warns on stderr. */
function ended(program, args, options, { input = "", code = 0, signal = null, mayWarn = /^(?!.*\bwarning\b)/is } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: "pipe", timeout: LIMIT_MS, killSignal: "SIGKILL" });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"]) child[name].setEncoding("utf8").on("data", (text) => (said[name] += text));
    child.stdin.on("error", () => undefined); // it may end before it has read all
    child.stdin.end(input);
    child.on("error", reject);
    child.on("close", (...end) => {
      if (end[0] === (signal === null ? code : null) && end[1] === signal && mayWarn.test(said.stderr))
        resolve(said.stdout);
      else reject(new Error(`${[program, ...args].join(" ")} ended with ${end}\n${said.stdout}${said.stderr}`));
    });
  });
}
