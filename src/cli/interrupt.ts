// What ends work early: SIGINT, and a reader of stdout that has gone. Must not: end the process.

const closed = new AbortController();

/** Aborted once nobody reads stdout any more, if `watchStdout()` was called. */
export const stdoutClosed: AbortSignal = closed.signal;

/** From now on a reader that goes ends the work under way, and not the process with EPIPE. */
export function watchStdout(): void {
  process.stdout.on("error", () => closed.abort(new Error("stdout was closed")));
}

/**
 * Does work that one of the signals aborts, or a reader that goes. Only the first signal: the next one ends the process, as
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
    return await work(AbortSignal.any([stop.signal, stdoutClosed]));
  } finally {
    release();
  }
}
