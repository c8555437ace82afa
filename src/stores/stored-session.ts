// A session that has a place in a store: it holds the lease, saves itself there, and gives the lease back at close.
import { isDeepStrictEqual } from "node:util";
import { calledAt, errorsNameCallers } from "../base/call-site.js";
import { requiredString } from "../base/check.js";
import { LlamaHooksError } from "../base/errors.js";
import { messageOf } from "../base/thrown.js";
import type { LoopStartEvent } from "../generated/points.js";
import type { CompactionResult } from "../generated/results.js";
import type { TextPart } from "../generate/messages.js";
import { defineHooks, type HookSet } from "../hooks/define-hooks.js";
import { insideCall } from "../hooks/hook-calls.js";
import { Task } from "../native/task.js";
import { type CompactOptions, Session, type SessionHost, type SessionParts } from "../sessions/session.js";
import type { RunWatcher } from "../sessions/watchers.js";
import type { Lease } from "./lease.js";
import { summaryOf } from "./record-summary.js";
import { RecordWriter } from "./record-writer.js";
import { Saver } from "./saver.js";
import type { SessionTags, StoredRecord } from "./session-store.js";
import type { StoreCalls } from "./store-calls.js";

/** The place of a session in a store. */
export interface StoredPlace {
  readonly calls: StoreCalls;
  readonly lease: Lease;
  readonly tags: SessionTags;
  readonly autosave: boolean;
  /** The record that the store has; undefined: none yet. */
  readonly stored: StoredRecord | undefined;
  /** Called when the session is closed. */
  closed(session: StoredSession): void;
}

/**
 * A session of `engine.sessions`. No other process can run it or save it while it is open. `save()` without a path
 * saves it in the store. With `autosave` it saves itself: after each iteration of a run, at the end of a run, when a
 * message is queued, after `compact()` and `rewind()`, and at close; and when calls that waited are about to run.
 */
export class StoredSession extends Session {
  /** The tags, which `engine.sessions.list()` can select. */
  readonly tags: SessionTags;
  readonly #host: SessionHost;
  readonly #place: StoredPlace;
  readonly #saver: Saver;
  readonly #writer: RecordWriter;
  #isClosing = false;
  #closing: Promise<void> | undefined;

  static {
    errorsNameCallers(StoredSession, "save", "compact");
  }

