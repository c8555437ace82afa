// Processes that the parts run: with a limit of time, and looked at from outside, so that curves of memory, handles and
// threads need nothing of the process itself.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { projectDir } from "../build/llama-paths.mjs";

const lookMs = 1000;
const mostText = 1_000_000;

/** The memory, handles and threads of a process; undefined if it has ended or the system does not tell. */
function look(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const number = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)[1]);
    return {
      rssMb: number("VmRSS") / 1024,
      threads: number("Threads"),
      handles: readdirSync(`/proc/${pid}/fd`).length,
    };
  } catch {
    return undefined;
  }
}

/**
 * Runs a program to its end: {status, signal, stdout, stderr, hung, samples}. `hung`: it was killed because it took
 * longer than `limitS`.
 */
export function run(program, args, { env = {}, limitS = 60, samples = false, tail = false } = {}) {
  return new Promise((resolve, reject) => {
    const begin = performance.now();
    const child = spawn(program, args, {
      cwd: projectDir,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const out = { stdout: "", stderr: "", hung: false, samples: [] };
    for (const name of ["stdout", "stderr"]) {
      child[name].setEncoding("utf8").on("data", (text) => {
        out[name] = (out[name] + text).slice(-mostText);
        if (tail) process.stderr.write(text);
      });
    }
    const timer = setTimeout(() => {
      out.hung = true;
      child.kill("SIGKILL");
    }, limitS * 1000);
    const looking = setInterval(() => {
      const seen = samples ? look(child.pid) : undefined;
      if (seen !== undefined) out.samples.push({ s: (performance.now() - begin) / 1000, ...seen });
    }, lookMs);
    child.on("error", reject);
    child.on("close", (status, signal) => {
      clearTimeout(timer);
      clearInterval(looking);
      resolve({ status, signal, ...out });
    });
  });
}

/** The same for a script of Node. */
export function node(args, options) {
  return run(process.execPath, args, options);
}

/** The end of a process in words, for a fault. */
export function wordsOf({ status, signal, hung, stderr }) {
  const end = hung ? "did not end in time" : signal === null ? `ended with ${status}` : `ended with ${signal}`;
  const last = stderr.trim().split("\n").slice(-3).join(" | ").slice(0, 300);
  return last === "" ? end : `${end}: ${last}`;
}
