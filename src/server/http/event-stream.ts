// Writes events as server-sent events. All events of one wake-up of the process become one write, and events are taken
// only while there is room for their texts, so that a slow reader slows its own generation down.
import { setImmediate } from "node:timers/promises";
import type { Pieces } from "./exchange.js";

/** Converts events to texts. */
export interface EventTexts<Event> {
  /** The text for an event; empty: none. Throws if the stream cannot continue. */
  event(event: Event): string;
  /** The last text of a stream that failed. */
  failure(error: unknown): string;
}

const waiting = ": waiting\n\n";
const mostLength = 65_536;

/** The bytes of one event. */
export function sse(data: string): string {
  return `data: ${data}\n\n`;
}

/** Resolves with the next event, or with undefined if none comes for a while. */
export async function soon<T>(next: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([next, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The body of a stream of events. */
export class EventStream<Event> implements Pieces {
  readonly #events: AsyncIterator<Event>;
  readonly #texts: EventTexts<Event>;
  readonly #settle: () => Promise<unknown>;
  readonly #keepAliveMs: number;
  /** Texts of events that have come and are not written. */
  #text = "";
  /** True: something has been written. */
  #isBegun = false;
  /** True: no more events are taken. */
  #isOver = false;
  /** Ends the wait of next(). */
  #wake: () => void = () => undefined;
  /** Resumes the reading of events. */
  #resume: () => void = () => undefined;
  #tellEnd: () => void = () => undefined;
  readonly ended = new Promise<void>((resolve) => (this.#tellEnd = resolve));

  /**
   * `next`: the event that has been asked for already. `settle` is called once, when the events have ended or the
   * reader has left, and resolves when their work has ended; it must not reject. After `keepAliveMs` without an event a
   * comment is written, so that proxies keep the connection.
   */
  constructor(
    events: AsyncIterator<Event>,
    next: Promise<IteratorResult<Event>>,
    texts: EventTexts<Event>,
    { settle, keepAliveMs }: { settle(): Promise<unknown>; readonly keepAliveMs: number },
  ) {
    this.#keepAliveMs = keepAliveMs;
    this.#events = events;
    this.#texts = texts;
    this.#settle = settle;
    void this.#take(next);
  }

  async next(): Promise<string | undefined> {
    if (this.#text === "" && !this.#isOver && (await this.#isSilent())) return waiting;
    if (!this.#isOver && this.#isBegun) await setImmediate(); // for the other events of this wake-up
    this.#isBegun = true;
    const text = this.#text;
    this.#text = "";
    this.#resume();
    return text === "" ? undefined : text;
  }

  stop(): void {
    if (this.#isOver) return;
    void this.#events.return?.();
    this.#end();
  }

  /** Waits for a text or the end. True: neither arrived for a while. */
  #isSilent(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(true), this.#keepAliveMs);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = () => undefined;
        resolve(false);
      };
    });
  }

  async #take(first: Promise<IteratorResult<Event>>): Promise<void> {
    try {
      for (let next = first; ; next = this.#events.next()) {
        const { done, value } = await next;
        if (this.#isOver) return;
        if (done === true) break;
        this.#text += this.#texts.event(value);
        if (this.#text !== "") this.#wake();
        if (this.#text.length >= mostLength) await new Promise<void>((resolve) => (this.#resume = resolve));
      }
      this.#end();
    } catch (error) {
      if (this.#isOver) return;
      this.stop(); // first, so that everything taken is released in any case
      this.#text += this.#texts.failure(error);
    }
  }

  #end(): void {
    this.#isOver = true;
    this.#wake();
    this.#resume();
    void this.#settle().then(this.#tellEnd);
  }
}
