// Waiting for work that takes no AbortSignal.
import { onAbort } from "./on-abort.js";

/**
 * The result of the work. If the signal aborts first, rejects with its reason, or with the error that `errorOf` makes
 * of the reason; the result of the work is then ignored.
 */
export function unlessAborted<T>(
  work: T | PromiseLike<T>,
  signal: AbortSignal | undefined,
  errorOf: (reason: unknown) => Error = (reason) => reason as Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(errorOf(signal?.reason));
    if (signal?.aborted === true) stop();
    const deaf = onAbort(signal, stop);
    Promise.resolve(work).then(resolve, reject).finally(deaf);
  });
}
