// Spans of activities: begun and ended as the messages of the channels say.
// Must not: keep a span whose activity is over.
import type { Attributes, Context, Span, Tracer } from "@opentelemetry/api";
import type { Api } from "./api.js";
import { own } from "./conventions.js";
import { beginning, ending } from "./describe.js";
import { addHookEvent, isReported } from "./hook-events.js";
import type { HookMessage, Kind, Message } from "./messages.js";
import type { Metrics } from "./metrics.js";
import { isElsewhere } from "./providers.js";
import { hrTime } from "./times.js";

/** An activity under way. */
interface Open {
  readonly kind: Kind;
  readonly message: Message;
  readonly span: Span;
  /** The context for spans within this one. */
  readonly context: Context;
  readonly operation: string;
  /** The difference to add to the trace's clock for microseconds since the epoch; one for all spans of a tree. */
  readonly epochUs: number;
}

export class Spans {
  readonly #api: Api;
  readonly #tracer: Tracer;
  readonly #metrics: Metrics;
  /** Open spans by the number of the activity. */
  readonly #open = new Map<number, Open>();

  constructor(api: Api, tracer: Tracer, metrics: Metrics) {
    this.#api = api;
    this.#tracer = tracer;
    this.#metrics = metrics;
  }

  begin(kind: Kind, message: Message): void {
    const { context, trace, SpanKind } = this.#api;
    const above = message.parentSpan === undefined ? undefined : this.#open.get(message.parentSpan);
    if (message.parentSpan !== undefined && above === undefined) return; // a part of what began before
    const { operation, name, attributes } = beginning(kind, message);
    const parent = above?.context ?? context.active();
    const epochUs = above?.epochUs ?? message.timeUs - message.clockUs;
    const startTime = hrTime(message.clockUs + epochUs - (message.queueMs ?? 0) * 1000);
    const spanKind = isElsewhere(kind, message) ? SpanKind.CLIENT : SpanKind.INTERNAL;
    const span = this.#tracer.startSpan(name, { kind: spanKind, attributes, startTime }, parent);
    const open = { kind, message, span, context: trace.setSpan(parent, span), operation, epochUs };
    this.#open.set(message.span, open);
  }

  end(kind: Kind, message: Message): void {
    const open = this.#open.get(message.span);
    if (open === undefined) return; // began before
    this.#open.delete(message.span);
    const { span, operation, context } = open;
    const { durationUs } = message;
    const endUs = durationUs === undefined ? Date.now() * 1000 : message.clockUs + open.epochUs + durationUs;
    try {
      this.#metrics.record(kind, operation, message, context);
    } finally {
      this.#close(open, ending(kind, message), endUs, () => {
        if (message.error === undefined) return;
        span.setStatus({ code: this.#api.SpanStatusCode.ERROR, message: message.error.message });
      });
    }
  }

  hook(message: HookMessage): void {
    const open = message.span === null ? undefined : this.#open.get(message.span);
    if (open === undefined || !isReported(message) || !open.span.isRecording()) return;
    addHookEvent(open.span, message, message.clockUs + open.epochUs);
  }

  /** Ends all open spans, as unfinished: no further events will arrive. */
  endAll(): void {
    const rest = [...this.#open.values()].toReversed(); // children before their parents
    this.#open.clear();
    for (const open of rest) this.#close(open, { [own.unfinished]: true }, Date.now() * 1000);
  }

  #close({ span }: Open, attributes: Attributes, endUs: number, before?: () => void): void {
    span.setAttributes(attributes);
    before?.();
    span.end(hrTime(endUs));
  }
}
