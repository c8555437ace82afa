// A running native call that can be awaited and iterated over.
import { CallSite } from "../base/call-site.js";
import { isThenable, optionalString } from "../base/check.js";
import { EventQueue } from "../base/event-queue.js";
import type { NativeErrors } from "./native-errors.js";
import { type StartTask, Task } from "./task.js";

/** The error as handlers of a promise see it: they may declare its type. */
type Rejection = Parameters<NonNullable<Parameters<Promise<unknown>["catch"]>[0]>>[0];

/** The last event of each iteration over a call. */
export interface CallEnd<Result> {
  /** Always "end". */
  readonly type: "end";
  /** The result of the call. */
  readonly result: Result;
}

export type Outcome<Result> = { readonly result: Result } | { readonly error: unknown };

export interface NativeCall<Event, Result> {
  readonly start: StartTask;
  readonly errors: NativeErrors;
  readonly signal: AbortSignal | undefined;
  /** The call starts once this has resolved. */
  readonly after?: Promise<void> | undefined;
  /** Called once, after the call ended or failed to start. */
  ended?(): void;
  /** Called once after the call ended. The outcome comes when this has resolved; it never rejects. */
  readonly settled?: (() => Promise<unknown>) | undefined;
  /** Called once with the outcome, before awaiters and iterations get it. */
  came?(outcome: Outcome<Result>): void;
  /** Converts an event from the wire. */
  event(wire: Record<string, unknown>): Event;
  result(json: string): Result | Promise<Result>;
}

/**
 * The call starts in the microtask after its creation. An iteration that begins before that (`for await` right away)
 * gets every event. A later one gets the events from its start on, and always the end event. Without an iteration no
 * events are created. Several iterations each get the events.
 */
export abstract class Running<Event, Result> implements PromiseLike<Result>, AsyncIterable<Event | CallEnd<Result>> {
  readonly #result: Promise<Result>;
  readonly #readers = new Set<EventQueue<Event | CallEnd<Result>>>();
  readonly #signal: AbortSignal | undefined;
  #task: Task | undefined;
  #awaited = false;
  #cancelled: { readonly reason: string | undefined } | undefined;
  #outcome: Outcome<Result> | undefined;

  protected constructor(call: NativeCall<Event, Result>) {
    this.#signal = call.signal;
    const site = new CallSite(new.target as unknown as () => unknown);
    this.#result = Promise.resolve().then(() => this.#run(call, site));
  }

  /** Awaits the result. */
  then<A = Result, B = never>(
    onFulfilled?: ((result: Result) => A | PromiseLike<A>) | null,
    onRejected?: ((error: Rejection) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#await().then(onFulfilled, onRejected);
  }

  /** Like `catch()` of a promise of the result. */
  catch<B = never>(onRejected?: ((error: Rejection) => B | PromiseLike<B>) | null): Promise<Result | B> {
    return this.#await().catch(onRejected);
  }

  /** Like `finally()` of a promise of the result. */
  finally(onFinally?: (() => void) | null): Promise<Result> {
    return this.#await().finally(onFinally);
  }

  /** Resolves when the call has ended, with any outcome. Does not count as awaiting the result. */
  protected settled(): Promise<void> {
    return this.#result.then(nothing, nothing);
  }

  /** True if the call was asked to stop and has not ended. */
  protected get stopping(): boolean {
    return this.#outcome === undefined && (this.#cancelled !== undefined || this.#signal?.aborted === true);
  }

  /**
   * Cancels the call. It resolves with the text so far, `finishReason` "cancelled" and `cancel.by` "caller". If the
   * reason is not a string, throws `TypeError` and cancels nothing.
   *
   * @example
   * ```ts
   * const generation = engine.generate("Hello!");
   * generation.cancel("changed my mind");
   * const { finishReason, cancel } = await generation;
   * console.log(finishReason, cancel?.reason);
   * ```
   */
  cancel(reason?: string): void {
    const why = optionalString(reason, "The reason of cancel()");
    this.#cancelled ??= { reason: why };
    this.#task?.cancel(why);
  }

  /** Iterates over the events, the `end` event last. Leaving the last iteration early cancels the call. */
  [Symbol.asyncIterator](): AsyncIterableIterator<Event | CallEnd<Result>> {
    const reader: EventQueue<Event | CallEnd<Result>> = new EventQueue({
      onReturn: () => this.#leave(reader),
      onEmpty: () => this.#task?.pull(),
    });
    this.#readers.add(reader);
    // The iteration throws the error, so the promise need not be awaited as well.
    this.#result.catch(() => undefined);
    if (this.#outcome !== undefined) this.#finish(reader, this.#outcome);
    else this.#task?.subscribe(true);
    return reader;
  }

  #await(): Promise<Result> {
    this.#awaited = true;
    this.#task?.pull();
    return this.#result;
  }

  #leave(reader: EventQueue<Event | CallEnd<Result>>): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return this.#task?.pull();
    this.cancel("the iteration was left");
    this.#task?.subscribe(false);
  }

  #mayPull(): boolean {
    if (this.#awaited) return true;
    for (const reader of this.#readers) if (reader.isBehind) return false;
    return true;
  }

  async #run(call: NativeCall<Event, Result>, site: CallSite): Promise<Result> {
    const { start, errors, signal, after, event, result, ended, settled } = call;
    if (after !== undefined) await after;
    const onEvent = (wire: Record<string, unknown>): void => {
      const one = event(wire);
      for (const reader of this.#readers) reader.push(one);
    };
    const subscribed = this.#readers.size > 0;
    const mayPull = (): boolean => this.#mayPull();
    const givesPart = { cancelled: this.#cancelled };
    const task = new Task(start, { errors, signal, onEvent, mayPull, subscribed, givesPart });
    this.#task = task;
    try {
      const ending = task.ended.finally(ended);
      const made = result(await (settled === undefined ? ending : ending.finally(settled)));
      const value = isThenable(made) ? await made : made;
      this.#end(call, { result: value });
      return value;
    } catch (thrown) {
      const error = site.mark(thrown);
      this.#end(call, { error });
      throw error;
    }
  }

  #end(call: NativeCall<Event, Result>, outcome: Outcome<Result>): void {
    this.#outcome = outcome;
    call.came?.(outcome);
    for (const reader of this.#readers) this.#finish(reader, outcome);
  }

  #finish(reader: EventQueue<Event | CallEnd<Result>>, outcome: Outcome<Result>): void {
    this.#readers.delete(reader);
    if ("error" in outcome) return reader.end({ error: outcome.error });
    reader.push({ type: "end", result: outcome.result });
    reader.end();
  }
}

function nothing(): void {}
