// Computes spans from a trace: what ran, when, how long, and in which run.
import type { Decision, HookRecord, LifecycleEvent } from "../generated/results.js";
import type { TraceEvent } from "./trace-event.js";

/** The kind of a span of a trace. */
export type SpanKind =
  "run" | "generation" | "embedding" | "rerank" | "modelLoad" | "modelCall" | "toolCall" | "plan" | "decision" | "hook";

/** An operation with a duration, in nanoseconds of the trace's clock. */
export interface Span {
  readonly kind: SpanKind;
  readonly name: string;
  readonly task: string;
  readonly begin: number;
  readonly end: number;
  /** The decision that a hook's span belongs to. */
  readonly of?: Span;
  readonly args: Readonly<Record<string, unknown>>;
}

/** An event without a duration. */
export interface Moment {
  readonly name: string;
  readonly task: string;
  readonly at: number;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface Spans {
  readonly spans: readonly Span[];
  readonly moments: readonly Moment[];
  /** The name of each task, in order of appearance. */
  readonly tasks: ReadonlyMap<string, string>;
  readonly dropped: number;
  /** Microseconds since the Unix epoch at the clock's zero. Undefined: no event has both times. */
  readonly epochUs: number | undefined;
}

type Started = Extract<LifecycleEvent, { readonly event: `${string}Started` }>;
type Ended = Extract<LifecycleEvent, { readonly durationUs: number }>;

const engineTask = "engine";

export function spansOf(events: Iterable<TraceEvent>): Spans {
  const reading = new Reading();
  for (const event of events) reading.take(event);
  return reading.result();
}

class Reading {
  readonly #spans: Span[] = [];
  readonly #moments: Moment[] = [];
  readonly #tasks = new Map<string, string>();
  /** Spans that have begun and not ended, by number. */
  readonly #open = new Map<number, Started>();
  /** Events without clock time, until another event has the offset of the clock. */
  readonly #unclocked: { readonly timeUs: number; moment(at: number): Moment }[] = [];
  #last = 0;
  #dropped = 0;
  #epochUs: number | undefined;

  take(event: TraceEvent): void {
    if ("clockUs" in event) {
      this.#epochUs ??= event.timeUs - event.clockUs;
      this.#last = Math.max(this.#last, ns(event.clockUs));
    }
    if (event.type === "decision") return this.#decision(event);
    switch (event.event) {
      case "dropped":
        this.#dropped += event.count;
        return;
      case "observerFailed":
        this.#unclocked.push({ timeUs: event.timeUs, moment: (at) => failedObserver(event, at) });
        return;
      case "modelUnloaded":
        return this.#moment(`unloaded ${event.modelId}`, engineTask, event);
      case "hookEnded":
        return this.#moment(`hook ${event.name}`, event.sessionId ?? engineTask, event);
      default:
        if ("durationUs" in event) this.#end(event);
        else this.#begin(event);
    }
  }

  result(): Spans {
    for (const started of this.#open.values()) {
      const begin = ns(started.clockUs);
      this.#add(started, begin, Math.max(begin, this.#last), { ...argsOf(started), unfinished: true });
    }
    const epochUs = this.#epochUs;
    for (const { timeUs, moment } of this.#unclocked) {
      this.#task(engineTask);
      this.#moments.push(moment(epochUs === undefined ? 0 : Math.max(0, ns(timeUs - epochUs))));
    }
    return {
      spans: this.#spans,
      moments: this.#moments,
      tasks: this.#tasks,
      dropped: this.#dropped,
      epochUs,
    };
  }

  #moment(name: string, task: string, event: LifecycleEvent & { readonly clockUs: number }): void {
    this.#moments.push({ name, task: this.#task(task), at: ns(event.clockUs), args: argsOf(event) });
  }

