// VitePress, which writes the site. With its dependencies it has 102 MB and is needed for nothing else, so it is
// installed where it is asked for, in build/vitepress.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildDir } from "../build/llama-paths.mjs";
import { npmCommand } from "../build/npm-command.mjs";

const version = "1.6.4";
const folder = join(buildDir, "vitepress");
const installed = join(folder, "node_modules", "vitepress");
/** The folder of the pages that it reads: beside its packages, which the pages import. */
export const pagesDir = join(folder, "pages");

/** Installs it if this version is not there. Throws if npm cannot. */
export function ensureVitePress() {
  const file = join(installed, "package.json");
  if (existsSync(file) && JSON.parse(readFileSync(file, "utf8")).version === version) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: { vitepress: version } }));
  const quietly = ["--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--loglevel=error"];
  const [program, ...first] = npmCommand;
  execFileSync(program, [...first, "install", ...quietly], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
}

/** Builds the site from the pages. Throws if it fails, as it does for a link to a page that is not there. */
export function runVitePress() {
  execFileSync(process.execPath, [join(installed, "bin", "vitepress.js"), "build", pagesDir], { stdio: "inherit" });
}
