// Runs tests with models that do not run in this process (test/support/engine.ts): `remote`, behind the interface of
// remote models; `process`, in the engine's separate process. With `remote`, exactly the tests in
// test/remote/exceptions.json must fail, each for the reason given there; one with `sometimes` may also pass, because
// its result depends on time. With `process`, no test may fail. A test with an unexpected result runs once more, alone,
// and both results are printed: when all run at once on a loaded machine, a test can miss a deadline, which says
// nothing about the models.
// Arguments: `remote` or `process`, then the folders of tests [all that are meant for it]. Must not: succeed if an
// unlisted test fails or a listed test passes.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { projectDir } from "../build/llama-paths.mjs";

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

/** The names of the tests in these folders or files by how they ended. */
function results(places, ...more) {
  const folder = mkdtempSync(path.join(tmpdir(), "llama-hooks-models-"));
  const file = path.join(folder, "results.json");
  const args = ["vitest", "run", ...places, "--reporter=json", `--outputFile=${file}`, ...more];
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

/** The tests that ended otherwise than they should. */
function unexpected(found) {
  return found.flatMap(({ name, status, why }) => {
    if (status === "failed" && !known.has(name)) return [{ name, why }];
    if (status !== "passed" || !known.has(name) || mayPass.has(name)) return [];
    return [{ name, why: `passes, and is listed as: ${known.get(name)}` }];
  });
}

function tell(strange, when) {
  for (const { name, why } of strange) console.error(`× ${name}${when}\n  ${why}`);
}

const found = results(folders);
const strange = unexpected(found);
const files = [...new Set(strange.map(({ name }) => path.join("test", name.split(": ")[0])))];
if (files.length > 0) tell(strange, " (the first time)");
const stayed =
  files.length === 0
    ? []
    : unexpected(results(files, "--maxWorkers=1")).filter(({ name }) => strange.some((one) => one.name === name));
tell(stayed, " (alone, too)");
const ran = new Set(found.map(({ name }) => name));
const gone = folders.length === all.length ? [...known.keys()].filter((name) => !ran.has(name)) : [];
for (const name of gone) console.error(`× ${name}\n  is listed, and there is no such test`);
const passed = found.filter(({ status }) => status === "passed").length;
const knownNot = found.filter(({ name, status }) => status === "failed" && known.has(name)).length;
console.log(
  `${where}: ${passed} passed, ${knownNot} known not to, ${stayed.length} wrong` +
    (strange.length > stayed.length ? `, ${strange.length - stayed.length} wrong beside others and right alone` : ""),
);
process.exitCode = stayed.length + gone.length > 0 || passed === 0 ? 1 : 0;
