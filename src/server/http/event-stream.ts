// Writes events as server-sent events. All events of one wake-up of the process become one write, and the next events are
// asked for only when the last write has been taken, so that a slow reader slows its own generation down.
import { setImmediate } from "node:timers/promises";
import type { Pieces } from "./exchange.js";

/** How events become texts. */
export interface EventTexts<Event> {
  /** The text for an event; empty: none. Throws if the stream cannot go on. */
  event(event: Event): string;
  /** The last text of a stream that failed. */
  failure(error: unknown): string;
}

const waiting = ": waiting\n\n";
const mostLength = 65_536;
const silence = Symbol("silence");

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
  #next: Promise<IteratorResult<Event>>;
  #isOver = false;
  #tellEnd: () => void = () => undefined;
  readonly ended = new Promise<void>((resolve) => (this.#tellEnd = resolve));

  /**
   * `next`: the event that has been asked for already. `settle` is called once, when the events have ended or nobody
   * reads them any more, and resolves when their work has ended; it must not reject. After `keepAliveMs` without an
   * event a comment is written, so that proxies keep the connection.
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
    this.#next = next;
    next.catch(() => undefined); // it is awaited later
  }

  async next(): Promise<string | undefined> {
    let text = "";
    const due = performance.now() + this.#keepAliveMs; // also if events come of which nothing is written
    try {
      while (!this.#isOver && text.length < mostLength) {
        const got = await (text === ""
          ? soon(this.#next, due - performance.now())
          : Promise.race([this.#next, setImmediate(silence)]));
        if (got === undefined) return waiting;
        if (got === silence) return text;
        text += this.#take(got as IteratorResult<Event>);
      }
    } catch (error) {
      this.stop(); // first, so that what has been taken is given back in any case
      text += this.#texts.failure(error);
    }
    return text === "" ? undefined : text;
  }

  stop(): void {
    if (this.#isOver) return;
    void this.#events.return?.();
    this.#end();
  }

  #end(): void {
    this.#isOver = true;
    void this.#settle().then(this.#tellEnd);
  }

  #take({ done, value }: IteratorResult<Event>): string {
    if (done === true) {
      this.#end();
      return "";
    }
    const text = this.#texts.event(value as Event);
    this.#next = this.#events.next();
    this.#next.catch(() => undefined); // it is awaited later, or nobody reads any more
    return text;
  }
}
