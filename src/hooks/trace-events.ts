// A trace as Chrome's trace events, which Perfetto, speedscope and DevTools show. Must not: write files.
import { isObject, wrong } from "../base/check.js";
import { type Moment, type Span, type SpanKind, spansOf } from "./trace-spans.js";
import type { TraceEvent } from "./trace.js";

/** One event of Chrome's format. Times are microseconds. */
export type ChromeTraceEvent = ChromeSpan | ChromeInstant | ChromeName;

interface ChromeBase {
  /** What it is: the point, the hook, the tool. */
  readonly name: string;
  /** 1: all is of one process. */
  readonly pid: number;
  /** The line that it is on. */
  readonly tid: number;
  /** When it began. */
  readonly ts: number;
  /** What else is known of it. */
  readonly args: Readonly<Record<string, unknown>>;
}

interface ChromeSpan extends ChromeBase {
  /** It took time. */
  readonly ph: "X";
  /** What kind of thing it is. */
  readonly cat: SpanKind;
  /** How long it took. */
  readonly dur: number;
}

interface ChromeInstant extends ChromeBase {
  /** It happened at once. */
  readonly ph: "i";
  /** What kind of thing it is. */
  readonly cat: "moment";
  /** It is of its line alone. */
  readonly s: "t";
}

interface ChromeName extends ChromeBase {
  /** It names the process or a line: `args.name`. */
  readonly ph: "M";
}

/** What `traceEvents()` gives: a file of Chrome's format, once it is JSON. */
export interface ChromeTrace {
  /** Line by line. */
  readonly traceEvents: readonly ChromeTraceEvent[];
  /** How times are shown. */
  readonly displayTimeUnit: "ms";
  /** About the trace as a whole. */
  readonly otherData: {
    /** When `ts` is 0: ISO 8601; null where nothing tells. */
    readonly began: string | null;
    /** Events that the trace has lost. */
    readonly dropped: number;
  };
}

/** One line of the picture: spans that lie in each other or behind each other. */
interface Lane {
  readonly spans: Span[];
  /** Those that the next one may lie in, the innermost last. */
  readonly open: Span[];
}

const pid = 1;

/**
 * A trace as Chrome's trace events: write them as JSON, and open the file in Perfetto, speedscope or DevTools. Each run,
 * generation and session without a run has a line of its own (`tid`), and so has what belongs to none; what went on at once
 * in one of them, tools and hooks in parallel, has more. What has begun and not ended lasts to the end of the trace, with
 * `unfinished` in its `args`. Misuse throws `TypeError`.
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

/** As far as it is drawn: of which kind, and when. */
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

/** Closes what is over by then. */
function hasRoomFor({ open }: Lane, span: Span): boolean {
  for (let around = open.at(-1); around !== undefined; around = open.at(-1)) {
    if (span.end <= around.end && mayHold(around, span)) return true;
    if (around.end > span.begin) return false;
    open.pop();
  }
  return true;
}

/** What goes on at once is not shown as if one were a part of the other, even if it began later and ended earlier. */
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
