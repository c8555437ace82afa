// A Python environment with the packages of a list, from PyPI. Must not: install anything again that is there.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The reason why something cannot be had on this machine: no Python with pip and venv, or no registry that answers. */
export class Unavailable extends Error {}

/** Runs a program; its end if it failed. */
export function failure(command, args, options = {}) {
  const all = { stdio: ["ignore", 2, "pipe"], encoding: "utf8", ...options };
  const { status, error, stderr } = spawnSync(command, args, all);
  return status === 0 ? undefined : (error?.message ?? stderr.trim().slice(-2000));
}

/** Runs a program. Throws its end if it failed. */
export function run(command, args, options) {
  const end = failure(command, args, options);
  if (end !== undefined) throw new Error(`${command} ${args.slice(0, 3).join(" ")} failed: ${end}`);
}

/** The text of a file; empty: there is none. */
export function textOf(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

export const pythonIn = (environment) => join(environment, "bin", "python");

/** The arguments of Python that download packages, which follow, into a folder. */
export const download = (into) => ["-m", "pip", "download", "--quiet", "--no-deps", "-d", into];

/** Throws `Unavailable` unless PyPI answers. */
export function askPyPI(environment) {
  const work = mkdtempSync(join(tmpdir(), "llama-hooks-asked-"));
  const end = failure(pythonIn(environment), [...download(work), "--retries", "1", "markupsafe"]);
  rmSync(work, { recursive: true, force: true });
  if (end !== undefined) throw new Unavailable(`PyPI does not answer: ${end}`);
}

/**
 * Makes the environment, anew when the list has changed. `flags`: of pip. Throws `Unavailable`, and any other failure.
 */
export function ensureEnvironment(environment, list, flags = []) {
  const record = join(environment, "installed.txt");
  if (textOf(record) === textOf(list)) return;
  rmSync(environment, { recursive: true, force: true });
  try {
    const end = failure("python3", ["-m", "venv", environment]);
    if (end !== undefined) throw new Unavailable(`python3 -m venv failed: ${end}`);
    askPyPI(environment);
    run(pythonIn(environment), ["-m", "pip", "install", "--quiet", ...flags, "-r", list]);
    cpSync(list, record);
  } catch (error) {
    rmSync(environment, { recursive: true, force: true }); // half an environment would count as one
    throw error;
  }
}
