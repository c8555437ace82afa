// Loads a model in a child process, which a damaged file may crash or hang. Must not: load it into this process.
import { spawn } from "node:child_process";
import path from "node:path";
import { LlamaHooksError } from "../base/errors.js";
import { root } from "../native/packages.js";
import { abortReason } from "../native/task.js";

/** What the child gets on its stdin. */
export interface ProbeRequest {
  /** Options of the engine, in the engine's form. */
  readonly engine: string;
  /** Options of the load, in the engine's form. */
  readonly model: string;
}

/** What the child prints, as one line of JSON. */
export interface ProbeReply {
  /** The description of the model; null: the load failed. */
  readonly info: string | null;
  /** The engine's error as JSON; null: there is none. */
  readonly error: string | null;
}

export interface ProbeControl {
  /** The file, for messages. */
  readonly file: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

const probeProcess = path.join(root, "dist", "models", "probe-process.js");
const mostLogLines = 20;
const longestLog = 16_384;

/** Resolves with the child's reply. Errors: ENGINE_CRASHED, CANCELLED. */
export function runProbe(request: ProbeRequest, { file, timeoutMs, signal }: ProbeControl): Promise<ProbeReply> {
  return new Promise((resolve, reject) => {
    const { NODE_OPTIONS: _, ...env } = process.env; // its modules are meant for the main program
    const child = spawn(process.execPath, [probeProcess], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...env, ELECTRON_RUN_AS_NODE: "1" },
    });
    let out = "";
    let log = "";
    let late = false;
    const kill = (): void => void child.kill("SIGKILL");
    const timer =
      timeoutMs === 0
        ? undefined
        : setTimeout(() => {
            late = true;
            kill();
          }, timeoutMs);
    process.once("exit", kill);
    signal?.addEventListener("abort", kill, { once: true });
    if (signal?.aborted === true) kill();
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      process.off("exit", kill);
      signal?.removeEventListener("abort", kill);
      settle();
    };
    child.stdin.on("error", () => undefined); // it may be gone
    child.stdin.end(JSON.stringify(request));
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (log = (log + text).slice(-longestLog)));
    child.on("error", (cause) =>
      end(() => reject(new LlamaHooksError("ENGINE_CRASHED", `no process for ${file}: ${cause.message}`, { cause }))),
    );
    child.on("close", (exitCode, killedBy) =>
      end(() => {
        if (signal?.aborted === true) {
          const message = `probing ${file} was cancelled: ${abortReason(signal)}`;
          return reject(new LlamaHooksError("CANCELLED", message, { cause: signal.reason }));
        }
        const reply = late ? undefined : read(out);
        if (reply !== undefined) return resolve(reply);
        const how = killedBy === null ? `ended with exit code ${exitCode}` : `crashed (${killedBy})`;
        const what = late ? `had not ended after ${timeoutMs} ms` : how;
        const lines = log.trimEnd().split("\n").slice(-mostLogLines);
        const details = { file, exitCode, signal: late ? null : killedBy, log: lines };
        const message = `${file}: the process that loaded it ${what}, saying ${JSON.stringify(lines.at(-1) ?? "")}`;
        reject(new LlamaHooksError("ENGINE_CRASHED", message, { details }));
      }),
    );
  });
}

/** Undefined: it is no reply. */
function read(out: string): ProbeReply | undefined {
  try {
    return JSON.parse(out.trimEnd().split("\n").at(-1) ?? "") as ProbeReply;
  } catch {
    return undefined;
  }
}
