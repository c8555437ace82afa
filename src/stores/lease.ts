// The lease of a stored session while it is open here: taken, renewed on a timer, and given back.
import { isObject } from "../base/check.js";
import { LlamaHooksError } from "../base/errors.js";
import { inMessage, isDead, isHolder, thisProcess } from "./holder.js";
import type { LeaseAnswer, LeaseRequest } from "./session-store.js";
import type { StoreCalls } from "./store-calls.js";

export class Lease {
  readonly fence: number;
  readonly #calls: StoreCalls;
  readonly #id: string;
  readonly #ttlMs: number;
  readonly #timer: NodeJS.Timeout;
  #renewing: Promise<void> | undefined;
  #lost: LlamaHooksError | undefined;
  /** Called once, when it turns out that another process has taken the session over. */
  onLost: (error: LlamaHooksError) => void = () => undefined;

  private constructor(calls: StoreCalls, id: string, fence: number, ttlMs: number) {
    this.#calls = calls;
    this.#id = id;
    this.fence = fence;
    this.#ttlMs = ttlMs;
    // Two renewals may fail before the lease ends.
    this.#timer = setInterval(() => void (this.#renewing ??= this.#renew()), ttlMs / 3).unref();
  }

  /** Errors: SESSION_BUSY, with the holder; SESSION_STORE_FAILED. */
  static async take(calls: StoreCalls, id: string, ttlMs: number): Promise<Lease> {
    const ask = (dead?: number): Promise<LeaseAnswer> => {
      const request = { holder: thisProcess(), ttlMs, ...(dead !== undefined && { dead }) };
      return askFor(calls, id, request);
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

  /** Also called for a save that the store has refused. */
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

  /** Renews the lease now, however long that takes. Errors: SESSION_STORE_FAILED; SESSION_LOST. */
  async confirm(): Promise<void> {
    if (this.#lost !== undefined) throw this.#lost;
    const renew = `renew(${JSON.stringify(this.#id)})`;
    const mine = await this.#calls.begin(renew, (store) => store.renew(this.#id, this.fence, this.#ttlMs));
    if (!mine) throw this.lose();
  }

  async #renew(): Promise<void> {
    try {
      await this.#calls.limited(`renew(${JSON.stringify(this.#id)})`, this.confirm());
    } catch {
      // The next one may succeed. If none does, the store refuses what this process saves once another has the lease.
    } finally {
      this.#renewing = undefined;
    }
  }
}

/** Errors: SESSION_STORE_FAILED. If the store grants a lease too late, the lease is given back. */
async function askFor(calls: StoreCalls, id: string, request: LeaseRequest): Promise<LeaseAnswer> {
  const what = `acquire(${JSON.stringify(id)})`;
  const asked = calls.begin(what, (store) => store.acquire(id, request));
  let answer: unknown;
  try {
    answer = await calls.limited(what, asked);
  } catch (error) {
    const giveBack = async (late: LeaseAnswer): Promise<unknown> =>
      "heldBy" in late ? undefined : calls.store.release(id, late.fence);
    void asked.then(giveBack).catch(() => undefined); // the caller receives the first error
    throw error;
  }
  const fits = isObject(answer) && Number.isSafeInteger(answer["fence"]);
  const given = calls.check(what, answer as LeaseAnswer, fits);
  if ("heldBy" in given)
    calls.check(what, given, Number.isFinite(given.expiresInMs) && typeof given.heldBy === "string");
  if ("heldBy" in given && !isHolder(given.heldBy)) throw calls.failed(`${what}: the holder of the lease is damaged`);
  return given;
}
