import { expect, test } from "vitest";
import { type Engine, type Session, type TraceEvent, type TraceOptions } from "../../src/index.js";
import { leadAndCoder, ofLead } from "../support/lead-and-coder.js";
import { openEngine } from "../support/engine.js";
import { asks, tools } from "../support/sessions.js";

/** Everything that a trace with these options has of the work, and of the end of the engine. */
async function traced(engine: Engine, options: TraceOptions, work: () => unknown): Promise<TraceEvent[]> {
  const events: TraceEvent[] = [];
  const reading = (async () => {
    for await (const event of engine.trace(options)) events.push(event);
  })();
  await work();
  await engine.close();
  await reading;
  return events;
}

const pointsOf = (events: readonly TraceEvent[]): Set<string> =>
  new Set(events.flatMap((event) => (event.type === "decision" ? [event.point] : [])));
const eventsOf = (events: readonly TraceEvent[]): Set<string> =>
  new Set(events.flatMap((event) => (event.type === "lifecycle" ? [event.event] : [])));
const sessionsOf = (events: readonly TraceEvent[]): Set<string | null> =>
  new Set(events.map((event) => ("sessionId" in event ? event.sessionId : null)));

/** An engine with hooks at several points. */
async function hooked(): Promise<Engine> {
  const engine = await openEngine([asks("Oslo"), "Cold."]);
  for (const point of ["preGenerate", "preToolCall", "postToolCall", "sessionStart"] as const)
    engine.hooks.on(point, () => undefined, { name: point });
  return engine;
}

function open(engine: Engine): Session {
  return engine.session({ tools, temperature: 0 });
}

test("points leave decisions out that were made elsewhere, under any of their names, and nothing but decisions", async () => {
  const engine = await hooked();
  engine.hooks.on(
    "preToolCall",
    () => {
      throw new Error("broken");
    },
    { observe: true, name: "seen" },
  );
  engine.hooks.on("preGenerate", () => Promise.reject<undefined>(new Error("broken")), {
    observe: true,
    name: "unseen",
  });
  const events = await traced(engine, { points: ["PRE_TOOL_CALL", "sessionStart"] }, () => open(engine).run("Hello"));
  expect(pointsOf(events)).toEqual(new Set(["sessionStart", "preToolCall"]));
  expect(eventsOf(events)).toEqual(
    new Set([
      "runStarted",
      "modelCallStarted",
      "modelCallEnded",
      "toolCallStarted",
      "toolCallEnded",
      "observerFailed",
      "runEnded",
      "modelUnloaded",
      "hookEnded",
    ]),
  );
  const failed = events.filter((event) => event.type === "lifecycle" && event.event === "observerFailed");
  expect(failed).toMatchObject([{ hook: "seen" }]);
});

test("sessions leave out what is of others and of none, and are given as they are or by id", async () => {
  for (const given of [(session: Session) => session, ({ id }: Session) => id]) {
    const engine = await hooked();
    const [mine, other] = [open(engine), open(engine)];
    const events = await traced(engine, { sessions: [given(mine)] }, async () => {
      await other.run("Hello");
      await mine.run("Hello");
      await engine.generate("hi");
    });
    expect(sessionsOf(events)).toEqual(new Set([mine.id]));
    expect(pointsOf(events)).toEqual(new Set(["sessionStart", "preGenerate", "preToolCall", "postToolCall"]));
    expect(eventsOf(events)).toEqual(
      new Set(["runStarted", "modelCallStarted", "modelCallEnded", "toolCallStarted", "toolCallEnded", "runEnded"]),
    );
  }
});

test("a run that a session delegates to is the session's, too", async () => {
  const engine = await openEngine(leadAndCoder(["Written."]));
  const session = engine.session({ ...ofLead, temperature: 0 });
  const events = await traced(engine, { sessions: [session] }, () => session.run("Hello"));
  const started = events.filter((event) => event.type === "lifecycle" && event.event === "runStarted");
  expect(started).toMatchObject([{ tier: "lead" }, { tier: "coder", parentRunId: expect.any(String) as string }]);
});

test("several traces at once have what each asks for", async () => {
  const engine = await hooked();
  const seen: Record<string, Set<string>> = {};
  const read = async (name: string, options: TraceOptions): Promise<void> => {
    const events: TraceEvent[] = [];
    for await (const event of engine.trace(options)) events.push(event);
    seen[name] = pointsOf(events);
  };
  const reading = Promise.all([
    read("none", { points: [] }),
    read("tools", { points: ["preToolCall"] }),
    read("all", {}),
  ]);
  await open(engine).run("Hello");
  await engine.close();
  await reading;
  expect(seen).toEqual({
    none: new Set(),
    tools: new Set(["preToolCall"]),
    all: new Set(["sessionStart", "preGenerate", "preToolCall", "postToolCall"]),
  });
});

test("a reader that falls behind loses the older half and learns how many, as does each caller that asks", async () => {
  const engine = await openEngine([{ pieces: ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"] }]);
  engine.hooks.on("streamToken", () => undefined, { name: "token" });
  const trace = engine.trace({ points: ["streamToken"], limit: 4 });
  expect(trace.dropped).toBe(0);
  const reader = trace[Symbol.asyncIterator]();
  const first = reader.next();
  await engine.generate("hi");
  expect(await first).toMatchObject({ value: { event: "generationStarted" } });
  const lost = trace.dropped;
  expect(lost).toBeGreaterThan(0);
  expect(await reader.next()).toEqual({ value: { type: "lifecycle", event: "dropped", count: lost }, done: false });
  await engine.close();
  let rest = 0;
  for (let next = await reader.next(); next.done !== true; next = await reader.next())
    if (next.value.type === "decision" || next.value.event !== "dropped") rest++;
  // 10 tokens, the end of the generation, of the model and of the hook: those that are there, and those that are not.
  expect(rest + trace.dropped).toBe(13);
  expect(rest).toBeLessThanOrEqual(4);
});

test("what is wrong with options is named, at once", async () => {
  const engine = await openEngine(["Hello."]);
  const trace = (options: unknown) => () => engine.trace(options as TraceOptions);
  expect(trace({ points: ["preToolcal"] })).toThrow(
    /^There is no hook point "preToolcal"; did you mean "preToolCall"\?/,
  );
  expect(trace({ points: [999] })).toThrow(/^There is no hook point 999; known: /);
  expect(trace({ points: "preToolCall" })).toThrow('trace() options.points must be an array, got "preToolCall"');
  expect(trace({ sessions: [7] })).toThrow("trace() options.sessions[0] must be a string that is not empty, got 7");
  expect(trace({ sessions: [{}] })).toThrow(
    "trace() options.sessions[0] must be a string that is not empty, got undefined",
  );
  expect(trace({ limit: 0 })).toThrow("trace() options.limit must be an integer of at least 1, got 0");
  expect(trace({ point: ["preToolCall"] })).toThrow(/"?point"?.*did you mean "points"/);
  expect(trace([])).toThrow("trace() options must be an object");
});
