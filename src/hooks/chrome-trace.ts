// Converts a trace to Chrome's trace events, which Perfetto, speedscope and DevTools display.
import { isObject, wrong } from "../base/check.js";
import { type Moment, type Span, type SpanKind, spansOf } from "./trace-spans.js";
import type { TraceEvent } from "./trace-event.js";

/** One event of Chrome's format. Times are in microseconds. */
export type ChromeTraceEvent = ChromeSpan | ChromeInstant | ChromeName;

/** The members of every event in Chrome's format. */
export interface ChromeBase {
  /** The name of the point, hook or tool. */
  readonly name: string;
  /** Always 1: one process. */
  readonly pid: number;
  /** The line of the display. */
  readonly tid: number;
  /** The start time. */
  readonly ts: number;
  /** Further details. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** An event with a duration. */
export interface ChromeSpan extends ChromeBase {
  /** A span: it has a duration. */
  readonly ph: "X";
  /** The kind of span. */
  readonly cat: SpanKind;
  /** The duration. */
  readonly dur: number;
}

/** An event at one moment. */
export interface ChromeInstant extends ChromeBase {
  /** An instant. */
  readonly ph: "i";
  /** The kind of instant. */
  readonly cat: "moment";
  /** The instant belongs to its line only. */
  readonly s: "t";
}

/** The name of the process, or of a line of the display. */
export interface ChromeName extends ChromeBase {
  /** Names the process or a line, in `args.name`. */
  readonly ph: "M";
}

/** The result of `traceEvents()`: written as JSON, it is a file in Chrome's format. */
export interface ChromeTrace {
  /** The events, line by line. */
  readonly traceEvents: readonly ChromeTraceEvent[];
  /** The unit in which viewers show times. */
  readonly displayTimeUnit: "ms";
  /** Data about the whole trace. */
  readonly otherData: {
    /** The wall time at which `ts` is 0, in ISO 8601. Null: unknown. */
    readonly began: string | null;
    /** The number of events that the trace lost. */
    readonly dropped: number;
  };
}

/** One line of the display: its spans are nested or follow each other. */
interface Lane {
  readonly spans: Span[];
  /** Open spans that may contain the next one, the innermost last. */
  readonly open: Span[];
}

const pid = 1;

/**
 * Converts a trace to Chrome's trace events: write the result as JSON and open the file in Perfetto, speedscope or
 * DevTools. Each run, each generation and each session outside of runs has a line (`tid`); work that belongs to none of
 * them has one as well. Concurrent work (parallel tools and hooks) gets further lines. A span without an end lasts
 * until the end of the trace and has `unfinished` in its `args`. Misuse throws `TypeError`.
 *
 * @example
 * ```ts
 * const events = [];
 * for await (const event of engine.trace()) events.push(event); // until the engine is closed
 * await writeFile("out.json", JSON.stringify(traceEvents(events)));
 * ```
 */
export function traceEvents(trace: Iterable<TraceEvent>): ChromeTrace {
  if (typeof trace !== "object" || trace === null || typeof trace[Symbol.iterator] !== "function")
    throw wrong("The trace", "an iterable of events that have been read", trace);
  const { spans, moments, tasks, dropped, epochUs } = spansOf(checked(trace));
  const zero = [...spans.map(({ begin }) => begin), ...moments.map(({ at }) => at)].reduce(
    (least, one) => Math.min(least, one),
    Infinity,
  );
  const spansBy = byTask(spans);
  const momentsBy = byTask(moments);
  const events: ChromeTraceEvent[] = [named("process_name", 0, "llama-hooks")];
  let tid = 0;
  for (const [task, title] of tasks) {
    const first = tid + 1;
    for (const [index, { spans: line }] of lanesOf(spansBy.get(task) ?? []).entries()) {
      events.push(named("thread_name", ++tid, index === 0 ? title : `${title} ${index + 1}`));
      for (const span of line) events.push(complete(span, tid, zero));
    }
    const own = momentsBy.get(task) ?? [];
    if (tid < first && own.length > 0) events.push(named("thread_name", ++tid, title));
    for (const moment of own) events.push(instant(moment, first, zero));
  }
  const began =
    epochUs === undefined || zero === Infinity ? null : new Date((epochUs + zero / 1000) / 1000).toISOString();
  return { traceEvents: events, displayTimeUnit: "ms", otherData: { began, dropped } };
}

function* checked(trace: Iterable<unknown>): Generator<TraceEvent> {
  let index = 0;
  for (const event of trace) {
    if (!isTraceEvent(event)) throw wrong(`The trace[${index}]`, "an event of engine.trace()", event);
    index++;
    yield event;
  }
}

/** Checks only what is drawn: the type and the times. */
function isTraceEvent(value: unknown): value is TraceEvent {
  if (!isObject(value)) return false;
  const { type, event, clockUs, timeUs, count, hooks } = value;
  if (type === "decision") return Number.isFinite(clockUs) && Array.isArray(hooks);
  if (type !== "lifecycle") return false;
  if (event === "dropped") return Number.isFinite(count);
  return Number.isFinite(event === "observerFailed" ? timeUs : clockUs);
}

function byTask<T extends { readonly task: string }>(all: readonly T[]): Map<string, T[]> {
  const grouped = new Map<string, T[]>();
  for (const one of all) {
    const group = grouped.get(one.task);
    if (group === undefined) grouped.set(one.task, [one]);
    else group.push(one);
  }
  return grouped;
}

function lanesOf(spans: readonly Span[]): Lane[] {
  const lanes: Lane[] = [];
  for (const span of spans.toSorted(outerFirst)) {
    let lane = lanes.find((one) => hasRoomFor(one, span));
    if (lane === undefined) lanes.push((lane = { spans: [], open: [] }));
    lane.spans.push(span);
    lane.open.push(span);
  }
  return lanes;
}

/** Closes the spans that have ended before `span` begins. */
function hasRoomFor({ open }: Lane, span: Span): boolean {
  for (let around = open.at(-1); around !== undefined; around = open.at(-1)) {
    if (span.end <= around.end && mayHold(around, span)) return true;
    if (around.end > span.begin) return false;
    open.pop();
  }
  return true;
}

/** Concurrent spans are not nested in each other, even if one began later and ended earlier. */
function mayHold(outer: Span, inner: Span): boolean {
  if (inner.kind === "hook") return inner.of === outer;
  if (inner.kind === "toolCall" && outer.kind === "toolCall") return outer.name === "plan";
  return true;
}

const kinds: readonly SpanKind[] = ["modelLoad", "run", "generation", "modelCall", "toolCall", "decision", "hook"];

function outerFirst(a: Span, b: Span): number {
  return a.begin - b.begin || b.end - a.end || kinds.indexOf(a.kind) - kinds.indexOf(b.kind);
}

function complete({ kind, name, begin, end, args }: Span, tid: number, zero: number): ChromeTraceEvent {
  return { ph: "X", name, cat: kind, pid, tid, ts: us(begin - zero), dur: us(end - begin), args };
}

function instant({ name, at, args }: Moment, tid: number, zero: number): ChromeTraceEvent {
  return { ph: "i", name, cat: "moment", s: "t", pid, tid, ts: us(at - zero), args };
}

function named(what: string, tid: number, name: string): ChromeTraceEvent {
  return { ph: "M", name: what, pid, tid, ts: 0, args: { name } };
}

function us(nanoseconds: number): number {
  return nanoseconds / 1000;
}
