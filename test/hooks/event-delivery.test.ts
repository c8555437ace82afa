// Handlers receive every event, in order, even if the run of the event is aborted meanwhile.
import { expect, test } from "vitest";
import {
  type AnyHookEvent,
  type Decision,
  type Engine,
  type HookRegistration,
  type PointName,
  pointNames,
  POINTS,
} from "../../src/index.js";
import { amount } from "../support/amount.js";
import { openEngine } from "../support/engine.js";
import { hookAt } from "../support/order/orders.js";
import { asks, calls, fails, tools } from "../support/sessions.js";
import { traced } from "../support/trace.js";

/** Points that tell what has happened. */
const reportingPoints = pointNames.filter((point) => POINTS[point].kind !== "pre");

/** The JavaScript thread does nothing else for a while, so that calls of handlers wait for it. */
function busy(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

/** The same numbers each time. */
function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

interface Received {
  readonly point: PointName;
  readonly seq: number;
  readonly runId: string | null;
  readonly event: AnyHookEvent;
}

/** A handler at each of those points, which notes what it receives. */
function listen(engine: Engine, note: (received: Received) => void): readonly HookRegistration[] {
  return reportingPoints.map((point) =>
    hookAt(engine, point, (event) => {
      const { seq, runId } = event.meta;
      note({ point, seq, runId, event });
    }),
  );
}

const isDecision = (event: { readonly type: string }): event is Decision => event.type === "decision";

/** The trace's entries for those points. The threads of the runs write them, whatever JavaScript does. */
function firedIn(events: readonly { readonly type: string }[]): string[] {
  const fired = events.filter(isDecision).filter(({ point }) => reportingPoints.includes(point));
  return fired.sort((a, b) => a.seq - b.seq).map(({ point, seq, runId }) => `${runId} ${seq} ${point}`);
}

const shown = ({ point, seq, runId }: Received): string => `${runId} ${seq} ${point}`;
const byRun = (lines: readonly string[], run: string): string[] => lines.filter((line) => line.startsWith(`${run} `));

/** The JavaScript thread does nothing else until the engine waits no longer for the hook of that name. */
function busyUntilGivenUp(engine: Engine, hook: string): void {
  while (engine.hooks.stats().find(({ name }) => name === hook)?.calls !== 1);
}

test("each handler of an event receives it though the run is aborted while it waits for JavaScript", async () => {
  const engine = await openEngine(["Hello."]);
  const stop = new AbortController();
  const heard: string[] = [];
  let signal: AbortSignal | undefined;
  engine.hooks.on("loopIteration", () => {
    stop.abort();
    busyUntilGivenUp(engine, "last");
  });
  engine.hooks.on("loopIteration", ({ iteration }) => void heard.push(`iteration ${iteration}`));
  const last = async (event: { readonly signal: AbortSignal }): Promise<undefined> => {
    heard.push("last");
    ({ signal } = event);
    await new Promise(() => undefined);
  };
  engine.hooks.on("loopIteration", last, { name: "last" });
  engine.hooks.on("loopEnd", () => void heard.push("loopEnd"));
  const { finishReason } = await engine.session().run("Hello", { signal: stop.signal });
  expect(finishReason).toBe("cancelled");
  expect(heard).toEqual(["iteration 1", "last", "loopEnd"]);
  expect(signal).toMatchObject({ aborted: true, reason: { code: "CANCELLED" } });
});

test("an event is delivered though its handler's deadline is past before JavaScript comes to it", async () => {
  const engine = await openEngine(["Hello."]);
  const heard: string[] = [];
  const late = { name: "late", deadlineMs: 1 };
  engine.hooks.on("postGenerate", () => busyUntilGivenUp(engine, "late"), { observe: true });
  const handler = ({ content }: { readonly content: string }): { content: string } => {
    heard.push(content);
    return { content: "too late" };
  };
  engine.hooks.on("postGenerate", handler, late);
  engine.hooks.on("loopEnd", () => void heard.push("loopEnd"));
  const { text } = await engine.session().run("Hello");
  expect(text).toBe("Hello.");
  expect(heard).toEqual(["Hello.", "loopEnd"]);
});

test("a handler that was to decide is not called when its decision is not waited for any more", async () => {
  const engine = await openEngine(["Hello."]);
  const stop = new AbortController();
  let asked = false;
  engine.hooks.on("contextBudget", () => {
    stop.abort();
    busyUntilGivenUp(engine, "decides");
  });
  engine.hooks.on("preGenerate", () => void (asked = true), { name: "decides" });
  await engine.session().run("Hello", { signal: stop.signal });
  expect(asked).toBe(false);
});

test("runs that are aborted at any moment have reported all that happened, in order", async () => {
  const rounds = amount(30, 130);
  const replies = [{ toolCalls: [...asks("Oslo").toolCalls, ...calls("fails").toolCalls] }, asks("Rome"), "Done."];
  const engine = await openEngine({ replies, afterLast: "repeat" }, { maxQueued: 1000 });
  const received: Received[] = [];
  const next = random(25);
  let stop = new AbortController();
  let left = 0;
  listen(engine, (one) => {
    received.push(one);
    if (--left === 0) stop.abort();
    busy(next() < 0.2 ? 1 + 3 * next() : 0);
  });
  const finished = new Map<string, number>();
  const events = await traced(engine, async () => {
    for (let round = 0; round < rounds; round++) {
      stop = new AbortController();
      left = 1 + Math.floor(next() * 40);
      const session = engine.session({ tools: [...tools, fails] });
      const run = session.run("Hello", { signal: stop.signal });
      const by = round % 3;
      if (by === 1) setTimeout(() => stop.abort(), next() * 12);
      const closed = by === 2 ? new Promise((done) => setTimeout(done, next() * 12)).then(() => session.close()) : null;
      const { finishReason } = await run.catch((error: unknown) => ({
        finishReason: (error as { code: string }).code,
      }));
      finished.set(finishReason, (finished.get(finishReason) ?? 0) + 1);
      await closed;
      await session.close();
    }
  });

  expect(finished.get("cancelled")).toBeGreaterThan(0.75 * rounds);
  const fired = firedIn(events);
  const heard = received.map(shown);
  const runs = [...new Set(received.map(({ runId }) => String(runId)))];
  for (const run of runs) expect(byRun(heard, run)).toEqual(byRun(fired, run));
  expect(heard.length).toBe(fired.length);

  const sessions = new Map<string | null, PointName[]>();
  for (const { point, event } of received) {
    if (point !== "sessionStart" && point !== "sessionEnd") continue;
    const { sessionId } = event.meta;
    sessions.set(sessionId, [...(sessions.get(sessionId) ?? []), point]);
  }
  for (const points of sessions.values()) expect(points).toEqual(["sessionStart", "sessionEnd"]);

  for (const run of runs) {
    const mine = received.filter(({ runId, point }) => runId === run && !point.startsWith("session"));
    const points = mine.map(({ point }) => point);
    if (points.length === 0) continue;
    for (const once of ["loopStart", "loopEnd"]) expect(points.filter((point) => point === once)).toEqual([once]);
    const failed = mine.filter(({ event }) => event.point === "postToolCall" && event.resultKind === "error");
    const errors = mine.filter(({ event }) => event.point === "error" && event.code === "TOOL_FAILED");
    expect(errors).toHaveLength(failed.length);
    let state = "IDLE";
    for (const { event } of mine) {
      if (event.point !== "stateChange") continue;
      expect(event.previous).toBe(state);
      state = event.current;
    }
    expect(state).toBe("IDLE");
  }
});
