// What becomes of what the command writes. Must not: write results.
import { errorLine } from "./error-text.js";
import { exitCodes } from "./exit.js";

const lost = new AbortController();

/** Aborted once stdout cannot be written any more, if `watchOutput()` was called: nobody gets what is still to come. */
export const stdoutLost: AbortSignal = lost.signal;

/**
 * From now on output that cannot be written is no crash. A reader of stdout that has left (`| head`) has seen enough: that
 * is no failure. Anything else, a full disk, is said on stderr, and the exit code is 1 whatever the command comes to.
 */
export function watchOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    let told = false;
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (stream === process.stdout) lost.abort(new Error("stdout cannot be written"));
      if (told || error.code === "EPIPE") return;
      told = true;
      process.on("exit", () => (process.exitCode = exitCodes.failed));
      if (stream === process.stdout) process.stderr.write(`${errorLine(`cannot write to stdout: ${error.message}`)}\n`);
    });
  }
}

/**
 * From now on Node's warnings are told by `tell`, which knows where on the line the output is. Those about observers are
 * left out: who runs hooks for somebody reads their failures in the trace.
 */
export function tellWarnings(tell: (text: string) => void): void {
  if (process.listenerCount("warning") === 0) return; // --no-warnings
  process.removeAllListeners("warning");
  process.on("warning", (warning: Error & { code?: unknown }) => {
    if (warning.code !== "HOOK_FAILED") tell(`(node:${process.pid}) ${warning.name}: ${warning.message}`);
  });
}
