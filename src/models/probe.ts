// Loads a model in a child process, which a damaged file may crash or hang. Must not: load it into this process.
import path from "node:path";
import { LlamaHooksError } from "../base/errors.js";
import { messageOf } from "../base/thrown.js";
import { runChild, wordsOf } from "../native/child.js";
import { root } from "../native/packages.js";
import { abortReason } from "../native/task.js";

/** The child's input, on stdin. */
export interface ProbeRequest {
  /** Options of the engine, in the engine's form. */
  readonly engine: string;
  /** Options of the load, in the engine's form. */
  readonly model: string;
}

/** The child's output, one line of JSON. */
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
export async function runProbe(request: ProbeRequest, { file, timeoutMs, signal }: ProbeControl): Promise<ProbeReply> {
  const limits = { timeoutMs, signal, keepsOfErr: longestLog };
  const end = await runChild(probeProcess, [], JSON.stringify(request), limits).catch((cause: unknown) => {
    throw new LlamaHooksError("ENGINE_CRASHED", `no process for ${file}: ${messageOf(cause)}`, { cause });
  });
  if (signal?.aborted === true) {
    const message = `probing ${file} was cancelled: ${abortReason(signal)}`;
    throw new LlamaHooksError("CANCELLED", message, { cause: signal.reason });
  }
  if (end.reply !== undefined && !end.late) return end.reply as ProbeReply;
  const log = end.err.trimEnd().split("\n").slice(-mostLogLines);
  const details = { file, exitCode: end.exitCode, signal: end.late ? null : end.signal, log };
  const words = wordsOf(end, timeoutMs);
  const message = `${file}: the process that loaded it ${words}, saying ${JSON.stringify(log.at(-1) ?? "")}`;
  throw new LlamaHooksError("ENGINE_CRASHED", message, { details });
}
