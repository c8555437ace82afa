// The difference between two records as a list of edits. Must not: depend on what a record means; edits of any two
// texts give the new one to the byte.
import { type Part, partsOf } from "./record-parts.js";
import type { RecordEdit } from "./session-store.js";

/** A record whose parts are known. */
export interface ScannedRecord {
  readonly text: string;
  readonly parts: Part;
}

/** Undefined: the text is not JSON. */
export function scanned(text: string): ScannedRecord | undefined {
  const parts = partsOf(text);
  return parts && { text, parts };
}

/** The edits that make `to` of `from`: those of the members and items that differ. */
export function editsBetween(from: ScannedRecord, to: ScannedRecord): readonly RecordEdit[] {
  const comparison = new Comparison(from.text, to.text);
  comparison.compare(from.parts, to.parts);
  return comparison.finish();
}

/** Goes through both texts once, from equal part to equal part. */
class Comparison {
  readonly #from: string;
  readonly #to: string;
  readonly #edits: RecordEdit[] = [];
  /** The ends of the compared parts. */
  #fromAt = 0;
  #toAt = 0;
  #kept = 0;

  constructor(from: string, to: string) {
    this.#from = from;
    this.#to = to;
  }

  compare(from: Part, to: Part): void {
    if (this.#equal(from, to)) this.#takeEqual(from.start, to.start, to.end - to.start);
    else if (from.items !== undefined && to.items !== undefined) this.#compareItems(from.items, to.items);
    else if (from.members !== undefined && to.members !== undefined) this.#compareMembers(from.members, to.members);
  }

  finish(): readonly RecordEdit[] {
    this.#replaceUpTo(this.#from.length, this.#to.length);
    return this.#edits;
  }

  /** Items that are in both lists are kept: those at the beginning, and those behind that follow in the same order. */
  #compareItems(from: readonly Part[], to: readonly Part[]): void {
    const most = Math.min(from.length, to.length);
    let first = 0;
    while (first < most && this.#equal(from[first] as Part, to[first] as Part)) ++first;
    const places = new Map(from.slice(first).map((part) => [this.#from.slice(part.start, part.end), part.start]));
    for (const [index, { start, end }] of to.entries()) {
      const place = index < first ? from[index]?.start : places.get(this.#to.slice(start, end));
      if (place !== undefined && place >= this.#fromAt) this.#takeEqual(place, start, end - start);
    }
  }

  #compareMembers(from: ReadonlyMap<string, Part>, to: ReadonlyMap<string, Part>): void {
    for (const [name, part] of to) {
      const before = from.get(name);
      if (before !== undefined && before.start >= this.#fromAt) this.compare(before, part);
    }
  }

  #equal(from: Part, to: Part): boolean {
    if (from.end - from.start !== to.end - to.start) return false;
    return this.#from.slice(from.start, from.end) === this.#to.slice(to.start, to.end);
  }

  #takeEqual(fromStart: number, toStart: number, length: number): void {
    this.#replaceUpTo(fromStart, toStart);
    this.#kept += length;
    this.#fromAt = fromStart + length;
    this.#toAt = toStart + length;
  }

  /**
   * Replaces the text between two equal parts. Its beginning and end are kept where they are the same: commas, names.
   */
  #replaceUpTo(fromEnd: number, toEnd: number): void {
    const most = Math.min(fromEnd - this.#fromAt, toEnd - this.#toAt);
    const same = (a: number, b: number): boolean => this.#from.charCodeAt(a) === this.#to.charCodeAt(b);
    let first = 0;
    while (first < most && same(this.#fromAt + first, this.#toAt + first)) ++first;
    let last = 0;
    while (last < most - first && same(fromEnd - 1 - last, toEnd - 1 - last)) ++last;
    const drop = fromEnd - last - (this.#fromAt + first);
    const insert = this.#to.slice(this.#toAt + first, toEnd - last);
    this.#kept += first;
    if (drop > 0 || insert !== "") {
      this.#edits.push({ keep: this.#kept, drop, insert });
      this.#kept = 0;
    }
    this.#kept += last;
  }
}
