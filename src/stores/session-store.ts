// The interface of a session store: the places where an engine keeps sessions between processes.
import type { LlamaHooksError } from "../base/errors.js";
import type { WaitingCall } from "../generated/results.js";

/** Tags of a stored session: a flat object of texts, numbers and booleans. */
export type SessionTags = Readonly<Record<string, string | number | boolean>>;

/** A stored session without its content. */
export interface SessionInfo {
  /** The id, for `engine.sessions.resume()`. */
  readonly id: string;
  /** The tags of the session. */
  readonly tags: SessionTags;
  /** Time of the first save, in milliseconds since 1970. */
  readonly createdAt: number;
  /** Time of the last save, in milliseconds since 1970. */
  readonly updatedAt: number;
  /** The number of messages of the conversation, with those that compactions removed. */
  readonly messages: number;
  /**
   * The tool calls that wait for an answer, as in `session.waiting`; absent: none waits. Their ids stay the same as
   * long as they wait. If your own store does not keep them, its lists do not have them.
   */
  readonly waiting?: readonly WaitingCall[];
  /** The reason why the session cannot be read: SESSION_FILE_INVALID. The other fields then have the known values. */
  readonly error?: LlamaHooksError;
}

/** A stored session. */
export interface StoredRecord extends Omit<SessionInfo, "error"> {
  /** The session as text: JSON in UTF-8. Keep it as it is; parsing and printing it would change large numbers. */
  readonly record: string;
}

/** One difference between two records. Numbers are in UTF-16 code units, as the length of a string. */
export interface RecordEdit {
  /** The length of the text that stays, since the edit before or the beginning. */
  readonly keep: number;
  /** The length of the text that is removed there. */
  readonly drop: number;
  /** The text that takes its place. */
  readonly insert: string;
}

/** The differences between a record and the one before. The text behind the last edit stays. */
export interface RecordChange {
  /** The length of the record before the change. */
  readonly from: number;
  /** The edits in the order of the text; empty if only other fields of the session have changed. */
  readonly edits: readonly RecordEdit[];
}

/** A session that has changed since its last save: all of its fields, and the change of its record. */
export interface SessionChange extends Omit<StoredRecord, "record">, RecordChange {}

/**
 * The outcome of `append()`. `appended`: the store has the change. `lost`: nothing was written, because the lease is
 * another. `save`: nothing was written, because the store does not have the record before, or wants the whole record;
 * the engine then calls `save()`.
 */
export type AppendAnswer = "appended" | "lost" | "save";

/** The sessions that `list()` returns. */
export interface SessionQuery {
  /** Only sessions that have all of these tags, with equal values. */
  readonly tags?: SessionTags;
  /** Only sessions whose `updatedAt` is less, in milliseconds since 1970. */
  readonly before?: number;
  /** Only sessions whose `updatedAt` is greater, in milliseconds since 1970. */
  readonly after?: number;
  /** At most this many: the newest. */
  readonly limit?: number;
}

/** A request for the lease of a session. */
export interface LeaseRequest {
  /** The process that asks, as a text that the store keeps unchanged. */
  readonly holder: string;
  /** The lease ends this many milliseconds after it was given or renewed last. */
  readonly ttlMs: number;
  /** The number of a lease that counts as ended, because its holder is known to be dead. */
  readonly dead?: number;
}

/** The answer to a request: a lease, or the one that another process holds. */
export type LeaseAnswer =
  | {
      /** The number of the new lease. */
      readonly fence: number;
    }
  | {
      /** The text that its holder gave. */
      readonly heldBy: string;
      /** The number of the lease that is held. */
      readonly fence: number;
      /** Milliseconds until it ends, unless it is renewed. */
      readonly expiresInMs: number;
    };

/**
 * Keeps sessions for `createEngine({ sessionStore })`. `folderStore()` and `sqliteStore()` return one; write your own
 * for a database.
 *
 * Several processes use a store at the same time, so each method must be atomic. A lease is the right of one process to
 * run and save a session. It has a number, the fence, which is greater than that of every earlier lease of the id, also
 * of a deleted one: take the last number plus one or, if that is greater, the time in microseconds since 1970.
 *
 * A method reports a failure by rejecting with any error; the engine wraps the error in SESSION_STORE_FAILED, which
 * names the store and the session, and has the error as `cause`. A `LlamaHooksError` with the code SESSION_FILE_INVALID
 * is passed on unchanged: throw one for a record that is damaged. The engine calls `save()` or `append()` of one
 * session again only when the call before has settled.
 */
export interface SessionStore {
  /** The name in messages: `the folder sessions`, `Redis`. */
  readonly name: string;
  /** Returns a session; undefined if there is none of that id. */
  load(id: string): Promise<StoredRecord | undefined>;
  /**
   * Writes a session, new or in place of the old one, if `fence` is the number of the current lease of its id, whether
   * that lease has expired or not. Otherwise writes nothing and returns false. When it returns true, the session
   * survives the end of the process.
   */
  save(session: StoredRecord, fence: number): Promise<boolean>;
  /**
   * Optional: writes what has changed since the last `save()` or `append()`, so that a long session is not written
   * whole at each save. It keeps all promises of `save()`. Until the next `save()`, which replaces the record and its
   * changes, `load()` applies the changes in their order, with `applyChanges()`, and returns the fields of the last
   * one; `list()` returns these fields, too. The engine calls `save()` for the first save after a session is opened,
   * after a failure, and when the changes would be longer than the record.
   *
   * @example
   * ```ts
   * async append({ from, edits, ...info }, fence) {
   *   // In a transaction: both statements, or none.
   *   if (!(await isCurrent(info.id, fence))) return "lost";
   *   if (!(await updateInfo(info))) return "save"; // the session is not there
   *   await insertChange(info.id, JSON.stringify({ from, edits }));
   *   return "appended";
   * },
   * async load(id) {
   *   const { info, record, changes } = await select(id);
   *   return { ...info, record: applyChanges(record, changes.map((text) => JSON.parse(text))) };
   * },
   * ```
   */
  append?(change: SessionChange, fence: number): Promise<AppendAnswer>;
  /** Returns the sessions that fit, the one that was updated last first, at equal times by id from z to a. */
  list(query: SessionQuery): Promise<readonly SessionInfo[]>;
  /**
   * Removes a session and the lease, if `fence` is the number of the current lease. Returns false if there was no
   * session, or the lease is another.
   */
  delete(id: string, fence: number): Promise<boolean>;
  /** Gives out a lease, unless another one is held, has not expired and is not `dead`. The id need not exist. */
  acquire(id: string, request: LeaseRequest): Promise<LeaseAnswer>;
  /**
   * Extends the lease to `ttlMs` milliseconds from now, even if it has expired; `ttlMs` is that of `acquire()`. False:
   * another lease has replaced it.
   */
  renew(id: string, fence: number, ttlMs: number): Promise<boolean>;
  /**
   * Ends the lease if it is the current one. If the id has no session, the store need not keep anything of the lease.
   */
  release(id: string, fence: number): Promise<void>;
}

/** True if the session is one that the query asks for, apart from `limit`. For stores that filter in JavaScript. */
export function matchesQuery(
  info: SessionInfo,
  { tags = {}, before = Infinity, after = -Infinity }: SessionQuery,
): boolean {
  if (!(info.updatedAt < before && info.updatedAt > after)) return false;
  return Object.entries(tags).every(([name, value]) => Object.hasOwn(info.tags, name) && info.tags[name] === value);
}

/** The time in microseconds since 1970, for numbers of leases. */
export function microseconds(): number {
  return Math.floor((performance.timeOrigin + performance.now()) * 1000);
}
