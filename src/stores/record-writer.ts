// Writes a stored session: what has changed since the last save, if the store can append, or all of it. Must not:
// append to a record that the store may not have.
import type { Lease } from "./lease.js";
import { editsBetween, scanned, type ScannedRecord } from "./record-edits.js";
import type { AppendAnswer, SessionChange, StoredRecord } from "./session-store.js";
import type { StoreCalls } from "./store-calls.js";

const answers: readonly unknown[] = ["appended", "lost", "save"] satisfies AppendAnswer[];

export class RecordWriter {
  readonly #calls: StoreCalls;
  readonly #lease: Lease;
  /** The record that the store certainly has; undefined: this writer has not saved it, or a save has failed. */
  #stored: ScannedRecord | undefined;
  /** The length of the changes since the last whole save. */
  #appended = 0;
  /** The length of the record at the last whole save: longer than the record now, after a rewind. */
  #whole = 0;

  constructor(calls: StoreCalls, lease: Lease) {
    this.#calls = calls;
    this.#lease = lease;
  }

  /** Errors: SESSION_STORE_FAILED; SESSION_LOST. */
  async write(session: StoredRecord): Promise<void> {
    if (this.#lease.lost !== undefined) throw this.#lease.lost;
    const [before, now] = [this.#stored, this.#scan(session.record)];
    this.#stored = undefined;
    if (!(await this.#append(session, before, now))) await this.#save(session);
    this.#stored = now;
  }

  /** A store without `append()` needs no changes. */
  #scan(record: string): ScannedRecord | undefined {
    return this.#calls.store.append === undefined ? undefined : scanned(record);
  }

  /** False: the session must be saved as a whole. */
  async #append(session: StoredRecord, before?: ScannedRecord, now?: ScannedRecord): Promise<boolean> {
    if (before === undefined || now === undefined) return false;
    const { record, ...info } = session;
    const change: SessionChange = { ...info, from: before.text.length, edits: editsBetween(before, now) };
    const appended = this.#appended + JSON.stringify(change).length;
    // The store keeps at most about twice the record, also after a rewind; all saves together write about twice the new
    // text.
    if (appended + Math.max(this.#whole, record.length) > 2 * record.length) return false;
    const what = `append(${JSON.stringify(info.id)})`;
    const given: unknown = await this.#calls.begin(
      what,
      (store) => store.append?.(change, this.#lease.fence) as Promise<unknown>,
    );
    const answer = this.#calls.check(what, given as AppendAnswer, answers.includes(given));
    if (answer === "lost") throw this.#lease.lose();
    if (answer === "save") return false;
    this.#appended = appended;
    return true;
  }

  async #save(session: StoredRecord): Promise<void> {
    const what = `save(${JSON.stringify(session.id)})`;
    const saved: unknown = await this.#calls.begin(what, (store) => store.save(session, this.#lease.fence));
    if (this.#calls.check(what, saved, typeof saved === "boolean") !== true) throw this.#lease.lose();
    this.#appended = 0;
    this.#whole = session.record.length;
  }
}
