// The engine's decisions and lifecycle events for any number of readers. Must not: cost anything without a reader.
import type { Causes } from "../base/causes.js";
import { decisionFromWire } from "../native/decisions.js";
import { EventQueue } from "../base/event-queue.js";
import type { Decision, LifecycleEvent } from "../generated/results.js";
import type { NativeEngine } from "../native/addon.js";
import { camelDeep, toCamel } from "../base/wire.js";

/** One event of `engine.trace()`, told apart by its `type`. */
export type TraceEvent = Decision | LifecycleEvent;

/** Events that wait for one reader at most. */
const limit = 65_536;

/** The readers of one engine's trace. */
export class Trace {
  readonly #native: NativeEngine;
  readonly #causes: Causes;
  readonly #readers = new Set<EventQueue<TraceEvent>>();
  #closed = false;

  constructor(native: NativeEngine, causes: Causes) {
    this.#native = native;
    this.#causes = causes;
  }

  /** A reader; it gets what happens from now on. */
  read(): AsyncIterableIterator<TraceEvent> {
    const reader: EventQueue<TraceEvent> = new EventQueue(
      { onReturn: () => this.#leave(reader) },
      { limit, dropped: (count) => ({ type: "lifecycle", event: "dropped", count }) },
    );
    if (this.#closed) reader.end();
    else {
      this.#readers.add(reader);
      if (this.#readers.size === 1) this.#native.trace(() => this.drain());
    }
    return reader;
  }

  push(event: TraceEvent): void {
    for (const reader of this.#readers) reader.push(event);
  }

  /** Ends every reader, after what has happened so far. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#readers.size > 0) {
      this.drain();
      this.#native.trace(null);
    }
    for (const reader of this.#readers) reader.end();
    this.#readers.clear();
  }

  drain(): void {
    for (const json of this.#native.drainTrace()) {
      const wire = JSON.parse(json) as Record<string, unknown>;
      this.push(wire["type"] === "decision" ? decisionFromWire(wire, this.#causes) : lifecycleFromWire(wire));
    }
  }

  #leave(reader: EventQueue<TraceEvent>): void {
    this.#readers.delete(reader);
    if (this.#readers.size === 0 && !this.#closed) this.#native.trace(null);
  }
}

function lifecycleFromWire(wire: Record<string, unknown>): LifecycleEvent {
  const event = camelDeep(wire) as Record<string, unknown>;
  event["event"] = toCamel(String(event["event"]));
  return event as unknown as LifecycleEvent;
}
