// The history of an engine that pages read: one bounded store for all of them. Each page reads at its own speed. If
// items are replaced before a page has read them, that page alone loses them and gets their number. Must not: keep
// anything for a page.
import { type Numbered, Ring } from "./ring.js";

/** An item, or the number of items that were lost before the next one. */
export type Read<T> = Numbered<T> | { readonly lost: number; readonly n: number };

/** The position at which a page reads. */
interface Place {
  n: number;
  isOver: boolean;
  wake: () => void;
}

/**
 * Items in order. Routine items (decisions about single tokens) are stored separately, so that a long answer does not
 * replace the runs before it.
 */
export class History<T> {
  readonly #items: Ring<T>;
  readonly #routine: Ring<T>;
  readonly #waiting = new Set<() => void>();
  #last = 0;
  #ended = false;

  constructor(capacity: number) {
    this.#items = new Ring(capacity);
    this.#routine = new Ring(Math.max(1, capacity >> 2));
  }

  /** The number of the last item. */
  get last(): number {
    return this.#last;
  }

  get kept(): number {
    return this.#items.length + this.#routine.length;
  }

  get lost(): number {
    return this.#items.lost + this.#routine.lost;
  }

  push(item: T, isRoutine = false): void {
    if (this.#ended) return;
    (isRoutine ? this.#routine : this.#items).push({ n: ++this.#last, item });
    this.#wake();
  }

  /** Ends each reading, after the last item. */
  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** The items after number `n`, then those to come. */
  read(n: number): AsyncIterableIterator<Read<T>> {
    // A page that comes back from another engine has a number that is not reached here yet.
    const at = { n: n > this.#last ? 0 : n, isOver: false, wake: (): void => undefined };
    const leave = (): Promise<IteratorResult<Read<T>>> => {
      at.isOver = true;
      at.wake();
      return Promise.resolve({ done: true, value: undefined });
    };
    const next = (): Promise<IteratorResult<Read<T>>> => this.#next(at);
    const reading: AsyncIterableIterator<Read<T>> = { next, return: leave, [Symbol.asyncIterator]: () => reading };
    return reading;
  }

  async #next(at: Place): Promise<IteratorResult<Read<T>>> {
    while (!at.isOver) {
      const found = this.#after(at.n);
      if (found !== undefined) {
        const lost = found.n - at.n - 1;
        at.n = lost > 0 ? found.n - 1 : found.n;
        return { done: false, value: lost > 0 ? { lost, n: at.n } : found };
      }
      if (this.#ended) break;
      await new Promise<void>((resolve) => this.#waiting.add((at.wake = resolve)));
      this.#waiting.delete(at.wake);
    }
    return { done: true, value: undefined };
  }

  #after(n: number): Numbered<T> | undefined {
    const [item, routine] = [this.#items.after(n), this.#routine.after(n)];
    if (item === undefined || routine === undefined) return item ?? routine;
    return item.n < routine.n ? item : routine;
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }
}
