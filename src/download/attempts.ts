// Decides when a download is tried again and when it is given up.
import { setTimeout as sleep } from "node:timers/promises";
import { downloadFailed } from "./download-failed.js";
import { bare, isBusy, reasonOf, retryAfterOf } from "./http.js";

/** Interruptions in a row, without progress, after which a download fails. */
const maxBreaks = 5;
const firstPauseMs = 300;

/** A failure that is worth another attempt. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  /** The minimum wait before the next attempt, in milliseconds. */
  readonly waitMs: number;
  /** The status of the server's answer. */
  readonly status: number | undefined;

  constructor(message: string, { cause, answer }: { cause?: unknown; answer?: Response } = {}) {
    super(message, { cause });
    this.status = answer?.status;
    this.waitMs = (answer !== undefined && isBusy(answer.status) ? retryAfterOf(answer) : undefined) ?? 0;
  }
}

/** Wraps an answer that may be better at the next attempt. */
export function interruptedBy(answer: Response, url: URL): Interrupted {
  return new Interrupted(`${bare(url)} answered ${answer.status} ${answer.statusText}`.trim(), { answer });
}

/** Counts interruptions in a row. */
export class Attempts {
  #breaks = 0;

  /**
   * Resolves when the next attempt is due. `wasProgress`: data arrived before the interruption. Errors: DOWNLOAD_FAILED
   * after too many interruptions in a row; the signal's reason if it aborts.
   */
  async pause(error: Interrupted, wasProgress: boolean, signal: AbortSignal): Promise<void> {
    this.#breaks = wasProgress ? 1 : this.#breaks + 1;
    if (this.#breaks > maxBreaks) {
      const { status } = error;
      throw downloadFailed(`${reasonOf(error)}, ${this.#breaks} times in a row`, {
        cause: error.cause ?? error,
        ...(status !== undefined && { details: { status } }),
      });
    }
    await sleep(Math.max(firstPauseMs * 2 ** (this.#breaks - 1), error.waitMs), undefined, { signal });
  }
}
