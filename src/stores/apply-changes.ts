// Applies the changes of a record. Must not: copy the whole record for each change; there may be thousands.
import { isObject } from "../base/check.js";
import type { RecordChange, RecordEdit } from "./session-store.js";

/** Shorter pieces are joined, so that few are left. */
const pieceLength = 4096;

/**
 * The record after changes that `append()` got, in their order. For stores that have an `append()`. Throws, with the
 * reason, if a change does not fit the record before it.
 *
 * @example
 * ```ts
 * applyChanges('{"n":1}', [{ from: 7, edits: [{ keep: 5, drop: 1, insert: "12" }] }]); // '{"n":12}'
 * ```
 */
export function applyChanges(record: string, changes: Iterable<RecordChange>): string {
  let text = new Pieces([record]);
  for (const change of changes) text = changed(text, change);
  return text.join();
}

function changed(text: Pieces, change: unknown): Pieces {
  if (!isObject(change) || !Array.isArray(change["edits"])) throw new Error("a change has no edits");
  if (change["from"] !== text.length)
    throw new Error(`a change is of a record of length ${String(change["from"])}, and this one has ${text.length}`);
  const [made, reader] = [new Pieces(), text.reader()];
  for (const edit of change["edits"]) {
    const { keep, drop, insert } = checkEdit(edit);
    reader.read(keep, (piece) => made.add(piece));
    reader.read(drop, () => undefined);
    made.add(insert);
  }
  reader.read(text.length - reader.at, (piece) => made.add(piece));
  return made;
}

function checkEdit(edit: unknown): RecordEdit {
  const { keep, drop, insert } = (isObject(edit) ? edit : {}) as Partial<RecordEdit>;
  if (isCount(keep) && isCount(drop) && typeof insert === "string") return { keep, drop, insert };
  throw new Error("an edit lacks keep, drop or insert");
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** A text in pieces. */
class Pieces {
  readonly #pieces: string[];
  length: number;

  constructor(pieces: string[] = []) {
    this.#pieces = pieces;
    this.length = pieces.reduce((sum, { length }) => sum + length, 0);
  }

  add(piece: string): void {
    if (piece === "") return;
    this.length += piece.length;
    const last = this.#pieces.at(-1);
    if (last !== undefined && last.length + piece.length <= pieceLength)
      this.#pieces[this.#pieces.length - 1] = last + piece;
    else this.#pieces.push(piece);
  }

  reader(): Reader {
    return new Reader(this.#pieces);
  }

  join(): string {
    return this.#pieces.join("");
  }
}

class Reader {
  readonly #pieces: readonly string[];
  #piece = 0;
  #within = 0;
  at = 0;

  constructor(pieces: readonly string[]) {
    this.#pieces = pieces;
  }

  /** Passes the next `count` characters on. Throws if fewer are left. */
  read(count: number, take: (piece: string) => void): void {
    this.at += count;
    for (let left = count; left > 0;) {
      const piece = this.#pieces[this.#piece];
      if (piece === undefined) throw new Error("an edit reaches beyond the end of the record");
      const part = piece.slice(this.#within, this.#within + left);
      take(part);
      left -= part.length;
      this.#within += part.length;
      if (this.#within < piece.length) continue;
      this.#piece += 1;
      this.#within = 0;
    }
  }
}
