// Uses a database file with the tables of sessions. Another process may lock it: every use then tries again, and the
// event loop continues between the attempts.
import { setTimeout as sleep } from "node:timers/promises";
import { LlamaHooksError } from "../base/errors.js";
import { runtimeText } from "../base/runtime.js";

export type Value = string | number | null;
/** Integers are numbers. */
export type Row = Record<string, unknown>;

/** The parts of `node:sqlite` that are used here; the types of Node 20 lack the module. */
interface Statement {
  get(...values: Value[]): Row | undefined;
  run(...values: Value[]): { readonly changes: number | bigint };
  iterate(...values: Value[]): IterableIterator<Row>;
  setReadBigInts(on: boolean): void;
}
interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}
interface Sqlite {
  readonly DatabaseSync: new (path: string) => Database;
}

/** Milliseconds for which a use waits until another process has unlocked the file. */
const mostBusyMs = 10_000;
const longestPauseMs = 50;

// A session's row is small, because SQLite writes a row whole. Its record is number 0 of `records`, its changes follow.
const tables = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS sessions (
    id TEXT PRIMARY KEY, tags TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    messages INTEGER NOT NULL, waiting TEXT);
  CREATE INDEX IF NOT EXISTS sessions_by_time ON sessions (updated_at DESC, id DESC);
  CREATE TABLE IF NOT EXISTS records (
    id TEXT NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (id, number));
  CREATE TABLE IF NOT EXISTS leases (
    id TEXT PRIMARY KEY, fence INTEGER NOT NULL, holder TEXT NOT NULL, expires_at INTEGER NOT NULL);`;

/** Statements of one use. */
export class Statements {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  get(sql: string, ...values: Value[]): Row | undefined {
    const row = this.#prepare(sql).get(...values);
    return row && plain(row);
  }

  *iterate(sql: string, ...values: Value[]): Generator<Row> {
    for (const row of this.#prepare(sql).iterate(...values)) yield plain(row);
  }

  /** True if the statement changed a row. */
  changes(sql: string, ...values: Value[]): boolean {
    return Number(this.#prepare(sql).run(...values).changes) > 0;
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  #prepare(sql: string): Statement {
    const statement = this.#database.prepare(sql);
    statement.setReadBigInts(true); // as a number, a large integer would throw
    return statement;
  }
}

export class SqliteFile {
  readonly #statements: Statements;
  #isReady = false;

  /** Throws if the file is not a database. */
  constructor(file: string) {
    const database = new (SqliteFile.require().DatabaseSync)(file);
    this.#statements = new Statements(database);
    try {
      this.#prepare();
    } catch (error) {
      if (isLocked(error)) return; // the first use tries again
      database.close();
      throw error;
    }
  }

  /** Errors: UNSUPPORTED if this Node has no SQLite. */
  static require(): Sqlite {
    const sqlite = process.getBuiltinModule?.("node:sqlite") as Sqlite | undefined;
    if (sqlite !== undefined) return sqlite;
    const message = `sqliteStore() needs node:sqlite: Node.js 22.13 or newer, and this is ${runtimeText()}; folderStore() needs nothing`;
    throw new LlamaHooksError("UNSUPPORTED", message);
  }

  /** Calls `work`, which must be repeatable, until no other process has locked the file. */
  async use<T>(work: (statements: Statements) => T): Promise<T> {
    const end = performance.now() + mostBusyMs;
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        this.#prepare();
        return work(this.#statements);
      } catch (error) {
        if (!isLocked(error) || performance.now() > end) throw error;
      }
      await sleep(pauseMs);
    }
  }

  /** Like `use()`: other processes see all changes of `work`, or none. */
  atomically<T>(work: (statements: Statements) => T): Promise<T> {
    return this.#within("BEGIN IMMEDIATE", work);
  }

  /** Like `use()`: `work` only reads, and sees no changes that other processes make meanwhile. */
  reading<T>(work: (statements: Statements) => T): Promise<T> {
    return this.#within("BEGIN", work);
  }

  #within<T>(begin: string, work: (statements: Statements) => T): Promise<T> {
    return this.use((statements) => {
      statements.exec(begin);
      try {
        const result = work(statements);
        statements.exec("COMMIT");
        return result;
      } catch (error) {
        rollBack(statements);
        throw error;
      }
    });
  }

  #prepare(): void {
    if (this.#isReady) return;
    this.#statements.exec("PRAGMA busy_timeout = 0");
    this.#statements.exec(tables);
    this.#isReady = true;
  }
}

/** After some errors the transaction has already ended. */
function rollBack(statements: Statements): void {
  try {
    statements.exec("ROLLBACK");
  } catch {
    // The caller receives the first error.
  }
}

function plain(row: Row): Row {
  const entries = Object.entries(row).map(([name, value]) => [name, typeof value === "bigint" ? Number(value) : value]);
  return Object.fromEntries(entries) as Row;
}

/** SQLITE_BUSY and SQLITE_LOCKED, with the numbers that say why. */
function isLocked(error: unknown): boolean {
  const { errcode } = error as { readonly errcode?: unknown };
  return typeof errcode === "number" && [5, 6].includes(errcode & 0xff);
}
