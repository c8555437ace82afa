// When it is tried again, and when it is given up. Must not: know what is tried.
import { setTimeout as sleep } from "node:timers/promises";
import { failed } from "./failed.js";
import { bare, isBusy, reasonOf, retryAfterOf } from "./http.js";

/** Breaks without anything in between, before it is given up. */
const maxBreaks = 5;
const firstPauseMs = 300;

/** What is worth another attempt. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  /** How long to wait for it at least. */
  readonly waitMs: number;
  /** Of an answer. */
  readonly status: number | undefined;

  constructor(message: string, { cause, answer }: { cause?: unknown; answer?: Response } = {}) {
    super(message, { cause });
    this.status = answer?.status;
    this.waitMs = (answer !== undefined && isBusy(answer.status) ? retryAfterOf(answer) : undefined) ?? 0;
  }
}

/** The answer to be told of as one that may be better the next time. */
export function interruptedBy(answer: Response, url: URL): Interrupted {
  return new Interrupted(`${bare(url)} answered ${answer.status} ${answer.statusText}`.trim(), { answer });
}

/** Breaks in a row. */
export class Attempts {
  #breaks = 0;

  /**
   * Resolves when the next attempt is due. `wasProgress`: something came before the break. Errors: DOWNLOAD_FAILED when there
   * were too many in a row; what the signal was aborted with.
   */
  async pause(error: Interrupted, wasProgress: boolean, signal: AbortSignal): Promise<void> {
    this.#breaks = wasProgress ? 1 : this.#breaks + 1;
    if (this.#breaks > maxBreaks) {
      const { status } = error;
      throw failed(`${reasonOf(error)}, ${this.#breaks} times in a row`, {
        cause: error.cause ?? error,
        ...(status !== undefined && { details: { status } }),
      });
    }
    await sleep(Math.max(firstPauseMs * 2 ** (this.#breaks - 1), error.waitMs), undefined, { signal });
  }
}
