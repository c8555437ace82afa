// Keeps sessions in a SQLite database, with Node's SQLite. Must not: wait within SQLite for another process. That would
// block the event loop, and with it every run, timer and request.
import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";
import path from "node:path";
import { requiredString } from "../base/check.js";
import { LlamaHooksError } from "../base/errors.js";
import { checkRegularFile } from "../base/files/regular-file.js";
import { messageOf } from "../base/thrown.js";
import { expiryIn, type KeptLease, leaseText, leftOf, readLease } from "./lease-text.js";
import { checkInfo } from "./session-info.js";
import {
  type AppendAnswer,
  type LeaseAnswer,
  type LeaseRequest,
  matchesQuery,
  microseconds,
  type SessionChange,
  type SessionInfo,
  type SessionQuery,
  type SessionStore,
  type StoredRecord,
} from "./session-store.js";
import { type Row, SqliteFile } from "./sqlite-file.js";
import { isCurrent, recordOf, recordRows, writeChange, writeWhole } from "./sqlite-records.js";

const select = "SELECT id, tags, created_at, updated_at, messages, waiting FROM sessions";
const byTime = "ORDER BY updated_at DESC, id DESC";

/**
 * Returns a store that keeps sessions in a database of SQLite, which is created if it is missing, for its owner only.
 * Processes of one machine may share the file. It needs a Node.js with `node:sqlite`. Errors: UNSUPPORTED before Node
 * 22.13; INVALID_ARGUMENT if the file cannot be opened as a database.
 *
 * @example
 * ```ts
 * const engine = await createEngine({ sessionStore: sqliteStore("sessions.db") });
 * for (const { id, updatedAt, error } of await engine.sessions.list()) console.log(id, updatedAt, error?.message);
 * ```
 */
export function sqliteStore(file: string): SessionStore {
  const name = path.resolve(requiredString(file, "The file of sqliteStore()"));
  SqliteFile.require();
  try {
    mkdirSync(path.dirname(name), { recursive: true, mode: 0o700 });
    if (statSync(name, { throwIfNoEntry: false }) !== undefined) checkRegularFile(name); // opening a pipe would wait
    closeSync(openSync(name, "a", 0o600)); // SQLite gives its other files the same mode
    chmodSync(name, 0o600);
    return new SqliteStore(name, new SqliteFile(name));
  } catch (cause) {
    throw new LlamaHooksError("INVALID_ARGUMENT", `cannot open the database ${name}: ${messageOf(cause)}`, { cause });
  }
}

class SqliteStore implements SessionStore {
  readonly name: string;
  readonly #file: SqliteFile;

  constructor(name: string, file: SqliteFile) {
    this.name = `the database ${name}`;
    this.#file = file;
  }

