// Checks Chrome trace events against the format and against their trace.
import { expect } from "vitest";
import type { ChromeTrace, ChromeTraceEvent, TraceEvent } from "../../src/index.js";

export type Complete = Extract<ChromeTraceEvent, { ph: "X" }>;

const ns = (us: number): number => Math.round(us * 1000);
const isComplete = (event: ChromeTraceEvent): event is Complete => event.ph === "X";

export function completes({ traceEvents }: ChromeTrace): Complete[] {
  return traceEvents.filter(isComplete);
}

/** The title of each line, by its number. */
export function titles({ traceEvents }: ChromeTrace): Map<number, string> {
  const named = traceEvents.filter(({ ph, name }) => ph === "M" && name === "thread_name");
  const found = new Map(named.map(({ tid, args }) => [tid, args["name"] as string]));
  expect(found.size).toBe(named.length);
  return found;
}

/** The direct nesting as [outer, inner] names; null: not nested. Fails if two spans overlap in part. */
export function nesting(chrome: ChromeTrace): [string | null, string][] {
  const pairs: [string | null, string][] = [];
  for (const tid of titles(chrome).keys()) {
    const open: { name: string; end: number }[] = [];
    const line = completes(chrome).filter((event) => event.tid === tid);
    for (const { name, ts, dur } of line.toSorted((a, b) => ns(a.ts) - ns(b.ts) || ns(b.dur) - ns(a.dur))) {
      const begin = ns(ts);
      const end = begin + ns(dur);
      // A span without duration may be at the very end of its outer span.
      const isOver = (one: { end: number }): boolean => one.end <= begin && one.end < end;
      for (let last = open.at(-1); last !== undefined && isOver(last); last = open.at(-1)) open.pop();
      const around = open.at(-1);
      if (around !== undefined) expect(end, `${name} in ${around.name}`).toBeLessThanOrEqual(around.end);
      pairs.push([around?.name ?? null, name]);
      open.push({ name, end });
    }
  }
  return pairs;
}

/**
 * Expects that every event has the required fields, that spans nest, and that nothing of the trace is missing or
 * longer.
 */
export function expectSound(chrome: ChromeTrace, events: readonly TraceEvent[]): void {
  const lines = titles(chrome);
  expect(new Set(lines.values()).size).toBe(lines.size);
  for (const event of chrome.traceEvents) {
    expect(event).toMatchObject({ name: expect.stringMatching(/./), pid: 1, args: expect.any(Object) as object });
    expect(event.ts).toBeGreaterThanOrEqual(0);
    if (event.ph === "X") expect(event.dur).toBeGreaterThanOrEqual(0);
    if (event.ph !== "M" || event.name === "thread_name") expect(lines.has(event.tid)).toBe(true);
  }
  nesting(chrome);
  const decisions = events.filter((event) => event.type === "decision");
  const took = (cat: string): number[] =>
    completes(chrome).flatMap((event) => (event.cat === cat ? [ns(event.dur)] : []));
  expect(took("decision").toSorted()).toEqual(decisions.map(({ durationUs }) => ns(durationUs)).toSorted());
  const hooks = decisions.flatMap((decision) => decision.hooks);
  expect(sum(took("hook"))).toBe(sum(hooks.map(({ durationUs }) => ns(durationUs))));
  expect(took("hook")).toHaveLength(hooks.length);
  const ended = events.flatMap((event) =>
    event.type === "lifecycle" && "durationUs" in event ? [event.durationUs] : [],
  );
  const spans = ["run", "generation", "modelLoad", "modelCall", "toolCall", "plan", "embedding", "rerank"].flatMap(
    took,
  );
  expect(spans.toSorted()).toEqual(ended.map(ns).toSorted());
  expect(JSON.parse(JSON.stringify(chrome))).toEqual(chrome);
}

function sum(all: readonly number[]): number {
  return all.reduce((total, one) => total + one, 0);
}
