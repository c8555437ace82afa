// Installs the libraries that test/clients/matrix drives, in build/clients, at the versions of scripts/clients: those in
// JavaScript from npm, those in Python from PyPI. Where a registry does not answer, or Python is missing, it says so and
// passes; the tests of that language are skipped then. Must not: install anything again that is there.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildDir, projectDir } from "./llama-paths.mjs";

const folder = join(buildDir, "clients");
const lists = join(projectDir, "scripts", "clients");
const textOf = (file) => {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
};

/** Runs commands in a new folder, and records what they have installed there; without the record, nothing is. */
function install(name, list, commands) {
  const to = join(folder, name);
  const wanted = join(lists, list);
  const record = join(to, "installed.txt");
  if (textOf(record) === textOf(wanted)) return;
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  for (const [command, ...args] of commands(to, wanted)) {
    const { status, error, stderr } = spawnSync(command, args, {
      cwd: to,
      stdio: ["ignore", 2, "pipe"],
      encoding: "utf8",
    });
    if (status === 0) continue;
    rmSync(to, { recursive: true, force: true });
    console.error(
      `clients: ${name} skipped, ${command} ${args[0]} failed: ${error?.message ?? stderr.trim().slice(-2000)}`,
    );
    return;
  }
  cpSync(wanted, record);
}

install("libraries", "package.json", (to, list) => {
  cpSync(list, join(to, "package.json"));
  return [["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]];
});
install("python", "python.txt", (to, list) => [
  ["python3", "-m", "venv", to],
  [join(to, "bin", "python"), "-m", "pip", "install", "--quiet", "--no-deps", "-r", list],
]);
