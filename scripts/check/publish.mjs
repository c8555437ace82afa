// Runs before `npm publish`: refuses a package.json with missing fields, and a package-lock.json with packages whose
// content nothing identifies; in a clone also a commit that has not passed the whole of `npm run reliability`, unless
// `--early`: a release begins with that. Takes the folder of the package, by default this one. `npm run pack` marks the
// packages of such a package.json as private, so that npm refuses them, too.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { unfilled } from "../release/placeholders.mjs";

const { values, positionals } = parseArgs({
  options: { early: { type: "boolean", default: false } },
  allowPositionals: true,
});
const [folder = fileURLToPath(new URL("../..", import.meta.url))] = positionals;
const missing = unfilled(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
if (missing.length > 0) {
  console.error(`package.json: fill in ${missing.join(", ")} before you publish (docs/internals/releasing.md)`);
  process.exitCode = 1;
}

const lockFile = join(folder, "package-lock.json");
const { packages } = existsSync(lockFile) ? JSON.parse(readFileSync(lockFile, "utf8")) : { packages: {} };
const bare = Object.entries(packages).flatMap(([at, { integrity, link }]) =>
  at === "" || link || integrity ? [] : [at.replace(/^.*node_modules\//, "")],
);
if (bare.length > 0) {
  console.error(
    `package-lock.json: no integrity for ${bare.join(", ")}: run npm install with a registry that has them`,
  );
  process.exitCode = 1;
}

/** The parts that the last `npm run reliability` on the clone's commit lacks; undefined if it was whole and held. */
function unproved() {
  const file = join(folder, "build", "reliability", "result.json");
  if (!existsSync(file)) return "it has not been run";
  const { commit, whole, held } = JSON.parse(readFileSync(file, "utf8"));
  const head = execFileSync("git", ["rev-parse", "HEAD"], { cwd: folder, encoding: "utf8" }).trim();
  if (commit !== head) return `it was run on ${commit}, not on ${head}`;
  if (!whole) return "only a part of it was run";
  return held ? undefined : "it has found faults";
}

const lacking = !values.early && existsSync(join(folder, ".git")) ? unproved() : undefined;
if (lacking !== undefined) {
  console.error(`npm run reliability must have passed on this commit before you publish: ${lacking}`);
  process.exitCode = 1;
}
