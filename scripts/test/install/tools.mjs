// Node versions, package managers and package checkers, fetched as npm packages into build/install-tools; and a PATH
// without a compiler, CMake or git.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { buildDir } from "../../build/llama-paths.mjs";
import { npmCommand } from "../../build/npm-command.mjs";

const folder = join(buildDir, "install-tools");
const [npmProgram, ...npmFile] = npmCommand;

/** The programs that scripts of package managers, and the .bin of a package, need. */
const programs = ["sh", "env", "uname", "sed", "dirname", "basename", "readlink", "ldd", "getconf"];

/** The folder of a package of this version, which may be for another system; its scripts do not run. */
export function fetchPackage(name, version) {
  const to = join(folder, `${name.replace("/", "-")}-${version}`);
  if (!existsSync(join(to, "node_modules", name))) {
    const where = [
      "--prefix",
      to,
      "--no-save",
      "--no-audit",
      "--no-fund",
      "--ignore-scripts",
      "--loglevel=error",
      "--force",
    ];
    execFileSync(npmProgram, [...npmFile, "install", ...where, `${name}@${version}`], {
      stdio: ["ignore", "ignore", "inherit"],
    });
  }
  return join(to, "node_modules", name);
}

/** Path of a Node of this version. */
export function nodeOf(version) {
  const os = process.platform === "darwin" ? "darwin" : "linux";
  return join(fetchPackage(`node-${os}-${process.arch}`, version), "bin", "node");
}

const managers = {
  npm: { package: "npm", file: "bin/npm-cli.js" },
  pnpm: { package: "pnpm", file: "bin/pnpm.mjs" },
  yarn: { package: "@yarnpkg/cli-dist", file: "bin/yarn.js" },
};

/** The script of a package manager, to be run with any Node. */
export function managerOf(name, version) {
  const known = managers[name];
  return join(fetchPackage(known.package, version), known.file);
}

const checkers = {
  attw: { package: "@arethetypeswrong/cli", version: "0.18.5", file: "dist/index.js" },
  publint: { package: "publint", version: "0.3.25", file: "src/cli.js" },
};

/** The script of a package checker. */
export function checkerOf(name) {
  const { package: of, version, file } = checkers[name];
  return join(fetchPackage(of, version), file);
}

/** A folder for PATH with only a runtime (`as`: the name of its program) and the shell's own programs. */
export function barePath(runtime, name, as = "node") {
  const bin = join(folder, `path-${name}`);
  rmSync(bin, { recursive: true, force: true });
  mkdirSync(bin, { recursive: true });
  symlinkSync(runtime, join(bin, as));
  for (const program of programs) {
    const file = ["/bin", "/usr/bin"].map((one) => join(one, program)).find(existsSync);
    if (file !== undefined) symlinkSync(file, join(bin, program));
  }
  return bin;
}
