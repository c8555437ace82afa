// The Sessions class: opens, resumes, lists and deletes stored sessions.
import { randomBytes } from "node:crypto";
import { errorsNameCallers } from "../base/call-site.js";
import { checkObject, isObject, optionalBoolean, optionalInteger, optionalTags, wrong } from "../base/check.js";
import { LlamaHooksError } from "../base/errors.js";
import { Session, type SessionHost } from "../sessions/session.js";
import type { SessionOptions } from "../sessions/session-options.js";
import { Lease } from "./lease.js";
import { checkInfo } from "./session-info.js";
import type { SessionInfo, SessionQuery, SessionTags, StoredRecord } from "./session-store.js";
import type { StoreCalls } from "./store-calls.js";
import { StoredSession } from "./stored-session.js";

/** Options of `engine.sessions.open()`: those of `engine.session()`, and `autosave`. */
export interface OpenSessionOptions extends SessionOptions {
  /**
   * True: the session saves itself [false]: when it is opened, after each iteration of a run, at the end of a run, when
   * a message is queued, after `compact()`, and at close. A run does not wait for a save between iterations; if the
   * store is slow, the next save has the newest state. A run resolves when the store has everything that the run said,
   * or the save has failed: see `session.saveError`.
   */
  readonly autosave?: boolean;
}

/**
 * Options of `engine.sessions.resume()`: those of `engine.sessions.open()`, with the tools and tiers of the session.
 */
export type ResumeSessionOptions = Omit<OpenSessionOptions, "id" | "history">;

/** Options of `engine.sessions.list()`. Times are in milliseconds since 1970, or `Date`s. */
export interface ListSessionsOptions extends Omit<SessionQuery, "before" | "after"> {
  /** Only sessions that were saved last before this time. */
  readonly before?: number | Date;
  /** Only sessions that were saved last after this time. */
  readonly after?: number | Date;
}

/**
 * The stored sessions of an engine, in the store that `createEngine({ sessionStore })` names. A stored session keeps
 * its id, and has a lease: one process at a time can have it open.
 * Misuse rejects with `TypeError`. Errors of every method: INVALID_ARGUMENT for an id that no session can have, or if
 * the engine has no store; SESSION_STORE_FAILED.
 */
export class Sessions {
  readonly #host: () => SessionHost;
  readonly #calls: StoreCalls | undefined;
  readonly #leaseMs: number;
  readonly #open = new Set<StoredSession>();

  static {
    errorsNameCallers(Sessions, "open", "resume", "list", "delete");
  }

  /** Called by the engine only. */
  constructor(host: () => SessionHost, calls: StoreCalls | undefined, leaseMs: number) {
    this.#host = host;
    this.#calls = calls;
    this.#leaseMs = leaseMs;
  }

