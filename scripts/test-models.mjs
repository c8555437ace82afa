// Runs tests with models that compute elsewhere than in this process (test/support/engine.ts): `remote`, behind the
// interface of remote models; `process`, in a process of the engine's. Of remote models the tests that fail must be those
// of test/remote/exceptions.json, where each has its reason; with `sometimes` they may also pass, because that hangs on
// time. In a process none may fail.
// Arguments: where, then the folders of tests (all that are meant for it). Must not: pass with a test that fails and is
// not listed, or the reverse.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { projectDir } from "./llama-paths.mjs";

const foldersOf = {
  remote: ["points", "parity", "sessions"],
  // prettier-ignore
  process: ["points", "parity", "sessions", "generate", "hooks", "adapters", "embeddings", "models", "trace",
    "bad-input", "templates", "recordings", "ready-hooks"],
};

const [where, ...chosen] = process.argv.slice(2);
if (!Object.hasOwn(foldersOf, where)) throw new TypeError(`${where}: remote or process is needed`);
const all = foldersOf[where].map((name) => `test/${name}`);
const folders = chosen.length > 0 ? chosen : all;
const listed =
  where === "remote" ? JSON.parse(readFileSync(path.join(projectDir, "test/remote/exceptions.json"), "utf8")) : [];
const known = new Map(listed.flatMap(({ reason, tests }) => tests.map((name) => [name, reason])));
const mayPass = new Set(listed.flatMap(({ sometimes, tests }) => (sometimes === true ? tests : [])));

/** The names of the tests by how they ended. */
function results() {
  const folder = mkdtempSync(path.join(tmpdir(), "llama-hooks-models-"));
  const file = path.join(folder, "results.json");
  const args = ["vitest", "run", ...folders, "--reporter=json", `--outputFile=${file}`];
  const env = { ...process.env, LLAMA_HOOKS_TEST_MODELS: where };
  spawnSync("npx", args, { cwd: projectDir, env, stdio: ["ignore", "ignore", "inherit"] });
  try {
    return JSON.parse(readFileSync(file, "utf8")).testResults.flatMap(({ name, assertionResults, message }) => {
      const file = path.relative(path.join(projectDir, "test"), name);
      if (assertionResults.length === 0) return [{ name: file, status: "failed", why: message }];
      return assertionResults.map(({ fullName, status, failureMessages = [] }) => ({
        name: `${file}: ${fullName}`,
        status,
        why: failureMessages[0]?.split("\n")[0],
      }));
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const found = results();
const failed = found.filter(({ status }) => status === "failed");
const strange = failed.filter(({ name }) => !known.has(name));
const mended = found.filter(({ name, status }) => status === "passed" && known.has(name) && !mayPass.has(name));
const ran = new Set(found.map(({ name }) => name));
const gone = folders.length === all.length ? [...known.keys()].filter((name) => !ran.has(name)) : [];
for (const { name, why } of strange) console.error(`× ${name}\n  ${why}`);
for (const { name } of mended) console.error(`× ${name}\n  passes, and is listed as: ${known.get(name)}`);
for (const name of gone) console.error(`× ${name}\n  is listed, and there is no such test`);
const passed = found.filter(({ status }) => status === "passed").length;
console.log(`${where}: ${passed} passed, ${failed.length - strange.length} known not to, ${strange.length} failed`);
process.exitCode = strange.length + mended.length + gone.length > 0 || passed === 0 ? 1 : 0;
