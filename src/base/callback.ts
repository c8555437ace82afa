// Calls a user's progress callbacks. Callbacks are synchronous: nothing waits for them.
import { isThenable } from "./check.js";

/** Calls the callback. A promise is refused: nothing would wait for it, and its rejection would be lost. */
export function callAtOnce<A extends readonly unknown[]>(
  what: string,
  callback: (...args: A) => unknown,
  ...args: A
): void {
  const value = callback(...args);
  if (!isThenable(value)) return;
  Promise.resolve(value).catch(() => undefined);
  throw new TypeError(`${what} must not be async: make it a plain function, because nothing waits for its promise`);
}
