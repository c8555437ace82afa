// Keeps the newest items of a series within a bound. Must not: move items when one is lost.

/** An item with its number in the series of all items. */
export interface Numbered<T> {
  readonly n: number;
  readonly item: T;
}

/** A ring of numbered items, in ascending order of their numbers. */
export class Ring<T> {
  readonly #places: Numbered<T>[] = [];
  readonly #capacity: number;
  #first = 0;
  #lost = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get length(): number {
    return this.#places.length;
  }

  /** The number of items that newer ones have replaced. */
  get lost(): number {
    return this.#lost;
  }

  push(one: Numbered<T>): void {
    if (this.#places.length < this.#capacity) {
      this.#places.push(one);
      return;
    }
    this.#places[this.#first] = one;
    this.#first = (this.#first + 1) % this.#capacity;
    this.#lost++;
  }

  /** The oldest item whose number is greater than `n`. */
  after(n: number): Numbered<T> | undefined {
    let [low, high] = [0, this.#places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#at(middle)?.n ?? 0) > n) high = middle;
      else low = middle + 1;
    }
    return this.#at(low);
  }

  #at(index: number): Numbered<T> | undefined {
    return index < this.#places.length ? this.#places[(this.#first + index) % this.#capacity] : undefined;
  }
}
