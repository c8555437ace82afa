// Limits the waits of one attempt at an answer.
import { RemoteFailure } from "./failure.js";
import type { RemoteCallLimits } from "./remote.js";

/** Stops an attempt if no piece arrives for too long. */
export class Deadline {
  readonly #stop: AbortController;
  readonly #limits: RemoteCallLimits;
  #reject: ((error: Error) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The time at which the timer fires. */
  #looks = Infinity;
  /** The time at which the next piece is due. */
  #due: number;
  #begun = false;
  #waits = false;

  constructor(stop: AbortController, limits: RemoteCallLimits) {
    this.#stop = stop;
    this.#limits = limits;
    this.#due = dueIn(limits.firstPieceMs);
    stop.signal.addEventListener("abort", () => this.#reject?.(new RemoteFailure("CANCELLED", "it was stopped")));
  }

  /** A piece has arrived, and was taken. The time that a slow reader takes does not count. */
  piece(): void {
    this.#begun = true;
    this.#due = dueIn(this.#limits.pieceMs);
  }

  /** The result of the work, unless the time is over first or the answer is cancelled. */
  async bound<T>(work: PromiseLike<T>): Promise<T> {
    this.#waits = true;
    try {
      return await new Promise<T>((resolve, reject) => {
        this.#reject = reject;
        if (this.#stop.signal.aborted) reject(new RemoteFailure("CANCELLED", "it was stopped"));
        work.then(resolve, reject);
        if (this.#due < this.#looks) this.#look();
      });
    } finally {
      this.#reject = undefined;
      this.#waits = false;
    }
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#looks = Infinity;
  }

  // A timer that checks again later is cheaper than a new timer for each piece.
  #look(): void {
    this.clear();
    const left = this.#due - performance.now();
    if (!this.#waits || left === Infinity) return;
    if (left > 0) {
      this.#looks = this.#due;
      this.#timer = setTimeout(() => this.#look(), Math.ceil(left));
      return;
    }
    const ms = this.#begun ? this.#limits.pieceMs : this.#limits.firstPieceMs;
    this.#reject?.(new RemoteFailure("REMOTE_TIMEOUT", `nothing came for ${ms} ms`));
    this.#stop.abort();
  }
}

const dueIn = (ms: number): number => (ms === 0 ? Infinity : performance.now() + ms);
