// Delivers the events of an engine to any number of readers. Must not: cost anything without a reader.
import type { Causes } from "../base/causes.js";
import { decisionFromWire } from "../native/decisions.js";
import { EventQueue } from "../base/event-queue.js";
import type { LifecycleEvent } from "../generated/results.js";
import type { NativeEngine } from "../native/addon.js";
import { hasChannelSubscribers } from "../base/trace-channels.js";
import { camelDeep, toCamel } from "../base/wire.js";
import { endedFromWire, type HookKnowledge } from "./hook-list.js";
import { type AddressOf, TraceChannels } from "./trace-channels.js";
import type { TraceEvent } from "./trace-event.js";
import type { CheckedTrace } from "./trace-options.js";

/** The reader that `engine.trace()` returns. Each iteration is independent and gets the events from its start on. */
export interface TraceReader extends AsyncIterable<TraceEvent> {
  /** The number of events lost so far in all iterations, because they were more than `limit` behind. */
  readonly dropped: number;
}

/** Receives events. */
interface Listener {
  push(event: TraceEvent): void;
  end(): void;
}

/** Facts that the native events lack. */
export interface TraceKnowledge {
  readonly causes: Causes;
  readonly hooks: HookKnowledge;
  readonly addressOf: AddressOf;
}

/** The readers of one engine's trace and the subscribers of its diagnostics channels. */
export class Trace {
  readonly #native: NativeEngine;
  readonly #known: TraceKnowledge;
  readonly #listeners = new Set<Listener>();
  #channels: TraceChannels | undefined;
  #closed = false;

  constructor(native: NativeEngine, known: TraceKnowledge) {
    this.#native = native;
    this.#known = known;
  }

  reader(options: CheckedTrace): TraceReader {
    let dropped = 0;
    const count = (events: number): void => void (dropped += events);
    return {
      [Symbol.asyncIterator]: () => this.#read(options, count),
      get dropped() {
        return dropped;
      },
    };
  }

  /** Called when work is about to begin, so that subscribers present by now get its events. */
  watch(): void {
    if (this.#closed || hasChannelSubscribers() === (this.#channels !== undefined)) return;
    if (this.#channels !== undefined) return this.#leaveChannels();
    this.#channels = new TraceChannels(this.#known.addressOf);
    this.#add(this.#channels);
  }

  push(event: TraceEvent): void {
    for (const listener of this.#listeners) listener.push(event);
  }

  /** Ends every reader, after the events so far. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#listeners.size > 0) {
      this.#take();
      this.#native.trace(null);
    }
    for (const listener of this.#listeners) listener.end();
    this.#listeners.clear();
  }

  #read({ wants, limit }: CheckedTrace, onDropped: (count: number) => void): AsyncIterableIterator<TraceEvent> {
    const queue: EventQueue<TraceEvent> = new EventQueue(
      { onReturn: () => this.#remove(listener) },
      { limit, onDropped, dropped: (count) => ({ type: "lifecycle", event: "dropped", count }) },
    );
    const listener: Listener = {
      push: (event) => void (wants(event) && queue.push(event)),
      end: () => queue.end(),
    };
    if (this.#closed) queue.end();
    else this.#add(listener);
    return queue;
  }

  #add(listener: Listener): void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#native.trace(() => this.#woken());
  }

  #remove(listener: Listener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size === 0 && !this.#closed) this.#native.trace(null);
  }

  /** Passes the events so far to the readers. */
  drain(): void {
    if (this.#listeners.size > 0 && !this.#closed) this.#take();
  }

  #woken(): void {
    this.#take();
    if (this.#channels !== undefined && !hasChannelSubscribers()) this.#leaveChannels();
  }

  #leaveChannels(): void {
    if (this.#channels !== undefined) this.#remove(this.#channels);
    this.#channels = undefined;
  }

  #take(): void {
    for (const json of this.#native.drainTrace()) this.push(this.#event(JSON.parse(json) as Record<string, unknown>));
  }

  #event(wire: Record<string, unknown>): TraceEvent {
    if (wire["type"] === "decision") return decisionFromWire(wire, this.#known.causes);
    return wire["event"] === "hook_ended" ? endedFromWire(wire, this.#known.hooks) : lifecycleFromWire(wire);
  }
}

function lifecycleFromWire(wire: Record<string, unknown>): LifecycleEvent {
  const event = camelDeep(wire) as Record<string, unknown>;
  event["event"] = toCamel(String(event["event"]));
  return event as unknown as LifecycleEvent;
}
