// Wraps one long native call: its promise, its events and its cancellation.
import { LlamaHooksError } from "../base/errors.js";
import { onAbort } from "../base/on-abort.js";
import type { NativeTask, OnEnd, OnWake } from "./addon.js";
import { keepCaller } from "./callers.js";
import type { NativeErrors } from "./native-errors.js";

export interface TaskOptions {
  readonly errors: NativeErrors;
  readonly signal?: AbortSignal | undefined;
  /** True: events are wanted from the start. Otherwise events before `subscribe()` are dropped. */
  readonly subscribed?: boolean | undefined;
  /** Called with each event once subscribed. If it throws, the task is cancelled and `ended` rejects. */
  readonly onEvent?: ((event: Record<string, unknown>) => void) | undefined;
  /**
   * Returns true if events may be taken now [always]. Otherwise they stay buffered and the call waits; call `pull()`
   * when this has changed.
   */
  readonly mayPull?: (() => boolean) | undefined;
  /**
   * Present: a cancelled call resolves with its result so far. It starts, already cancelled, even if its signal has
   * aborted or `cancelled` is set. [Absent: it does not start then, and rejects.]
   */
  readonly givesPart?: { readonly cancelled: { readonly reason: string | undefined } | undefined } | undefined;
}

/** Starts a native call. `cancelled`: it begins cancelled, for this reason. */
export type StartTask = (onWake: OnWake, onEnd: OnEnd, subscribed: boolean, cancelled: string | null) => NativeTask;

/** A running native call. `ended` settles once, after the last event was delivered. */
export class Task {
  readonly ended: Promise<string>;
  readonly #native: NativeTask | undefined;
  readonly #onEvent: TaskOptions["onEvent"];
  readonly #mayPull: TaskOptions["mayPull"];
  /** Events are buffered, and no reader has taken them. */
  #pending = false;
  #subscribed: boolean;
  #over = false;
  #thrown: { readonly error: unknown } | undefined;

  constructor(start: StartTask, options: TaskOptions) {
    const { errors, signal, givesPart } = options;
    const aborted = signal?.aborted === true;
    this.#onEvent = options.onEvent;
    this.#mayPull = options.mayPull;
    this.#subscribed = options.subscribed ?? false;
    const { promise, resolve, reject } = withResolvers<string>();
    this.ended = promise;
    const stop = (): void => this.cancel(abortReason(signal));
    let deaf: (() => void) | undefined;
    let forget: (() => void) | undefined;
    const onEnd: OnEnd = (status, json) => {
      forget?.();
      this.#drain();
      this.#over = true;
      deaf?.();
      if (this.#thrown !== undefined) reject(this.#thrown.error);
      else if (status === 0) resolve(json);
      else reject(errors.fromJson(json, signal));
    };
    try {
      if (aborted && givesPart === undefined) throw cancelledBefore(signal);
      const before = aborted ? { reason: abortReason(signal) } : givesPart?.cancelled;
      const cancelled = before === undefined ? null : (before.reason ?? "");
      this.#native = errors.call(() => start(() => this.#woken(), onEnd, this.#subscribed, cancelled));
      forget = keepCaller(this.#native, signal);
    } catch (error) {
      this.#over = true;
      reject(error);
      return;
    }
    if (!aborted && !this.#over) deaf = onAbort(signal, stop);
  }

  /** Starts or ends the delivery of events. Earlier events are dropped; without delivery none are created. */
  subscribe(on: boolean): void {
    if (this.#subscribed === on || this.#over) return;
    this.#subscribed = on;
    this.#native?.subscribe(on);
  }

  /** Takes the buffered events, if there are any and `mayPull` allows it. */
  pull(): void {
    if (!this.#pending || this.#over || this.#mayPull?.() === false) return;
    this.#pending = false;
    this.#native?.keepAlive(true);
    this.#drain();
  }

  cancel(reason: string | undefined): void {
    if (this.#over) return;
    this.#native?.cancel(reason ?? null);
    this.#native?.keepAlive(true); // no reader delays it any more, so it will end
  }

  #woken(): void {
    if (this.#mayPull?.() !== false) return this.#drain();
    this.#pending = true;
    // The call waits for a reader in JavaScript. If nothing else keeps the process alive, no reader will come.
    this.#native?.keepAlive(false);
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

function cancelledBefore(signal: AbortSignal): LlamaHooksError {
  const message = `cancelled before it began: ${abortReason(signal)}`;
  return new LlamaHooksError("CANCELLED", message, { cause: signal.reason });
}

/** The reason of an aborted signal as text. The reason may be any value. */
export function abortReason(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason;
  try {
    const words: unknown = reason instanceof Error ? reason.message : reason;
    if (typeof words === "string" && words.trim() !== "") return words;
  } catch {
    // its accessors throw
  }
  return "aborted";
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
