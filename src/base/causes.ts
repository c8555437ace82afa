// Keeps what hooks threw until an error or a decision that refers to it reaches JavaScript. Bounded.

/** The number of thrown values that one engine keeps. The oldest are dropped first. */
const limit = 1000;

/** Thrown values by number. A value may be anything: an Error, a string, null, undefined. */
export class Causes {
  readonly #values = new Map<number, unknown>();
  #next = 1;

  keep(value: unknown): number {
    const id = this.#next++;
    this.#values.set(id, value);
    if (this.#values.size > limit) {
      const oldest = this.#values.keys().next();
      if (oldest.done !== true) this.#values.delete(oldest.value);
    }
    return id;
  }

  has(id: number): boolean {
    return this.#values.has(id);
  }

  get(id: number): unknown {
    return this.#values.get(id);
  }
}