  #begin(event: Started): void {
    this.#open.set(event.span, event);
    if (event.event === "runStarted") this.#task(event.runId, runDetail(event));
  }

  #end(event: Ended): void {
    const started = this.#open.get(event.span);
    this.#open.delete(event.span);
    const end = ns(event.clockUs);
    const begin = started === undefined ? end - ns(event.durationUs) : ns(started.clockUs);
    this.#add(event, begin, end, { ...(started && argsOf(started)), ...argsOf(event) });
  }

  #add(event: Started | Ended, begin: number, end: number, args: Span["args"]): void {
    const { kind, name } = whatIs(event);
    const task = "runId" in event ? event.runId : engineTask;
    this.#task(task, kind === "generation" ? kind : "");
    this.#spans.push({ kind, name, task, begin, end, args });
  }

  #decision(decision: Decision): void {
    const { point, runId, sessionId, action, decidedBy, reason, seq, clockUs, durationUs } = decision;
    const task = this.#task(runId ?? sessionId ?? engineTask);
    const begin = ns(clockUs);
    const what = { point, decision: action, decidedBy: decidedBy?.name ?? null, reason };
    const end = begin + ns(durationUs);
    this.#last = Math.max(this.#last, end);
    const whole: Span = { kind: "decision", name: point, task, begin, end, args: { ...what, seq } };
    this.#spans.push(whole);
    for (const record of decision.hooks) this.#spans.push(hookSpan(record, decision, whole));
  }

  #task(key: string, detail = ""): string {
    if (detail !== "") this.#tasks.set(key, `${key} (${detail})`);
    else if (!this.#tasks.has(key)) this.#tasks.set(key, key);
    return key;
  }
}

function hookSpan(record: HookRecord, decision: Decision, of: Span): Span {
  const { id, outcome, fields, clockUs, durationUs, late, error } = record;
  const name = record.name === "" ? `hook ${id}` : record.name;
  const begin = ns(clockUs);
  return {
    kind: "hook",
    name,
    task: of.task,
    begin,
    end: begin + ns(durationUs),
    of,
    args: {
      hook: name,
      point: decision.point,
      decision: outcome,
      reason: decision.decidedBy?.id === id ? decision.reason : null,
      ...(fields.length > 0 && { fields }),
      ...(late === true && { late }),
      ...(error !== undefined && { code: error.code, error: error.message }),
    },
  };
}

function failedObserver(event: Extract<LifecycleEvent, { event: "observerFailed" }>, at: number): Moment {
  const { hook, point } = event;
  return { name: `${hook} failed`, task: engineTask, at, args: { hook, point, decision: "failed" } };
}

function whatIs(event: Started | Ended): { readonly kind: SpanKind; readonly name: string } {
  switch (event.event) {
    case "runStarted":
    case "runEnded":
      return { kind: "run", name: "run" };
    case "generationStarted":
    case "generationEnded":
      return { kind: "generation", name: "generation" };
    case "modelCallStarted":
    case "modelCallEnded":
      return { kind: "modelCall", name: "model call" };
    case "toolCallStarted":
    case "toolCallEnded":
      return { kind: "toolCall", name: event.toolName };
    case "planStarted":
    case "planEnded":
      return { kind: "plan", name: "plan" };
    case "embeddingStarted":
    case "embeddingEnded":
      return { kind: "embedding", name: `embed ${event.modelId}` };
    case "rerankStarted":
    case "rerankEnded":
      return { kind: "rerank", name: `rerank ${event.modelId}` };
    default:
      return { kind: "modelLoad", name: `load ${event.modelId}` };
  }
}

function argsOf(event: LifecycleEvent): Record<string, unknown> {
  const hidden = new Set(["type", "event", "timeUs", "clockUs", "durationUs", "span", "parentSpan", "task"]);
  return Object.fromEntries(Object.entries(event).filter(([key]) => !hidden.has(key)));
}

function runDetail({ tier, parentRunId, resumes }: Extract<Started, { event: "runStarted" }>): string {
  return [tier, parentRunId && `for ${parentRunId}`, resumes && `resumes ${resumes}`]
    .filter((part) => part !== undefined)
    .join(", ");
}

/** Whole numbers, whose sums are exact. */
function ns(us: number): number {
  return Math.round(us * 1000);
}
