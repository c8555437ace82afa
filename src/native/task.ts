// One long native call as a promise, with its events and its cancellation. Must not: know what the call does.
import type { NativeTask, OnEnd, OnWake } from "./addon.js";
import type { NativeErrors } from "./native-errors.js";

export interface TaskOptions {
  readonly errors: NativeErrors;
  readonly signal?: AbortSignal | undefined;
  /** Events are wanted from the first on; else those before `subscribe()` are gone. */
  readonly subscribed?: boolean | undefined;
  /** Called with each event once subscribed. What it throws cancels the task and rejects `ended`. */
  readonly onEvent?: ((event: Record<string, unknown>) => void) | undefined;
}

/** A native call under way. `ended` settles once, after the last event was handed over. */
export class Task {
  readonly ended: Promise<string>;
  readonly #native: NativeTask | undefined;
  readonly #onEvent: TaskOptions["onEvent"];
  #subscribed: boolean;
  #over = false;
  #thrown: { readonly error: unknown } | undefined;

  constructor(start: (onWake: OnWake, onEnd: OnEnd, subscribed: boolean) => NativeTask, options: TaskOptions) {
    const { errors, signal } = options;
    this.#onEvent = options.onEvent;
    this.#subscribed = options.subscribed ?? false;
    const { promise, resolve, reject } = withResolvers<string>();
    this.ended = promise;
    const onAbort = (): void => this.cancel(abortReason(signal));
    const onEnd: OnEnd = (status, json) => {
      this.#drain();
      this.#over = true;
      signal?.removeEventListener("abort", onAbort);
      if (this.#thrown !== undefined) reject(this.#thrown.error);
      else if (status === 0) resolve(json);
      else reject(errors.fromJson(json, signal));
    };
    try {
      this.#native = errors.call(() => start(() => this.#drain(), onEnd, this.#subscribed));
    } catch (error) {
      this.#over = true;
      reject(error);
      return;
    }
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
  }

  /** Starts the delivery of events; those before are gone. */
  subscribe(): void {
    if (this.#subscribed || this.#over) return;
    this.#subscribed = true;
    this.#native?.subscribe();
  }

  cancel(reason: string | undefined): void {
    if (!this.#over) this.#native?.cancel(reason ?? null);
  }

  #drain(): void {
    if (!this.#subscribed || this.#over || this.#native === undefined) return;
    for (const json of this.#native.drain()) {
      if (this.#thrown !== undefined) return;
      try {
        this.#onEvent?.(JSON.parse(json) as Record<string, unknown>);
      } catch (error) {
        this.#thrown = { error };
        this.cancel("a callback threw");
      }
    }
  }
}

/** The reason of an aborted signal in words. */
export function abortReason(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason;
  if (reason instanceof Error) return reason.message;
  return typeof reason === "string" ? reason : "aborted";
}

function withResolvers<T>(): { promise: Promise<T>; resolve(value: T): void; reject(error: unknown): void } {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
