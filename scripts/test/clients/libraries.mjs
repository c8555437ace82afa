// Installs the libraries of test/clients/matrix, and those that need Node 22 (test/support/integrations/node-22.ts), in
// build/clients, at the versions of this folder: those in JavaScript from npm, those in Python from PyPI. Where a
// registry does not answer, or Python is missing, it says so and passes; the tests of that language are skipped then.
// Any other failure is one of this script. Must not: install anything again that is there.
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildDir, projectDir } from "../../build/llama-paths.mjs";
import { ensureEnvironment, failure, run, textOf, Unavailable } from "../python-environment.mjs";

const folder = join(buildDir, "clients");
const lists = join(projectDir, "scripts", "test", "clients");

/** Throws `Unavailable`, and any other failure. */
function ensureLibraries(to, list) {
  const record = join(to, "installed.txt");
  if (textOf(record) === textOf(list)) return;
  rmSync(to, { recursive: true, force: true });
  const end = failure("npm", ["view", "openai", "version", "--loglevel=error", "--fetch-retries=1"]);
  if (end !== undefined) throw new Unavailable(`npm's registry does not answer: ${end}`);
  mkdirSync(to, { recursive: true });
  cpSync(list, join(to, "package.json"));
  run("npm", ["install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"], { cwd: to });
  cpSync(list, record);
}

const parts = {
  libraries: (to) => ensureLibraries(to, join(lists, "package.json")),
  python: (to) => ensureEnvironment(to, join(lists, "python.txt"), ["--no-deps"]),
};
for (const [name, ensure] of Object.entries(parts))
  try {
    ensure(join(folder, name));
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    console.error(`clients: ${name} skipped, ${error.message}`);
  }
