// A queue that one reader iterates over. Must not: drop anything silently.

/** How many events may wait, and what tells the reader that older ones were given up. */
export interface QueueBound<T> {
  readonly limit: number;
  dropped(count: number): T;
  /** As it happens. */
  onDropped?(count: number): void;
}

/** What the maker of a queue is told. */
export interface QueueEvents {
  /** Once, when the reader leaves before the end. */
  onReturn(): void;
  /** When the reader wants an item and there is none: each time it asks, and what is pushed meanwhile it gets. */
  onEmpty?(): void;
}

/** Events pushed from outside, read with `for await`. */
export class EventQueue<T> implements AsyncIterableIterator<T> {
  readonly #items: T[] = [];
  readonly #waiting: { resolve(result: IteratorResult<T, undefined>): void; reject(error: unknown): void }[] = [];
  readonly #bound: QueueBound<T> | undefined;
  readonly #events: QueueEvents;
  #dropped = 0;
  #begun = false;
  #end: { readonly error?: unknown } | undefined;

  constructor(events: QueueEvents, bound?: QueueBound<T>) {
    this.#events = events;
    this.#bound = bound;
  }

  /** The reader has begun to read, and has not read all that there is. */
  get isBehind(): boolean {
    return this.#begun && this.#items.length > 0;
  }

  push(item: T): void {
    if (this.#end !== undefined) return;
    const reader = this.#waiting.shift();
    if (reader !== undefined) return reader.resolve({ value: item, done: false });
    this.#items.push(item);
    if (this.#bound !== undefined && this.#items.length > this.#bound.limit) {
      // The older half at once: shifting one by one would move the whole array each time.
      const { length } = this.#items.splice(0, this.#items.length >> 1);
      this.#dropped += length;
      this.#bound.onDropped?.(length);
    }
  }

  /** Ends the iteration after what is queued; with `error`, it then throws. */
  end(failure: { readonly error?: unknown } = {}): void {
    if (this.#end !== undefined) return;
    this.#end = failure;
    for (const reader of this.#waiting.splice(0)) {
      if ("error" in failure) {
        reader.reject(failure.error);
        this.#end = {};
      } else reader.resolve({ value: undefined, done: true });
    }
  }

  next(): Promise<IteratorResult<T, undefined>> {
    this.#begun = true;
    if (this.#dropped > 0 && this.#bound !== undefined) {
      const value = this.#bound.dropped(this.#dropped);
      this.#dropped = 0;
      return Promise.resolve({ value, done: false });
    }
    if (this.#items.length > 0) return Promise.resolve({ value: this.#items.shift() as T, done: false });
    if (this.#end !== undefined) {
      const failure = this.#end;
      this.#end = {};
      if ("error" in failure) return Promise.reject(failure.error);
      return Promise.resolve({ value: undefined, done: true });
    }
    const next = new Promise<IteratorResult<T, undefined>>((resolve, reject) =>
      this.#waiting.push({ resolve, reject }),
    );
    this.#events.onEmpty?.();
    return next;
  }

  return(): Promise<IteratorResult<T, undefined>> {
    const left = this.#end === undefined;
    this.#items.length = 0;
    this.end();
    if (left) this.#events.onReturn();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
