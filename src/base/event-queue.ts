// A queue that one reader iterates over. Must not: drop anything silently.

/** The number of events that may wait, and a callback for dropped ones. */
export interface QueueBound<T> {
  readonly limit: number;
  dropped(count: number): T;
  /** Called when older events are dropped. */
  onDropped?(count: number): void;
}

/** Callbacks to the maker of a queue. */
export interface QueueEvents {
  /** Called once, if the reader leaves before the end. */
  onReturn(): void;
  /**
   * Called whenever the reader wants an item and the queue is empty. The reader gets what is pushed during the call.
   */
  onEmpty?(): void;
}

/** Events that are pushed from outside and read with `for await`. */
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

  /** True if the reader has begun and has not yet read everything. */
  get isBehind(): boolean {
    return this.#begun && this.#items.length > 0;
  }

  push(item: T): void {
    if (this.#end !== undefined) return;
    const reader = this.#waiting.shift();
    if (reader !== undefined) return reader.resolve({ value: item, done: false });
    this.#items.push(item);
    if (this.#bound !== undefined && this.#items.length > this.#bound.limit) {
      // Drops the older half at once: shifting one by one would move the whole array each time.
      const { length } = this.#items.splice(0, this.#items.length >> 1);
      this.#dropped += length;
      this.#bound.onDropped?.(length);
    }
  }

  /** Ends the iteration after the queued items; with `error`, the iteration then throws. */
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
