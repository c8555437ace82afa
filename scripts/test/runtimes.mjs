// `npm run test:runtimes`: the packed packages in Bun and Deno: docs/getting-started.md, guides, the command,
// workers, and the end of processes. A project has no other runtime on its PATH. And the example of Electron, as far as
// it can be tried without Electron.
// Packs first, unless `--packed`. `--node`: in a Node, too, which judges the checks. `--only TEXT`: the runtimes or
// checks whose name has it. `--platform win32-x64`: the package for Windows, in Wine; `--platform linux-x64-musl`: the
// one for musl, in Bun. The last line counts.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildDir, projectDir, thisPlatform } from "../build/llama-paths.mjs";
import { checks } from "./runtimes/checks.mjs";
import { electronChecks } from "./runtimes/electron.mjs";
import { musl } from "./runtimes/musl.mjs";
import { install, projectOf } from "./runtimes/project.mjs";
import { runtimes } from "./runtimes/runtimes.mjs";
import { wine } from "./runtimes/wine.mjs";

/** Milliseconds after which a process of a check is killed. */
const LIMIT_MS = 60_000;

const { values } = parseArgs({
  options: {
    packed: { type: "boolean", default: false },
    node: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    platform: { type: "string", default: thisPlatform },
  },
});
const emulated = [wine, musl].filter(({ platform }) => platform !== thisPlatform);
const known = [thisPlatform, ...emulated.map(({ platform }) => platform)];
if (!known.includes(values.platform)) {
  console.error(`${values.platform} cannot be tried here; ${known.join(", ")} can`);
  process.exit(2);
}
const isOwn = values.platform === thisPlatform;
const tried = isOwn
  ? runtimes.filter(({ as }) => as !== "node" || values.node)
  : emulated.filter(({ platform }) => platform === values.platform);
if (!values.packed) {
  const pack = [join(projectDir, "scripts", "release", "pack.mjs"), "--platform", values.platform];
  execFileSync(process.execPath, pack, { stdio: "inherit" });
}

const outer = mkdtempSync(join(tmpdir(), "llama-hooks-runtimes-"));
const installed = join(outer, "installed");
const platforms = JSON.parse(readFileSync(join(projectDir, "native", "platforms.json"), "utf8"));
await install(installed, join(buildDir, "packages"), platforms[values.platform]);
let passed = 0;
let failed = 0;
for (const runtime of tried) {
  const asked = Object.entries({ ...checks, ...runtime.checks }).filter(([name]) =>
    `${runtime.name}: ${name}`.includes(values.only),
  );
  if (asked.length === 0) continue;
  const project = projectOf(runtime, installed, outer, LIMIT_MS);
  await passing(runtime.name, asked, project);
  project.giveBack();
}
if (isOwn) {
  const ofElectron = Object.entries(electronChecks(installed, outer));
  await passing(
    "Electron",
    ofElectron.filter(([name]) => `Electron: ${name}`.includes(values.only)),
  );
}
rmSync(outer, { recursive: true, force: true });
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** Runs and counts the checks, and says which fail and which are not tried. */
async function passing(about, asked, context) {
  const cannot = context?.runtime.cannot ?? {};
  const start = performance.now();
  let count = 0;
  for (const [name, check] of asked) {
    if (cannot[name] !== undefined) {
      console.log(`not tried  ${about}: ${name}: ${cannot[name]}`);
      continue;
    }
    count += 1;
    try {
      await check(context);
      passed += 1;
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${about}: ${name}: ${error.message}`);
    }
  }
  console.log(`${about}: ${count} checks in ${((performance.now() - start) / 1000).toFixed(1)} s`);
}