  /** Called by `engine.sessions` only. */
  constructor(parts: SessionParts, place: StoredPlace) {
    super(...parts);
    const [host] = parts;
    const { calls, lease, stored } = place;
    this.#host = host;
    this.#place = place;
    this.tags = place.tags;
    this.#writer = new RecordWriter(calls, lease);
    const what = `save(${JSON.stringify(this.id)})`;
    this.#saver = new Saver(
      {
        take: () => this.#record(),
        save: (text) => this.#save(text),
        confirm: () => lease.confirm(),
        limited: (save) => calls.limited(what, save),
        failed: (error) => void (place.autosave && error !== lease.lost && this.#report(error)),
      },
      stored && { text: isDeepStrictEqual(stored.tags, place.tags) ? stored.record : undefined, at: stored.updatedAt },
    );
    lease.onLost = (error) => {
      this.#report(error);
      this.cancel(error.message);
    };
    const hooks = place.autosave ? this.#hooks() : [];
    const watcher: RunWatcher = (json) => ({
      hooks: place.autosave && "resume" in (JSON.parse(json) as object) ? [...hooks, this.#savesFirst()] : hooks,
      admits: () => {
        if (lease.lost !== undefined) throw lease.lost;
      },
      ended: () => undefined,
      settled: async () => {
        if (!place.autosave) return;
        this.#saver.touch();
        await this.#saver.settled();
      },
    });
    Session.watch(this, watcher);
  }

  /** Time of the last successful save, in milliseconds since 1970; undefined: there was none. */
  get savedAt(): number | undefined {
    return this.#saver.savedAt;
  }

  /**
   * The error of the last save: SESSION_STORE_FAILED or SESSION_LOST. Undefined: it was successful, or there was none.
   * A run keeps its result though its save failed; `error` fires, too, with `where` "save".
   */
  get saveError(): LlamaHooksError | undefined {
    return this.#saver.error;
  }

  /**
   * Saves the session in its store, at any time; with a path, to a file instead, as `session.save(path)` does for every
   * session. When the promise resolves, the store has everything that was said before the call. Errors:
   * SESSION_STORE_FAILED; SESSION_LOST if another process has taken the session over; NOT_FOUND if it is closed.
   */
  override async save(path?: string): Promise<void> {
    if (path !== undefined) return super.save(requiredString(path, "The path of save()"));
    this.#host.errors.call(() => this.#host.native.sessionRecord(this.id)); // throws if it is closed
    return this.#saver.save();
  }

  override queue(message: string | readonly TextPart[]): void {
    super.queue(message);
    if (this.#place.autosave) this.#saver.touch();
  }

  override rewind(messageId: string | null): void {
    super.rewind(messageId);
    if (this.#place.autosave) this.#saver.touch();
  }

  override async compact(options?: CompactOptions): Promise<CompactionResult> {
    if (this.#place.lease.lost !== undefined) throw this.#place.lease.lost;
    const result = await super.compact(options);
    if (this.#place.autosave) {
      this.#saver.touch();
      await this.#saver.settled();
    }
    return result;
  }

  /**
   * Closes the session, like every session, and gives its lease back. With `autosave` it is saved before. Errors: those
   * of `close()` of a session; SESSION_STORE_FAILED if the last save failed: the session is closed, and the store does
   * not have everything that was said.
   */
  override close(): Promise<void> {
    if (this.#closing !== undefined && insideCall()) return super.close();
    this.#closing ??= calledAt(this.close, () => this.#close()).catch((error: unknown) => {
      if (this.#isClosing) this.#closing = undefined; // refused, for example inside a hook
      this.#isClosing = false;
      throw error;
    });
    return this.#closing;
  }

  /** Called by the engine before it closes its sessions. */
  static beginClose(session: StoredSession): void {
    session.#beginClose();
  }

  /** Called by the engine after it has closed its sessions. Errors: SESSION_STORE_FAILED. */
  static endClose(session: StoredSession): Promise<void> {
    return (session.#closing ??= session.#endClose());
  }

  async #close(): Promise<void> {
    this.#beginClose();
    await super.close();
    await this.#endClose();
  }

  #beginClose(): void {
    this.#isClosing = true;
    if (this.#place.autosave) this.#saver.pin();
  }

  async #endClose(): Promise<void> {
    this.#isClosing = false;
    await this.#saver.settled();
    await this.#place.lease.release();
    this.#place.closed(this);
    const { error } = this.#saver;
    if (this.#place.autosave && error !== undefined && error !== this.#place.lease.lost) throw error;
  }

  #hooks(): readonly HookSet[] {
    const touch = (): void => this.#saver.touch();
    return [
      defineHooks("autosave", { iterationEnd: touch }, { observe: true }),
      // When the run has ended, a session that closes may be gone.
      defineHooks("autosave", {
        loopEnd: ({ meta }) => void (this.#isClosing && meta.depth === 0 && this.#saver.pin()),
      }),
    ];
  }

  /**
   * A run whose calls waited begins when the store knows that they no longer wait, so that a process that is killed
   * meanwhile does not have them repeated. If the store fails, the run is cancelled, and they wait on.
   */
  #savesFirst(): HookSet {
    const loopStart = async ({ meta }: Pick<LoopStartEvent, "meta">): Promise<void> => {
      if (meta.depth !== 0) return;
      await this.#saver.save().catch((error: unknown) => this.cancel(messageOf(error)));
    };
    return defineHooks("autosave", { loopStart }, { deadlineMs: 0, fields: { loopStart: [] } });
  }

  /** The session as text, also while it closes; undefined: it is closed. */
  #record(): string | undefined {
    try {
      return this.#host.errors.read(() => this.#host.native.sessionRecord(this.id));
    } catch (error) {
      if (error instanceof LlamaHooksError && (error.code === "NOT_FOUND" || error.code === "CLOSED")) return undefined;
      throw error;
    }
  }

  async #save(record: string): Promise<number> {
    const { stored, tags } = this.#place;
    const updatedAt = Date.now();
    const createdAt = stored?.createdAt ?? (this.#createdAt ??= updatedAt);
    await this.#writer.write({ id: this.id, tags, createdAt, updatedAt, ...summaryOf(record), record });
    return updatedAt;
  }

  #createdAt: number | undefined;

  #report({ code, message }: LlamaHooksError): void {
    const { native, errors } = this.#host;
    const report = new Task((_, onEnd) => native.reportSession(this.id, code, message, "save", onEnd), { errors });
    report.ended.catch(() => undefined); // the session has been closed meanwhile
  }
}
