// Calls the methods of a store: limits their time, and turns their failures into errors of this package.
import { wrong } from "../base/check.js";
import { LlamaHooksError } from "../base/errors.js";
import { messageOf } from "../base/thrown.js";
import type { SessionStore } from "./session-store.js";

const methods = ["load", "save", "list", "delete", "acquire", "renew", "release"] as const;

/** Errors: `TypeError` if a method is missing, or `append` is not a method. */
export function checkStore(value: unknown, what: string): SessionStore {
  const store = value as SessionStore | null | undefined;
  const isStore = typeof store === "object" && store !== null && typeof store.name === "string";
  const missing = isStore ? methods.find((name) => typeof store[name] !== "function") : "name";
  if (!isStore || missing !== undefined)
    throw wrong(what, `a path or a session store, which has ${missing === "name" ? "a name" : `${missing}()`}`, value);
  if (store.append !== undefined && typeof store.append !== "function")
    throw wrong(`${what}: append`, "a method or undefined", store.append);
  return store;
}

export class StoreCalls {
  readonly store: SessionStore;
  readonly #timeoutMs: number;

  constructor(store: SessionStore, timeoutMs: number) {
    this.store = store;
    this.#timeoutMs = timeoutMs;
  }

  /** Errors: SESSION_STORE_FAILED if the store fails, or does not answer in time; SESSION_FILE_INVALID of the store. */
  async call<T>(what: string, work: (store: SessionStore) => Promise<T>): Promise<T> {
    return this.limited(what, this.begin(what, work));
  }

  /** Begins a call without a limit of time. */
  async begin<T>(what: string, work: (store: SessionStore) => Promise<T>): Promise<T> {
    try {
      return await work(this.store);
    } catch (cause) {
      if (LlamaHooksError.isInstance(cause) && cause.code === "SESSION_FILE_INVALID") throw cause;
      throw this.failed(`${what} failed: ${messageOf(cause)}`, cause);
    }
  }

  /** Rejects if the call does not settle in time; the call itself continues. */
  async limited<T>(what: string, call: Promise<T>): Promise<T> {
    if (this.#timeoutMs === 0) return call;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = (): Error => this.failed(`${what} took longer than ${this.#timeoutMs} ms`);
      timer = setTimeout(() => reject(error()), this.#timeoutMs);
    });
    try {
      return await Promise.race([call, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Errors: SESSION_STORE_FAILED unless `fits`. */
  check<T>(what: string, answer: T, fits: boolean): T {
    if (!fits) throw this.failed(`${what} returned something else than the interface says`);
    return answer;
  }

  /** Returns what `check` returns. Errors: SESSION_STORE_FAILED, with the reason, if it throws. */
  fits<T>(what: string, check: () => T): T {
    try {
      return check();
    } catch (error) {
      throw this.failed(`${what} returned something else than the interface says: ${messageOf(error)}`, error);
    }
  }

  failed(message: string, cause?: unknown): LlamaHooksError {
    const text = `the session store (${this.store.name}): ${message}`;
    return new LlamaHooksError("SESSION_STORE_FAILED", text, cause === undefined ? {} : { cause });
  }
}
