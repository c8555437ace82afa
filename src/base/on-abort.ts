// Adds one listener to each AbortSignal, however much work waits for it. Node reports eleven listeners as a leak, and a
// signal for the end of a program would have as many listeners as the program has calls.

const waiting = new WeakMap<AbortSignal, Waiting>();

class Waiting {
  readonly #acts = new Set<() => void>();
  readonly #signal: AbortSignal;
  readonly #onAbort = (): void => {
    const acts = [...this.#acts];
    this.#end();
    for (const act of acts) act();
  };

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    waiting.set(signal, this);
    signal.addEventListener("abort", this.#onAbort);
  }

  add(act: () => void): void {
    this.#acts.add(act);
  }

  remove(act: () => void): void {
    this.#acts.delete(act);
    if (this.#acts.size === 0) this.#end();
  }

  #end(): void {
    this.#acts.clear();
    this.#signal.removeEventListener("abort", this.#onAbort);
    if (waiting.get(this.#signal) === this) waiting.delete(this.#signal);
  }
}

/**
 * Calls `act` once when the signal aborts, unless it has aborted already. `act` must not throw. Returns a function that
 * removes `act`.
 */
export function onAbort(signal: AbortSignal | undefined, act: () => void): () => void {
  if (signal === undefined || signal.aborted) return () => undefined;
  const all = waiting.get(signal) ?? new Waiting(signal);
  const own = (): void => act(); // the same function may be passed twice
  all.add(own);
  return () => all.remove(own);
}
