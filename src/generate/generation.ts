// One model call under way: awaitable and iterable. Must not: check arguments.
import type { Causes } from "../base/causes.js";
import { EventQueue } from "../base/event-queue.js";
import type { GenerateEvent, GenerateResult } from "../generated/results.js";
import { eventFromWire, resultFromWire } from "./generate-result.js";
import type { GenerateRequest } from "./generate-request.js";
import type { NativeErrors } from "../native/native-errors.js";
import type { NativeEngine } from "../native/addon.js";
import { Task } from "../native/task.js";

/** As lax as in a promise, whose handlers may say which error they expect. */
type Rejection = Parameters<NonNullable<Parameters<Promise<unknown>["catch"]>[0]>>[0];

/**
 * What `engine.generate()` returns. `await` it for the result, iterate over it for the events, or both.
 *
 * The call starts in the microtask after `generate()`. An iteration that begins before that (`for await` right away)
 * gets every event; one that begins later gets the events from then on, and always the end. Without any iteration no
 * event is made. Several iterations each get the events.
 *
 * An iteration that has begun to read and is behind holds back its own call, and no other: 250 to 500 events after what
 * it has read, the model waits. Of several iterations the slowest holds back. None does that never asked for an event,
 * and none does any more once the result is awaited (by `await`, `then`, `catch` or `finally`): awaiting it says that
 * the call is to get to its end, and what is not read by then stays there to be read. So a loop that awaits the result
 * in its body, or stops reading and awaits it, gets it. A call that is held back does not keep the process alive.
 *
 * Leaving an iteration early cancels the call, once nobody else iterates; the text so far is in the result.
 * An error of the call rejects the promise and is thrown by each iteration.
 */
export class Generation implements PromiseLike<GenerateResult>, AsyncIterable<GenerateEvent> {
  readonly #result: Promise<GenerateResult>;
  readonly #readers = new Set<EventQueue<GenerateEvent>>();
  #task: Task | undefined;
  #awaited = false;
  #cancelled: { readonly reason: string | undefined } | undefined;
  #outcome: { readonly result: GenerateResult } | { readonly error: unknown } | undefined;

  /** Made by `engine.generate()` only. */
  constructor(native: NativeEngine, request: GenerateRequest, errors: NativeErrors, causes: Causes) {
    this.#result = Promise.resolve().then(() => this.#run(native, request, errors, causes));
  }

  then<A = GenerateResult, B = never>(
    onFulfilled?: ((result: GenerateResult) => A | PromiseLike<A>) | null,
    onRejected?: ((error: Rejection) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#await().then(onFulfilled, onRejected);
  }

  catch<B = never>(onRejected?: ((error: Rejection) => B | PromiseLike<B>) | null): Promise<GenerateResult | B> {
    return this.#await().catch(onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<GenerateResult> {
    return this.#await().finally(onFinally);
  }

  /** Stops the call. It resolves with the text so far, `finishReason` "cancelled" and `cancel.by` "caller". */
  cancel(reason?: string): void {
    if (this.#task !== undefined) this.#task.cancel(reason);
    else this.#cancelled ??= { reason };
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<GenerateEvent> {
    const reader: EventQueue<GenerateEvent> = new EventQueue({
      onReturn: () => this.#leave(reader),
      onEmpty: () => this.#task?.pull(),
    });
    this.#readers.add(reader);
    // The iteration throws the error: not awaiting the promise as well is no oversight.
    this.#result.catch(() => undefined);
    if (this.#outcome !== undefined) this.#finish(reader, this.#outcome);
    else this.#task?.subscribe(true);
    return reader;
  }

  #await(): Promise<GenerateResult> {
    this.#awaited = true;
    this.#task?.pull();
    return this.#result;
  }

  #leave(reader: EventQueue<GenerateEvent>): void {
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

  async #run(
    native: NativeEngine,
    request: GenerateRequest,
    errors: NativeErrors,
    causes: Causes,
  ): Promise<GenerateResult> {
    const { json, signal } = request;
    const onEvent = (wire: Record<string, unknown>): void => {
      const event = eventFromWire(wire);
      for (const reader of this.#readers) reader.push(event);
    };
    const subscribed = this.#readers.size > 0;
    const mayPull = (): boolean => this.#mayPull();
    const task = new Task(native.generate.bind(native, json), { errors, signal, onEvent, mayPull, subscribed });
    this.#task = task;
    if (this.#cancelled !== undefined) task.cancel(this.#cancelled.reason);
    try {
      const result = resultFromWire(await task.ended, causes, signal);
      this.#end({ result });
      return result;
    } catch (error) {
      this.#end({ error });
      throw error;
    }
  }

  #end(outcome: { result: GenerateResult } | { error: unknown }): void {
    this.#outcome = outcome;
    for (const reader of this.#readers) this.#finish(reader, outcome);
  }

  #finish(reader: EventQueue<GenerateEvent>, outcome: { result: GenerateResult } | { error: unknown }): void {
    this.#readers.delete(reader);
    if ("error" in outcome) return reader.end({ error: outcome.error });
    reader.push({ type: "end", result: outcome.result });
    reader.end();
  }
}
