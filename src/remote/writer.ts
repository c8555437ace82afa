// Sends the pieces of an answer to the engine.
import type { NativeStream } from "../native/addon.js";
import { errorNumbers } from "../generated/errors.js";
import { toJson } from "../base/wire.js";
import { RemoteFailure } from "./failure.js";

/** The maximum characters of an answer, as JSON: more than any context holds. */
const mostLength = 64 * 2 ** 20;
const { BUSY } = errorNumbers;

/** Sends pieces as fast as the engine takes them. */
export class Writer {
  /** True once a piece has arrived. */
  begun = false;
  /** The number of pieces that were sent. */
  written = 0;
  #length = 0;
  readonly #stream: NativeStream;
  readonly #gone = new AbortController();
  #woken: (() => void) | undefined;

  constructor(stream: NativeStream) {
    this.#stream = stream;
    stream.onWake(() => {
      const waiting = this.#woken;
      this.#woken = undefined;
      if (waiting === undefined) this.#gone.abort();
      else waiting();
    });
  }

  /** Aborts when the engine does not need the answer any more. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  get unwanted(): boolean {
    return this.#gone.signal.aborted;
  }

  async write(piece: object): Promise<void> {
    this.begun = true;
    const json = toJson(piece);
    this.#length += json.length;
    if (this.#length > mostLength)
      throw new RemoteFailure("REMOTE_FAILED", `the answer is longer than ${mostLength} characters`);
    for (;;) {
      const status = this.#stream.piece(json);
      if (status === 0) {
        this.written++;
        return;
      }
      if (status !== BUSY) {
        this.#gone.abort();
        throw new RemoteFailure("CANCELLED", "nobody reads the answer any more");
      }
      await new Promise<void>((resolve) => (this.#woken = resolve));
    }
  }
}
