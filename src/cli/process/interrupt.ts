// Aborts work on SIGINT, or when stdout can no longer be written.
import { stdoutLost } from "./output.js";

/**
 * Runs work that one of the signals, or the loss of stdout, aborts. Only the first signal is caught: if the work does
 * not stop, the next signal ends the process.
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
