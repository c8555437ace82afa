// What ends work early: SIGINT, and that stdout cannot be written any more. Must not: end the process.
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

/** What comes of work that knows no signal; when the signal comes first, its reason is thrown, and nobody waits any more. */
export function unlessAborted<T>(work: T | PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop);
    Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", stop));
  });
}
