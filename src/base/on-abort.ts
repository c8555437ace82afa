// One listener for each AbortSignal, however much work waits for it. Node takes eleven listeners for a leak, and a signal
// that stands for a program's end has as many as the program has calls.

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

/** Calls `act` once when the signal aborts, which must not throw. Not for one that has aborted. Returns what forgets it. */
export function onAbort(signal: AbortSignal | undefined, act: () => void): () => void {
  if (signal === undefined || signal.aborted) return () => undefined;
  const all = waiting.get(signal) ?? new Waiting(signal);
  const own = (): void => act(); // the same function may be given twice
  all.add(own);
  return () => all.remove(own);
}
