// Lists a server's tools again when the server says that they have changed. Must not: work without end for a server
// that says so all the time.

const pauseMs = 1_000;

/** Runs `list` after each change: one at a time, and at most once a second. */
export class Changes {
  readonly #list: () => Promise<void>;
  readonly #onFailure: (error: unknown) => void;
  #last: Promise<void> = Promise.resolve();
  #ended = -Infinity;
  #waiting = false;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** `onFailure` gets what a listing after a change rejects with. */
  constructor(list: () => Promise<void>, onFailure: (error: unknown) => void) {
    this.#list = list;
    this.#onFailure = onFailure;
  }

  /** Any number of these, until the next listing begins, cause one. */
  changed(): void {
    if (this.#waiting || this.#closed) return;
    this.#waiting = true;
    void this.#last.then(() => {
      if (this.#closed) return;
      const begin = (): void => {
        this.#waiting = false;
        this.listed().catch(this.#onFailure);
      };
      const wait = this.#ended + pauseMs - performance.now();
      if (wait <= 0) begin();
      else this.#timer = setTimeout(begin, wait).unref();
    });
  }

  /** Lists after the listings before. Rejects as `list` does. */
  listed(): Promise<void> {
    const listing = this.#last.then(() => this.#list());
    this.#last = listing
      .catch(() => undefined)
      .then(() => {
        this.#ended = performance.now();
      });
    return listing;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }
}
