// Work that SIGINT aborts, or a stdout that cannot be written any more. Must not: end the process.
import { stdoutLost } from "./output.js";

/**
 * Does work that one of the signals aborts, or the loss of stdout. Only the first signal: the next one ends the process, as
 * the system has it, should the work not let go.
 */
export async function interruptible<T>(
  work: (signal: AbortSignal) => Promise<T>,
  signals: readonly NodeJS.Signals[] = ["SIGINT"],
): Promise<T> {
  const stop = new AbortController();
  const release = (): void => {
    for (const name of signals) process.off(name, interrupt);
  };
  const interrupt = (): void => {
    release();
    stop.abort(new Error("interrupted"));
  };
  for (const name of signals) process.on(name, interrupt);
  try {
    return await work(AbortSignal.any([stop.signal, stdoutLost]));
  } finally {
    release();
  }
}
