// Handles failures to write output, and Node's warnings.
import { LlamaHooksError } from "../../base/errors.js";
import { errorLine, type Failure, whereOf } from "./error-text.js";
import { exitCodes } from "./exit.js";

const lost = new AbortController();

/** Aborts when stdout can no longer be written, if `watchOutput()` was called. */
export const stdoutLost: AbortSignal = lost.signal;

/**
 * From now on a failed write does not crash the process. If the reader of stdout has closed it (`| head`), that is not
 * a failure. Any other write error, such as a full disk, is reported on stderr, and the exit code becomes 1.
 */
export function watchOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    let isReported = false;
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (stream === process.stdout) lost.abort(new Error("stdout cannot be written"));
      if (isReported || error.code === "EPIPE") return;
      isReported = true;
      process.on("exit", () => (process.exitCode = exitCodes.failed));
      if (stream === process.stdout) process.stderr.write(`${errorLine(`cannot write to stdout: ${error.message}`)}\n`);
    });
  }
}

/**
 * Makes `tell` print Node's warnings from now on, because it knows whether the output is in the middle of a line. With
 * a trace, which shows every failure of a hook, the engine's warnings of failed hooks are dropped.
 */
export function reportWarnings(report: (warning: string | Failure) => void, { trace = false } = {}): void {
  if (process.listenerCount("warning") === 0) return; // --no-warnings
  process.removeAllListeners("warning");
  process.on("warning", (warning) => {
    if (!LlamaHooksError.isInstance(warning))
      return report(`(node:${process.pid}) ${warning.name}: ${warning.message}`);
    const { code, message, cause } = warning;
    if (trace && /^HOOK_(?:FAILED|BAD_ANSWER|TIMEOUT)$/.test(code)) return;
    const where = whereOf(cause);
    report({ code, message, ...(where !== undefined && { where }) });
  });
}
