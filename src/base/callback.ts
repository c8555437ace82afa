// Callbacks that tell of work while it goes on. Must not: wait for them.
import { isThenable } from "./check.js";

/** Calls one. A promise is refused: the work would not wait for it, and what it rejects with would be lost. */
export function callAtOnce<A extends readonly unknown[]>(
  what: string,
  callback: (...args: A) => unknown,
  ...args: A
): void {
  const value = callback(...args);
  if (!isThenable(value)) return;
  Promise.resolve(value).catch(() => undefined);
  throw new TypeError(`${what} must not be async: nothing waits for its promise`);
}
