// Runs a script of the package in a child process, for work that may crash or hang its process.
// Must not: judge what the child printed.
import { spawn } from "node:child_process";
import { onAbort } from "../base/on-abort.js";

export interface ChildLimits {
  /** Milliseconds until the child is killed; 0: no limit. */
  readonly timeoutMs: number;
  /** Its abort kills the child. */
  readonly signal?: AbortSignal | undefined;
  /** The number of characters of the child's stderr to keep, the last ones. */
  readonly keepsOfErr: number;
}

export interface ChildEnd {
  /** Null: a signal ended it. */
  readonly exitCode: number | null;
  /** The signal that ended it. */
  readonly signal: NodeJS.Signals | null;
  /** True: it was killed at its limit. */
  readonly late: boolean;
  /** The value of its last line on stdout; undefined: that line is not valid JSON. */
  readonly reply: unknown;
  readonly err: string;
}

/** Rejects with the system's error if the child cannot be started. It is killed when this process exits. */
export function runChild(
  script: string,
  args: readonly string[],
  input: string,
  limits: ChildLimits,
): Promise<ChildEnd> {
  const { timeoutMs, signal, keepsOfErr } = limits;
  return new Promise((resolve, reject) => {
    const { NODE_OPTIONS: _, ...env } = process.env; // its modules are meant for the main program
    const child = spawn(process.execPath, [script, ...args], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...env, ELECTRON_RUN_AS_NODE: "1" },
    });
    let out = "";
    let err = "";
    let late = false;
    const kill = (): void => void child.kill("SIGKILL");
    const killLate = (): void => ((late = true), kill());
    const timer = timeoutMs === 0 ? undefined : setTimeout(killLate, timeoutMs);
    process.once("exit", kill);
    const deaf = onAbort(signal, kill);
    if (signal?.aborted === true) kill();
    const settle = (): void => {
      clearTimeout(timer);
      process.off("exit", kill);
      deaf();
    };
    child.stdin.on("error", () => undefined); // it may be gone
    child.stdin.end(input);
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err = (err + text).slice(-keepsOfErr)));
    child.on("error", (error) => (settle(), reject(error)));
    child.on("close", (exitCode, killedBy) => {
      settle();
      resolve({ exitCode, signal: killedBy, late, reply: lastLine(out), err });
    });
  });
}

/** The end in words, of a child that gave no reply. */
export function wordsOf({ late, signal, exitCode }: ChildEnd, timeoutMs: number): string {
  if (late) return `had not answered after ${timeoutMs} ms`;
  return signal === null ? `ended with exit code ${exitCode}` : `crashed (${signal})`;
}

function lastLine(out: string): unknown {
  try {
    return JSON.parse(out.trimEnd().split("\n").at(-1) ?? "");
  } catch {
    return undefined;
  }
}