  /**
   * Opens a new session in the store. It is listed once it has been saved; with `autosave` that is when the promise
   * resolves. Errors: those of `engine.session()`; INVALID_ARGUMENT if a session of that id is stored; SESSION_BUSY if
   * another process has opened one.
   *
   * @example
   * ```ts
   * const session = await engine.sessions.open({ tools: [search], tags: { user: "ada" }, autosave: true });
   * await session.run("Summarize the letters."); // resolves when the store has it
   * await session.close();
   * ```
   */
  async open(options?: OpenSessionOptions): Promise<StoredSession> {
    const { id = newId(), autosave, rest } = checkOptions(options, "sessions.open() options");
    return this.#take(checkId(id), async (lease, calls) => {
      const stored = await this.#load(id);
      if (stored !== undefined) {
        const message = `a session ${id} is stored in ${calls.store.name}; resume() opens it`;
        throw new LlamaHooksError("INVALID_ARGUMENT", message, { param: "id" });
      }
      return this.#opened({ ...rest, id }, { lease, calls, autosave, stored });
    });
  }

  /**
   * Opens a stored session where its last save left it, with the same id and with the tools, tiers and options given
   * here, which are not stored. `tags` replace the stored ones [the stored tags]. Interrupted work does not restart by
   * itself: a tool call without a result has the result `not run: the session was interrupted`.
   * Errors: those of `engine.session()`; NOT_FOUND; SESSION_BUSY if a live process has the session open, with the
   * `details` `holder` and `expiresInMs`; SESSION_FILE_INVALID if the record is damaged, or names a tier or phase that
   * the options lack.
   *
   * @example
   * ```ts
   * const session = await engine.sessions.resume("letters", { tools: [search], autosave: true });
   * console.log(session.history().length);
   * ```
   */
  async resume(id: string, options?: ResumeSessionOptions): Promise<StoredSession> {
    const { autosave, rest } = checkOptions(options, "sessions.resume() options", true);
    return this.#take(checkId(id), async (lease, calls) => {
      const stored = await this.#load(id);
      if (stored === undefined)
        throw new LlamaHooksError("NOT_FOUND", `no session ${id} is stored in ${calls.store.name}`);
      return this.#opened({ tags: stored.tags, ...rest, id }, { lease, calls, autosave, stored });
    });
  }

  /** True if the engine has a session store. */
  get hasStore(): boolean {
    return this.#calls !== undefined;
  }

  /**
   * Returns the stored sessions, the one that was saved last first. Damaged ones have an `error`. If tool calls of a
   * session wait for an answer, its entry has them in `waiting`, as in `session.waiting`, so that you need not resume
   * the session to find out.
   *
   * @example
   * ```ts
   * const newest = await engine.sessions.list({ tags: { user: "ada" }, limit: 20 });
   * for (const { id, updatedAt } of newest) console.log(id, updatedAt);
   * ```
   */
  async list(options?: ListSessionsOptions): Promise<readonly SessionInfo[]> {
    const given = checkObject(options, "sessions.list() options", ["tags", "before", "after", "limit"]);
    const tags = optionalTags(given.tags, "tags") as SessionTags | undefined;
    const [before, after] = [timeOf(given.before, "before"), timeOf(given.after, "after")];
    const limit = optionalInteger(given.limit, "limit", 1);
    const query: SessionQuery = {
      ...(tags !== undefined && { tags }),
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
      ...(limit !== undefined && { limit }),
    };
    const calls = this.#stores();
    const listed = await calls.call("list()", (store) => store.list(query));
    for (const info of calls.check("list()", listed, Array.isArray(listed)))
      calls.fits("list()", () => checkInfo(info));
    return listed;
  }

  /**
   * Deletes a stored session. Returns false if there is none. Errors: SESSION_BUSY while a live process, this one
   * included, has it open.
   *
   * @example
   * ```ts
   * const existed = await engine.sessions.delete("letters");
   * ```
   */
  async delete(id: string): Promise<boolean> {
    return this.#take(checkId(id), async (lease, calls) => {
      const what = `delete(${JSON.stringify(id)})`;
      const deleted = await calls.call(what, (store) => store.delete(id, lease.fence));
      if (deleted) lease.forget();
      else await lease.release();
      return deleted;
    });
  }

  /** Called by the engine before it closes its sessions. Returns the function that it calls when they are closed. */
  static beginClose(sessions: Sessions): () => Promise<void> {
    const open = [...sessions.#open];
    for (const session of open) StoredSession.beginClose(session);
    return async () => {
      const ends = await Promise.allSettled(open.map((session) => StoredSession.endClose(session)));
      const failed = ends.find(({ status }) => status === "rejected");
      if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
    };
  }

  #stores(): StoreCalls {
    if (this.#calls !== undefined) return this.#calls;
    const message = "the engine has no session store: pass createEngine({ sessionStore }), for example a folder";
    throw new LlamaHooksError("INVALID_ARGUMENT", message, { param: "sessionStore" });
  }

  async #take<T>(id: string, work: (lease: Lease, calls: StoreCalls) => Promise<T>): Promise<T> {
    const calls = this.#stores();
    const lease = await Lease.take(calls, id, this.#leaseMs);
    try {
      return await work(lease, calls);
    } catch (error) {
      await lease.release();
      throw error;
    }
  }

  async #load(id: string): Promise<StoredRecord | undefined> {
    const calls = this.#stores();
    const what = `load(${JSON.stringify(id)})`;
    const stored: unknown = await calls.call(what, (store) => store.load(id));
    if (stored === undefined) return undefined;
    const record = isObject(stored) ? stored["record"] : undefined;
    const fits = typeof record === "string" && calls.fits(what, () => checkInfo(stored)).id === id;
    const loaded = calls.check(what, stored as StoredRecord, fits);
    if (loaded.record !== "") return loaded;
    throw new LlamaHooksError("SESSION_FILE_INVALID", `${calls.store.name}: session ${id}: its record is empty`);
  }

  async #opened(
    options: SessionOptions & { readonly id: string },
    place: Pick<ConstructorParameters<typeof StoredSession>[1], "lease" | "calls" | "autosave" | "stored">,
  ): Promise<StoredSession> {
    const { stored, calls, autosave } = place;
    const parts = naming(`${calls.store.name}: session ${options.id}`, () =>
      Session.partsOf(this.#host(), options, stored === undefined ? {} : { record: stored.record }),
    );
    const tags = (options.tags ?? {}) as SessionTags;
    const session = new StoredSession(parts, { ...place, tags, closed: (it) => void this.#open.delete(it) });
    this.#open.add(session);
    if (!autosave || stored !== undefined) return session;
    try {
      await session.save();
    } catch (error) {
      await session.close().catch(() => undefined); // the caller gets the first error
      throw error;
    }
    return session;
  }
}

/** The engine does not know where a damaged record was. */
function naming<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof LlamaHooksError) || error.code !== "SESSION_FILE_INVALID") throw error;
    throw new LlamaHooksError(error.code, `${place}: ${error.message}`, { cause: error });
  }
}

/** Ids in the order of their times. */
function newId(): string {
  return `session-${Date.now().toString(36).padStart(9, "0")}${randomBytes(10).toString("hex")}`;
}

/** Checks an id like the engine does: it may be the name of a file. */
function checkId(id: unknown): string {
  if (typeof id !== "string") throw wrong("id", "a string", id);
  if (/^[a-z0-9][\w.-]{0,99}$/i.test(id)) return id;
  const message = `id must have 1 to 100 letters, digits, -, _ and ., and begin with a letter or digit; it is ${JSON.stringify(id)}`;
  throw new LlamaHooksError("INVALID_ARGUMENT", message, { param: "id" });
}

/** The options of `engine.session()` are checked when the session is opened. */
function checkOptions(
  options: unknown,
  what: string,
  resumes = false,
): { readonly id: string | undefined; readonly autosave: boolean; readonly rest: SessionOptions } {
  if (options !== undefined && !isObject(options)) throw wrong(what, "an object", options);
  const { autosave, id, ...rest } = (options ?? {}) as OpenSessionOptions;
  for (const name of resumes ? (["id", "history"] as const) : []) {
    if (options !== undefined && name in options) checkObject({ [name]: 0 }, what, ["autosave"]);
  }
  Session.check(rest);
  return { id, autosave: optionalBoolean(autosave, "autosave") ?? false, rest };
}

function timeOf(value: unknown, what: string): number | undefined {
  if (value === undefined) return undefined;
  const time = value instanceof Date ? value.getTime() : value;
  if (typeof time === "number" && Number.isFinite(time)) return time;
  throw wrong(what, "a time in milliseconds or a Date", value);
}
