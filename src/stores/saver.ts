// Saves one session: one save at a time, each of the newest state. Must not: hold up a run while a store is slow.
import { LlamaHooksError } from "../base/errors.js";

/** The parts of a session that a saver uses. */
export interface Saving {
  /** The session as text; undefined: it is closed. */
  take(): string | undefined;
  /**
   * Saves the text, however long that takes, and returns the time of the save. Errors: SESSION_STORE_FAILED,
   * SESSION_LOST.
   */
  save(text: string): Promise<number>;
  /** Checks that this process still holds the session. Errors: SESSION_STORE_FAILED, SESSION_LOST. */
  confirm(): Promise<void>;
  /** The same promise, which rejects with SESSION_STORE_FAILED if it does not settle in time. */
  limited<T>(save: Promise<T>): Promise<T>;
  /** Called for each failure. */
  failed(error: LlamaHooksError): void;
}

type Failure = LlamaHooksError | undefined;

export class Saver {
  readonly #saving: Saving;
  #underWay: Promise<Failure> | undefined;
  /** Begins when the save under way has settled, and then takes the newest state. */
  #queued: Promise<Failure> | undefined;
  /** The last state of a session that closes. */
  #last: string | undefined;
  #saved: string | undefined;
  /** True: the next save asks the store even if nothing has changed since the last save. */
  #asks = false;
  #savedAt: number | undefined;
  #error: Failure;

  /** `saved`: the text that the store has, and the time at which it was saved. */
  constructor(saving: Saving, saved?: { readonly text: string | undefined; readonly at: number }) {
    this.#saving = saving;
    this.#saved = saved?.text;
    this.#savedAt = saved?.at;
  }

  /** Time of the last successful save, in milliseconds since 1970. */
  get savedAt(): number | undefined {
    return this.#savedAt;
  }

  /** The error of the last save; undefined: it was successful. */
  get error(): Failure {
    return this.#error;
  }

  /** Starts a save of the session, now or after the save under way, and returns at once. */
  touch(): void {
    void this.#next();
  }

  /** Keeps the state of a session that closes, and saves it. */
  pin(): void {
    const text = this.#saving.take();
    if (text === undefined) return;
    this.#last = text;
    this.touch();
  }

  /** Saves everything said so far, and waits until the store confirms it. Errors: those of the save. */
  async save(): Promise<void> {
    this.#asks = true;
    const failure = await this.#within(this.#next());
    if (failure !== undefined) throw failure;
  }

  /** Resolves when all saves have been answered, with success or not, or when their time is over. */
  async settled(): Promise<void> {
    const pending = this.#queued ?? this.#underWay;
    if (pending !== undefined) await this.#within(pending);
  }

  async #within(save: Promise<Failure>): Promise<Failure> {
    try {
      return await this.#saving.limited(save);
    } catch (error) {
      return this.#fail(error);
    }
  }

  #next(): Promise<Failure> {
    return (this.#queued ??= (this.#underWay ?? Promise.resolve()).then(() => {
      this.#queued = undefined;
      const work = this.#one().finally(() => {
        if (this.#underWay === work) this.#underWay = undefined;
      });
      this.#underWay = work;
      return work;
    }));
  }

  async #one(): Promise<Failure> {
    try {
      const text = this.#saving.take() ?? this.#last;
      if (text === undefined) throw new LlamaHooksError("NOT_FOUND", "the session is closed");
      const asks = this.#asks;
      this.#asks = false;
      if (text !== this.#saved) {
        this.#saved = undefined; // after a failure, the store has this text or the one before
        this.#savedAt = await this.#saving.save(text);
        this.#saved = text;
      } else if (asks) await this.#saving.confirm();
      this.#error = undefined;
      return undefined;
    } catch (error) {
      return this.#fail(error);
    }
  }

  #fail(error: unknown): LlamaHooksError {
    this.#error = error as LlamaHooksError;
    this.#saving.failed(this.#error);
    return this.#error;
  }
}