  async load(id: string): Promise<StoredRecord | undefined> {
    const { row, rows } = await this.#file.reading((database) => ({
      row: database.get(`${select} WHERE id = ?`, id),
      rows: recordRows(database, id),
    }));
    return row && { ...this.#infoOf(row), record: this.#recordOf(row, rows) };
  }

  save(session: StoredRecord, fence: number): Promise<boolean> {
    return this.#file.atomically((database) => {
      if (!isCurrent(database, session.id, fence)) return false;
      writeWhole(database, session);
      return true;
    });
  }

  append(change: SessionChange, fence: number): Promise<AppendAnswer> {
    return this.#file.atomically((database) => {
      if (!isCurrent(database, change.id, fence)) return "lost";
      return writeChange(database, change) ? "appended" : "save";
    });
  }

  async list(query: SessionQuery): Promise<readonly SessionInfo[]> {
    const { before, after, limit = Infinity } = query;
    // Without a bound, infinite times are listed, too: they are damage.
    const within = `updated_at ${before === undefined ? "<=" : "<"} ? AND updated_at ${after === undefined ? ">=" : ">"} ?`;
    return this.#file.use((database) => {
      const infos: SessionInfo[] = [];
      const read = (rows: Iterable<Row>): void => {
        for (const row of rows) {
          if (infos.length >= limit) return;
          const info = this.#listed(row);
          if (matchesQuery(info, query)) infos.push(info);
        }
      };
      // The index finds the times. In the order of SQLite, numbers come first, then texts and blobs, which are damage.
      read(database.iterate(`${select} WHERE ${within} ${byTime}`, before ?? Infinity, after ?? -Infinity));
      read(database.iterate(`${select} WHERE updated_at >= '' ${byTime}`));
      return infos;
    });
  }

  async delete(id: string, fence: number): Promise<boolean> {
    return this.#file.atomically((database) => {
      if (!isCurrent(database, id, fence)) return false;
      database.changes("DELETE FROM records WHERE id = ?", id);
      return (
        database.changes("DELETE FROM sessions WHERE id = ?", id) &&
        database.changes("DELETE FROM leases WHERE id = ?", id)
      );
    });
  }

  async acquire(id: string, request: LeaseRequest): Promise<LeaseAnswer> {
    return this.#file.atomically((database) => {
      const row = database.get("SELECT * FROM leases WHERE id = ?", id);
      const { fence: last, expiresAt, lease } = row === undefined ? noLease : this.#leaseOf(row);
      if (lease !== undefined && last !== request.dead) {
        const { leftMs, isTooFar } = leftOf(lease, expiresAt, request.ttlMs);
        if (isTooFar) database.changes("UPDATE leases SET expires_at = ? WHERE id = ?", expiryIn(leftMs, lease), id);
        if (leftMs > 0) return { heldBy: lease.holder, fence: last, expiresInMs: leftMs };
      }
      const fence = Math.max(microseconds(), last + 1);
      const text = leaseText(request);
      const end = expiryIn(request.ttlMs, readLease(text));
      database.changes("INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?)", id, fence, text, end);
      return { fence };
    });
  }

  async renew(id: string, fence: number, ttlMs: number): Promise<boolean> {
    return this.#file.atomically((database) => {
      const row = database.get("SELECT * FROM leases WHERE id = ? AND fence = ?", id, fence);
      if (row === undefined) return false;
      const end = expiryIn(ttlMs, this.#leaseOf(row).lease);
      return database.changes("UPDATE leases SET expires_at = ? WHERE id = ? AND fence = ?", end, id, fence);
    });
  }

  /** The lease number of a stored session stays, so that numbers grow even if the clock goes back. */
  async release(id: string, fence: number): Promise<void> {
    await this.#file.atomically((database) => {
      database.changes("UPDATE leases SET expires_at = 0 WHERE id = ? AND fence = ?", id, fence);
      const unknown = "NOT EXISTS (SELECT 1 FROM sessions WHERE id = ?)";
      return database.changes(`DELETE FROM leases WHERE id = ? AND fence = ? AND ${unknown}`, id, fence, id);
    });
  }

  /** A row of a list; a damaged row has its error. */
  #listed(row: Row): SessionInfo {
    try {
      return this.#infoOf(row);
    } catch (error) {
      if (!(error instanceof LlamaHooksError)) throw error;
      const [createdAt, updatedAt] = [row["created_at"], row["updated_at"]].map((time) => Number(time) || 0);
      return {
        id: String(row["id"]),
        tags: {},
        createdAt: createdAt ?? 0,
        updatedAt: updatedAt ?? 0,
        messages: 0,
        error,
      };
    }
  }

  /** Errors: SESSION_FILE_INVALID. */
  #infoOf(row: Row): SessionInfo {
    try {
      return checkInfo({
        id: row["id"],
        tags: JSON.parse(row["tags"] as string),
        createdAt: row["created_at"],
        updatedAt: row["updated_at"],
        messages: row["messages"],
        ...(row["waiting"] !== null && { waiting: JSON.parse(row["waiting"] as string) }),
      });
    } catch (error) {
      throw this.#invalid(row, messageOf(error));
    }
  }

  /** Errors: SESSION_FILE_INVALID. */
  #recordOf(row: Row, rows: readonly Row[]): string {
    try {
      return recordOf(rows);
    } catch (error) {
      throw this.#invalid(row, messageOf(error));
    }
  }

  #invalid(row: Row, why: string): LlamaHooksError {
    return new LlamaHooksError("SESSION_FILE_INVALID", `${this.name}: session ${String(row["id"])}: ${why}`);
  }

  #leaseOf({ id, fence, holder, expires_at: expiresAt }: Row): { fence: number; expiresAt: number; lease: KeptLease } {
    const damaged = (why: string): Error =>
      new Error(
        `the lease of ${String(id)} in ${this.name} is damaged: ${why}. Delete it if no process has the session open`,
      );
    if (!Number.isSafeInteger(fence) || (fence as number) < 0) throw damaged("its fence is no number of a lease");
    if (!Number.isFinite(expiresAt)) throw damaged("expires_at is no time");
    try {
      return { fence: fence as number, expiresAt: expiresAt as number, lease: readLease(holder) };
    } catch (error) {
      throw damaged(messageOf(error));
    }
  }
}

const noLease = { fence: 0, expiresAt: 0, lease: undefined } as const;
