// Checks that a tag names the version of package.json, and that CHANGELOG.md says what is new in it:
// `node scripts/release/check-tag.mjs TAG [FOLDER]`. FOLDER is a clone, by default this one.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectDir } from "../build/llama-paths.mjs";

const [tag, folder = projectDir] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const headings = readFileSync(join(folder, "CHANGELOG.md"), "utf8").match(/^## .*$/gm) ?? [];
const faults = [
  tag !== `v${version}` && `the tag is ${tag}, and package.json has ${version}: the tag must be v${version}`,
  !headings.some((line) => line.split(/\s+/)[1] === version) && `CHANGELOG.md has no heading "## ${version}"`,
  headings.includes("## Unreleased") && `CHANGELOG.md still has "## Unreleased": move its lines under "## ${version}"`,
].filter((fault) => fault !== false);
for (const fault of faults) console.error(fault);
if (faults.length === 0) console.log(`${tag} is version ${version}, and CHANGELOG.md has it`);
process.exitCode = faults.length === 0 ? 0 : 1;
