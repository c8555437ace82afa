// Sessions in a database of SQLite, with the SQLite that Node has.
import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import path from "node:path";
import { requiredString } from "../base/check.js";
import { LlamaHooksError } from "../base/errors.js";
import { runtimeText } from "../base/runtime.js";
import { messageOf } from "../base/thrown.js";
import {
  type LeaseAnswer,
  type LeaseRequest,
  matchesQuery,
  microseconds,
  type SessionInfo,
  type SessionQuery,
  type SessionStore,
  type SessionTags,
  type StoredRecord,
} from "./session-store.js";

type Value = string | number;

/** The parts of `node:sqlite` that are used here; the types of Node 20 lack the module. */
interface Statement {
  get(...values: Value[]): Record<string, unknown> | undefined;
  run(...values: Value[]): { readonly changes: number | bigint };
  iterate(...values: Value[]): IterableIterator<Record<string, unknown>>;
}
interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
}
interface Sqlite {
  readonly DatabaseSync: new (path: string) => Database;
}

const tables = `
  PRAGMA busy_timeout = 10000;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS sessions (
    id TEXT PRIMARY KEY, tags TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    messages INTEGER NOT NULL, record TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS sessions_by_time ON sessions (updated_at DESC, id DESC);
  CREATE TABLE IF NOT EXISTS leases (
    id TEXT PRIMARY KEY, fence INTEGER NOT NULL, holder TEXT NOT NULL, expires_at INTEGER NOT NULL);`;

/**
 * Returns a store that keeps sessions in a database of SQLite, which is created if it is missing, for its owner only.
 * Processes of one machine may share the file. It needs a Node.js with `node:sqlite`. Errors: UNSUPPORTED before Node
 * 22.13; INVALID_ARGUMENT if the file cannot be opened as a database.
 */
export function sqliteStore(file: string): SessionStore {
  const name = path.resolve(requiredString(file, "The file of sqliteStore()"));
  const { DatabaseSync } = nodeSqlite();
  try {
    mkdirSync(path.dirname(name), { recursive: true, mode: 0o700 });
    closeSync(openSync(name, "a", 0o600)); // SQLite gives its other files the same mode
    chmodSync(name, 0o600);
    const database = new DatabaseSync(name);
    database.exec(tables);
    return new SqliteStore(name, database);
  } catch (cause) {
    throw new LlamaHooksError("INVALID_ARGUMENT", `cannot open the database ${name}: ${messageOf(cause)}`, { cause });
  }
}

function nodeSqlite(): Sqlite {
  const sqlite = process.getBuiltinModule?.("node:sqlite") as Sqlite | undefined;
  if (sqlite !== undefined) return sqlite;
  const message = `sqliteStore() needs node:sqlite: Node.js 22.13 or newer, and this is ${runtimeText()}; folderStore() needs nothing`;
  throw new LlamaHooksError("UNSUPPORTED", message);
}

class SqliteStore implements SessionStore {
  readonly name: string;
  readonly #database: Database;

  constructor(file: string, database: Database) {
    this.name = `the database ${file}`;
    this.#database = database;
  }

  async load(id: string): Promise<StoredRecord | undefined> {
    const row = this.#database.prepare("SELECT * FROM sessions WHERE id = ?").get(id);
    return row && { ...infoOf(row), record: row["record"] as string };
  }

  async save(session: StoredRecord, fence: number): Promise<boolean> {
    const { id, tags, createdAt, updatedAt, messages, record } = session;
    const sql = `
      INSERT INTO sessions (id, tags, created_at, updated_at, messages, record)
      SELECT ?, ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM leases WHERE id = ? AND fence = ?)
      ON CONFLICT (id) DO UPDATE SET tags = excluded.tags, updated_at = excluded.updated_at,
        messages = excluded.messages, record = excluded.record`;
    return this.#changes(sql, id, JSON.stringify(tags), createdAt, updatedAt, messages, record, id, fence);
  }

  async list(query: SessionQuery): Promise<readonly SessionInfo[]> {
    const sql = `
      SELECT id, tags, created_at, updated_at, messages FROM sessions
      WHERE updated_at < ? AND updated_at > ? ORDER BY updated_at DESC, id DESC`;
    const { before = Number.MAX_SAFE_INTEGER, after = -1, limit = Infinity } = query;
    const infos: SessionInfo[] = [];
    for (const row of this.#database.prepare(sql).iterate(before, after)) {
      const info = infoOf(row);
      if (matchesQuery(info, query)) infos.push(info);
      if (infos.length >= limit) break;
    }
    return infos;
  }

  async delete(id: string, fence: number): Promise<boolean> {
    return this.#atomically(() => {
      const sql = "DELETE FROM sessions WHERE id = ? AND EXISTS (SELECT 1 FROM leases WHERE id = ? AND fence = ?)";
      return this.#changes(sql, id, id, fence) && this.#changes("DELETE FROM leases WHERE id = ?", id);
    });
  }

  async acquire(id: string, { holder, ttlMs, dead = -1 }: LeaseRequest): Promise<LeaseAnswer> {
    return this.#atomically(() => {
      const now = Date.now();
      const held = this.#database.prepare("SELECT * FROM leases WHERE id = ?").get(id);
      const last = (held?.["fence"] ?? 0) as number;
      const expiresInMs = ((held?.["expires_at"] ?? 0) as number) - now;
      if (expiresInMs > 0 && last !== dead) return { heldBy: held?.["holder"] as string, fence: last, expiresInMs };
      const fence = Math.max(microseconds(), last + 1);
      this.#changes("INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?)", id, fence, holder, now + ttlMs);
      return { fence };
    });
  }

  async renew(id: string, fence: number, ttlMs: number): Promise<boolean> {
    return this.#changes("UPDATE leases SET expires_at = ? WHERE id = ? AND fence = ?", Date.now() + ttlMs, id, fence);
  }

  async release(id: string, fence: number): Promise<void> {
    this.#changes("UPDATE leases SET expires_at = 0 WHERE id = ? AND fence = ?", id, fence);
  }

  /** True if the statement changed a row. */
  #changes(sql: string, ...values: Value[]): boolean {
    return Number(this.#database.prepare(sql).run(...values).changes) > 0;
  }

  #atomically<T>(work: () => T): T {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      this.#database.exec("ROLLBACK");
      throw error;
    }
  }
}

function infoOf(row: Record<string, unknown>): SessionInfo {
  return {
    id: row["id"] as string,
    tags: JSON.parse(row["tags"] as string) as SessionTags,
    createdAt: row["created_at"] as number,
    updatedAt: row["updated_at"] as number,
    messages: row["messages"] as number,
  };
}
