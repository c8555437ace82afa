// npm, called the same way on each system, and without blocking: a registry of the caller's own may have to answer.
import { spawn } from "node:child_process";
import { npmCommand } from "../build/npm-command.mjs";

/** Runs a program to its end. `shown`: it has this process's streams, so that it may ask for a one-time password. */
export function run([file, ...args], { shown = false, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = shown ? "inherit" : ["ignore", "pipe", "pipe"];
    const child = spawn(file, args, { stdio, ...options });
    const said = { stdout: "", stderr: "" };
    for (const name of shown ? [] : ["stdout", "stderr"]) {
      child[name].setEncoding("utf8").on("data", (text) => (said[name] += text));
    }
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, ...said }));
  });
}

export function npm(args, options) {
  return run([...npmCommand, ...args], options);
}

/** The program's standard output. Throws with all that it said if it fails. */
export async function outputOf(command, options) {
  const { status, stdout, stderr } = await run(command, options);
  if (status !== 0) throw new Error(`${command.join(" ")} ended with ${status}\n${stdout}${stderr}`);
  return stdout;
}

export function npmOutput(args, options) {
  return outputOf([...npmCommand, ...args], options);
}
