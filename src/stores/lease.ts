// The lease of a stored session while it is open here: taken, renewed on a timer, and given back.
import { isObject } from "../base/check.js";
import { LlamaHooksError } from "../base/errors.js";
import { inMessage, isDead, thisProcess } from "./holder.js";
import type { LeaseAnswer } from "./session-store.js";
import type { StoreCalls } from "./store-calls.js";

export class Lease {
  readonly fence: number;
  readonly #calls: StoreCalls;
  readonly #id: string;
  readonly #timer: NodeJS.Timeout;
  #renewing: Promise<void> | undefined;
  #lost: LlamaHooksError | undefined;
  /** Called once, when it turns out that another process has taken the session over. */
  onLost: (error: LlamaHooksError) => void = () => undefined;

  private constructor(calls: StoreCalls, id: string, fence: number, ttlMs: number) {
    this.#calls = calls;
    this.#id = id;
    this.fence = fence;
    // Two renewals may fail before the lease ends.
    this.#timer = setInterval(() => void (this.#renewing ??= this.#renew(ttlMs)), ttlMs / 3).unref();
  }

  /** Errors: SESSION_BUSY, with the holder; SESSION_STORE_FAILED. */
  static async take(calls: StoreCalls, id: string, ttlMs: number): Promise<Lease> {
    const ask = async (dead?: number): Promise<LeaseAnswer> => {
      const request = { holder: thisProcess(), ttlMs, ...(dead !== undefined && { dead }) };
      const what = `acquire(${JSON.stringify(id)})`;
      const answer: unknown = await calls.call(what, (store) => store.acquire(id, request));
      return calls.check(what, answer as LeaseAnswer, isObject(answer) && Number.isSafeInteger(answer["fence"]));
    };
    let answer = await ask();
    // Another process may be quicker, and die as well.
    for (let tries = 0; tries < 10 && "heldBy" in answer && isDead(answer.heldBy); ++tries)
      answer = await ask(answer.fence);
    if (!("heldBy" in answer)) return new Lease(calls, id, answer.fence, ttlMs);
    const { heldBy, expiresInMs } = answer;
    const message = `${inMessage(heldBy)} holds the stored session ${id}`;
    throw new LlamaHooksError("SESSION_BUSY", message, { details: { holder: heldBy, expiresInMs } });
  }

  /** SESSION_LOST once another process has taken the session over. */
  get lost(): LlamaHooksError | undefined {
    return this.#lost;
  }

  /** For a save that the store has refused, too. */
  lose(): LlamaHooksError {
    if (this.#lost !== undefined) return this.#lost;
    const message = `another process has taken over the stored session ${this.#id}`;
    this.#lost = new LlamaHooksError("SESSION_LOST", message);
    clearInterval(this.#timer);
    this.onLost(this.#lost);
    return this.#lost;
  }

  /** A failure of the store is not reported here: the lease ends by itself, and a save then fails, too. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewing;
    const release = `release(${JSON.stringify(this.#id)})`;
    await this.#calls.call(release, (store) => store.release(this.#id, this.fence)).catch(() => undefined);
  }

  /** Ends the renewal without giving the lease back: the session has been deleted with it. */
  forget(): void {
    clearInterval(this.#timer);
  }

  async #renew(ttlMs: number): Promise<void> {
    try {
      const what = `renew(${JSON.stringify(this.#id)})`;
      const mine = await this.#calls.call(what, (store) => store.renew(this.#id, this.fence, ttlMs));
      if (!mine) this.lose();
    } catch {
      // The next one may succeed. If none does, the store refuses what this process saves once another has the lease.
    } finally {
      this.#renewing = undefined;
    }
  }
}
