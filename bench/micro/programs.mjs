// Finds and runs the built benchmark programs.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

export const projectDir = fileURLToPath(new URL("../..", import.meta.url));
export const releaseDir = join(projectDir, "build", "Release");

/** The path of a built file. If it does not exist, throws an Error that says how to build it. */
export function builtFile(name, folder = releaseDir, hint = "node scripts/build/addon.mjs --bench") {
  const file = join(folder, name);
  if (!existsSync(file)) throw new Error(`${name} is not built: run ${hint}`);
  return file;
}

/** Runs a program to its end and returns its stdout. If it fails, rejects with the end of its output. */
export function runProgram(program, args, options = {}) {
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd: projectDir, maxBuffer: 1 << 26, ...options }, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const lines = stderr.trim().split("\n");
      const reason = lines.find((line) => /^\w*Error: /.test(line)) ?? lines.at(-1);
      reject(new Error(`${[basename(program), ...args].join(" ")}: ${reason || error.message}`, { cause: error }));
    });
  });
}
