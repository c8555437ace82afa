// Runs programs that answer with one line of JSON. Kills them when this process ends.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type ErrorCode, errorCodes, LlamaHooksError } from "../../index.js";

/** Characters of stderr that are kept: a program may write without end. */
const mostErr = 100_000;

/** The time for reading the rest of the pipes after the program has ended. */
const pipeGraceMs = 1000;

const contenderProcess = fileURLToPath(new URL("./contender-process.js", import.meta.url));

/** Runs one of the package's contenders, or "describe", in a fresh process. */
export async function runContender<T>(name: string, request: object, signal: AbortSignal): Promise<T> {
  return (await runForJson(process.execPath, [contenderProcess, name, JSON.stringify(request)], signal)) as T;
}

/**
 * Runs a program and returns the object on the last line of its stdout. Rejects with the error that the program
 * reports, or, once the program has ended, with the reason of the signal.
 */
export async function runForJson(command: string, args: readonly string[], signal: AbortSignal): Promise<unknown> {
  signal.throwIfAborted();
  const { out, err, end } = await run(command, args, signal);
  signal.throwIfAborted();
  const answer = parsed(out.trim().split("\n").at(-1) ?? "");
  if (answer === undefined) throw new Error(`${end}: ${reasonIn(err)}`);
  if (answer["error"] !== undefined) throw reportedError(answer["error"] as { code: string | null; message: string });
  return answer;
}

/** Options for listening to a program that sends messages. */
export interface Listening<T> {
  /** Name of the work in the program, for the error if the program ends too early. */
  readonly what: string;
  /** Called with each message. Returns the program's answer, if the message is that: the program is then killed. */
  readonly onMessage: (message: unknown) => T | undefined;
  /** Seconds without a message after which the program is killed. */
  readonly mostSilentSeconds: number;
  readonly signal: AbortSignal;
}

/**
 * Runs a program of Node that sends messages, and returns its answer. What it writes to stdout is dropped. Rejects if
 * it ends without an answer; undefined: it sent nothing for too long.
 */
export async function runForMessages<T>(
  args: readonly string[],
  { what, onMessage, mostSilentSeconds, signal }: Listening<T>,
): Promise<T | undefined> {
  signal.throwIfAborted();
  const enough = new AbortController();
  let answer: T | undefined;
  let silent = 0;
  const timer = setInterval(() => ++silent > mostSilentSeconds && enough.abort(), 1000);
  try {
    const ends = AbortSignal.any([signal, enough.signal]);
    const { err, end } = await run(process.execPath, args, ends, (message) => {
      silent = 0;
      answer ??= onMessage(message);
      if (answer !== undefined) enough.abort();
    });
    signal.throwIfAborted();
    if (answer === undefined && !enough.signal.aborted)
      throw new Error(`${what}: the process ended before it had measured, ${end}: ${reasonIn(err)}`);
    return answer;
  } finally {
    clearInterval(timer);
  }
}

function run(
  command: string,
  args: readonly string[],
  signal: AbortSignal,
  onMessage?: (message: unknown) => void,
): Promise<{ out: string; err: string; end: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: onMessage === undefined ? ["ignore", "pipe", "pipe"] : ["ignore", "ignore", "pipe", "ipc"],
    });
    if (onMessage !== undefined) child.on("message", onMessage);
    const kill = (): void => void child.kill("SIGKILL");
    const release = (): void => {
      process.removeListener("exit", kill);
      signal.removeEventListener("abort", kill);
    };
    process.on("exit", kill);
    signal.addEventListener("abort", kill);
    const said = { out: "", err: "" };
    child.stdout?.setEncoding("utf8").on("data", (text: string) => (said.out += text));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (said.err = (said.err + text).slice(-mostErr)));
    child.on("error", (error) => {
      release();
      reject(error);
    });
    // A process that it has started may hold its pipes open.
    child.on("exit", () => {
      setTimeout(() => (child.stdout?.destroy(), child.stderr?.destroy()), pipeGraceMs).unref();
    });
    child.on("close", (code, by) => {
      release();
      resolve({ ...said, end: by === null ? `exit code ${code}` : `ended by ${by}` });
    });
  });
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function reasonIn(err: string): string {
  const lines = err.split("\n").filter((line) => line.trim() !== "");
  const found = [/^\s*(?:Uncaught )?\w*Error\b/, /error/i].map((pattern) => lines.find((line) => pattern.test(line)));
  return (found[0] ?? found[1] ?? lines.at(-1) ?? "it printed nothing").trim();
}

/** The error that a program has reported by its code and message. */
export function reportedError({ code, message }: { readonly code: string | null; readonly message: string }): Error {
  return errorCodes.includes(code as ErrorCode) ? new LlamaHooksError(code as ErrorCode, message) : new Error(message);
}
