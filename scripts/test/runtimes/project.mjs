// Projects in which the packed packages are tried, and the processes that run there.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startRegistry } from "../install/registry.mjs";
import { barePath } from "../install/tools.mjs";
import { npmOutput } from "../../release/npm.mjs";
import { readTarballs } from "../../release/tarballs.mjs";
import { writePrograms } from "./checks.mjs";

/** The parts of an installed project. */
const modules = ["node_modules", "package.json", "package-lock.json"];

/** Installs the packages as npm does on a platform, `{ os, cpu, libc }`. */
export async function install(folder, packages, { os, cpu, libc }) {
  const tarballs = readTarballs(packages);
  const main = tarballs.find(({ manifest }) => manifest.name === "llama-hooks");
  const registry = await startRegistry(tarballs.filter((one) => one !== main).map(({ file }) => file));
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "first", version: "1.0.0", private: true }));
  writeFileSync(join(folder, ".npmrc"), `@llama-hooks:registry=${registry.address}\n`);
  const system = [`--os=${os}`, `--cpu=${cpu}`, ...(libc === undefined ? [] : [`--libc=${libc}`])];
  const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", "--loglevel=error"];
  try {
    await npmOutput(["install", ...system, ...quiet, main.file], { cwd: folder });
  } finally {
    registry.close();
  }
}

/** A new project of a runtime in `outer`, to which `installed` lends its parts until `giveBack()`. */
export function projectOf(runtime, installed, outer, limitMs) {
  const folder = join(outer, runtime.as, "p ünï"); // spaces and letters that are not ASCII, as people's folders have them
  mkdirSync(folder, { recursive: true });
  for (const part of modules) renameSync(join(installed, part), join(folder, part));
  writePrograms(folder);
  const program = runtime.program();
  const env = { ...runtime.env?.(), PATH: barePath(program, runtime.as, runtime.as), HOME: folder, NO_COLOR: "1" };
  const start = runtime.start ?? withPipes;
  const run = async (args, { input = "", ...expected } = {}) => {
    const end = await start(program, args, { cwd: folder, env, timeout: limitMs, killSignal: "SIGKILL" }, input);
    return outputOf([program, ...args], end, { ...expected, ...runtime.ends?.(expected) });
  };
  const giveBack = () => {
    for (const part of modules) renameSync(join(folder, part), join(installed, part));
  };
  return { runtime, folder, env, run, giveBack };
}

/** The output of a process. Throws if it ended otherwise than expected, or warned on stderr. */
function outputOf(command, end, { code = 0, signal = null, mayWarn = /^(?!.*\bwarning\b)/is }) {
  const asExpected = end.code === (signal === null ? code : null) && end.signal === signal;
  if (asExpected && mayWarn.test(end.stderr)) return end.stdout;
  throw new Error(`${command.join(" ")} ended with ${end.code},${end.signal}\n${end.stdout}${end.stderr}`);
}

/** Runs a process to its end: its exit code or signal, and what it has printed. */
export function withPipes(program, args, options, input) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: "pipe" });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"]) child[name].setEncoding("utf8").on("data", (text) => (said[name] += text));
    child.stdin.on("error", () => undefined); // it may end before it has read all
    child.stdin.end(input);
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, ...said }));
  });
}

/** The same with files for stdin, stdout and stderr. */
export async function withFiles(program, args, options, input) {
  const file = (name) => join(options.cwd, `.${name}`);
  writeFileSync(file("stdin"), input);
  const shell = 'exec "$@" <.stdin >.stdout 2>.stderr';
  const end = await withPipes("/bin/sh", ["-c", shell, "sh", program, ...args], options, "");
  const [stdout, stderr] = ["stdout", "stderr"].map((name) => readFileSync(file(name), "utf8"));
  for (const name of ["stdin", "stdout", "stderr"]) rmSync(file(name));
  return { ...end, stdout, stderr };
}
