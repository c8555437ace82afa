// The statements that write sessions to the tables of a SqliteFile, and read their records. Must not: change anything
// unless the caller has checked the lease in the same transaction.
import { applyChanges } from "./apply-changes.js";
import type { RecordChange, SessionChange, StoredRecord } from "./session-store.js";
import type { Row, Statements, Value } from "./sqlite-file.js";

type Info = Omit<StoredRecord, "record">;

/** True if the lease is the current one. */
export function isCurrent(database: Statements, id: string, fence: number): boolean {
  return database.get("SELECT 1 FROM leases WHERE id = ? AND fence = ?", id, fence) !== undefined;
}

/** Writes a session in place of the old one and its changes. */
export function writeWhole(database: Statements, session: StoredRecord): void {
  const { id, createdAt, record } = session;
  if (!updateInfo(database, session)) {
    const sql = "INSERT INTO sessions (tags, updated_at, messages, waiting, id, created_at) VALUES (?, ?, ?, ?, ?, ?)";
    database.changes(sql, ...valuesOf(session), id, createdAt);
  }
  database.changes("DELETE FROM records WHERE id = ?", id);
  database.changes("INSERT INTO records (id, number, text) VALUES (?, 0, ?)", id, record);
}

/** False, with nothing written: the session is not stored. */
export function writeChange(database: Statements, { from, edits, ...info }: SessionChange): boolean {
  const { id } = info;
  const last = database.get("SELECT max(number) AS number FROM records WHERE id = ?", id)?.["number"];
  if (typeof last !== "number" || !updateInfo(database, info)) return false;
  const text = JSON.stringify({ from, edits });
  return database.changes("INSERT INTO records (id, number, text) VALUES (?, ?, ?)", id, last + 1, text);
}

/** The rows of a record and its changes. */
export function recordRows(database: Statements, id: string): readonly Row[] {
  return [...database.iterate("SELECT number, text FROM records WHERE id = ? ORDER BY number", id)];
}

/** Throws, with the reason, if a row is damaged or missing. */
export function recordOf(rows: readonly Row[]): string {
  const [record, ...changes] = rows.map(({ number, text }, index) => {
    if (number !== index) throw new Error(`part ${index} of its record is missing`);
    if (typeof text !== "string") throw new Error("its record is not a text");
    return text;
  });
  if (record === undefined) throw new Error("its record is missing");
  return applyChanges(
    record,
    changes.map((text) => JSON.parse(text) as RecordChange),
  );
}

function updateInfo(database: Statements, info: Info): boolean {
  const sql = "UPDATE sessions SET tags = ?, updated_at = ?, messages = ?, waiting = ? WHERE id = ?";
  return database.changes(sql, ...valuesOf(info), info.id);
}

function valuesOf({ tags, updatedAt, messages, waiting }: Info): readonly Value[] {
  return [JSON.stringify(tags), updatedAt, messages, waiting === undefined ? null : JSON.stringify(waiting)];
}
