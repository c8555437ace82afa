// Runs programs that answer with one line of JSON. Kills them when this process ends.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type ErrorCode, errorCodes, LlamaHooksError } from "../../index.js";

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
  if (answer["error"] !== undefined) throw errorOf(answer["error"] as { code: string | null; message: string });
  return answer;
}

function run(
  command: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<{ out: string; err: string; end: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    const kill = (): void => void child.kill("SIGKILL");
    const release = (): void => {
      process.removeListener("exit", kill);
      signal.removeEventListener("abort", kill);
    };
    process.on("exit", kill);
    signal.addEventListener("abort", kill);
    const said = { out: "", err: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said.out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said.err += text));
    child.on("error", (error) => {
      release();
      reject(error);
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
  return (lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ?? "it printed nothing").trim();
}

function errorOf({ code, message }: { code: string | null; message: string }): Error {
  return errorCodes.includes(code as ErrorCode) ? new LlamaHooksError(code as ErrorCode, message) : new Error(message);
}
