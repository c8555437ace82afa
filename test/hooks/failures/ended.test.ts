// What a trace says of a hook that is not called any more, and the lists of all hooks.
import { expect, test } from "vitest";
import { cancel, defineHooks, type HookEndedEvent, type TraceEvent, traceEvents } from "../../../src/index.js";
import { openEngine } from "../../support/engine.js";
import { asks, tools } from "../../support/sessions.js";
import { traced } from "../../support/trace.js";

const isEnded = (event: TraceEvent): event is HookEndedEvent =>
  event.type === "lifecycle" && event.event === "hookEnded";

const counted = (events: readonly TraceEvent[]): unknown[] =>
  events.filter(isEnded).map(({ name, fired, matched, calls }) => [name, fired, matched, calls]);

test("the trace says of each hook when it was called, how often its point fired, and what it did", async () => {
  const engine = await openEngine([asks("Oslo", "Rome"), "Done."]);
  let id = "";
  const events = await traced(engine, async () => {
    engine.hooks.guard("preToolCall", ({ args }) => (args["city"] === "Rome" ? cancel("no") : undefined), {
      name: "atlas",
    });
    const session = engine.session({ tools, temperature: 0 });
    id = session.id;
    session.hooks.on("preToolCall", () => undefined, { name: "shell", when: { toolName: "Shell" } });
    session.hooks.on("postToolCall", () => ({ odd: 1 }) as never, { name: "odd", when: { toolName: /^WEATHER$/i } });
    await session.run("Go");
    await session.close();
  });
  const ended = events.filter(isEnded);
  const at = expect.stringMatching(/ended\.test\.ts:\d+/) as string;
  expect(ended).toMatchObject([
    { name: "shell", point: "preToolCall", when: { toolName: "Shell" }, sessionId: id, fired: 2, matched: 0, calls: 0 },
    { name: "odd", when: { toolName: "/^WEATHER$/i" }, sessionId: id, fired: 2, matched: 2, calls: 2, failures: 2 },
    { name: "atlas", when: null, sessionId: null, location: at, fired: 2, matched: 2, calls: 2, cancels: 1 },
  ]);
  for (const { totalUs, calls } of ended) expect(totalUs > 0).toBe(calls > 0);
  const moments = traceEvents(events).traceEvents.filter(({ name }) => name.startsWith("hook "));
  expect(moments.map(({ ph, name, args }) => [ph, name, args["fired"], args["matched"]])).toEqual([
    ["i", "hook shell", 2, 0],
    ["i", "hook odd", 2, 2],
    ["i", "hook atlas", 2, 2],
  ]);
});

test("each hook ends once: it was removed, was for one call, or its session, run or generation is over", async () => {
  const engine = await openEngine(["One.", "Two.", "Three."]);
  const events = await traced(engine, async () => {
    const removed = engine.hooks.on("preGenerate", () => undefined, { name: "removed" });
    engine.hooks.on("preGenerate", () => undefined, { name: "once", once: true });
    engine.hooks.on("postGenerate", () => undefined, {
      name: "twice",
      once: true,
      when: { content: () => true },
    });
    engine.hooks.on("loopEnd", () => undefined, { name: "left" });
    engine.hooks.on("streamToken", () => undefined, { name: "watches", observe: true, when: { kind: /^NONE$/i } });
    await engine.generate("Hi", { hooks: defineHooks("call", { preGenerate: () => undefined }) });
    removed.dispose();
    await engine.session().run("Hi", { hooks: defineHooks("run", { loopStart: () => undefined }) });
  });
  expect(counted(events).toSorted()).toEqual([
    ["call", 1, 1, 1],
    ["left", 1, 1, 1],
    ["once", 1, 1, 1],
    ["removed", 1, 1, 1],
    ["run", 1, 1, 1],
    ["twice", 1, 1, 1],
    ["watches", expect.any(Number), 0, 0],
  ]);
});

test("a fork's hooks end with the last session that shares them", async () => {
  const engine = await openEngine(["One.", "Two."]);
  const names: string[] = [];
  const events = await traced(engine, async () => {
    const session = engine.session();
    session.hooks.on("preGenerate", () => undefined, { name: "shared" });
    await session.run("Hi");
    const fork = session.fork();
    await session.close();
    names.push(...engine.hooks.list({ all: true }).map(({ name }) => name));
    await fork.run("Hi");
    await fork.close();
    names.push(...engine.hooks.list({ all: true }).map(({ name }) => name));
  });
  expect(names).toEqual(["shared"]);
  expect(counted(events)).toEqual([["shared", 2, 2, 2]]);
});

test("all: the hooks of sessions, runs and generations, too, in the order in which they run", async () => {
  const engine = await openEngine([asks("Oslo"), "Done."]);
  const session = engine.session({ tools, temperature: 0 });
  engine.hooks.guard("preToolCall", () => undefined, { name: "guard" });
  session.hooks.on("preToolCall", () => undefined, { name: "session", when: { toolName: "none" } });
  engine.hooks.on("preToolCall", () => undefined, { name: "engine" });
  engine.hooks.on("loopStart", () => undefined, { name: "start" });
  let during: unknown[] = [];
  const list = (): unknown[] =>
    engine.hooks.list({ all: true }).map(({ name, level, sessionId }) => [name, level, sessionId]);
  const run = defineHooks("run", { postToolCall: () => void (during = list()) });
  await session.run("Go", { hooks: run });
  const [guard, own, above, start] = [
    ["guard", "engine", null],
    ["session", "session", session.id],
    ["engine", "engine", null],
    ["start", "engine", null],
  ];
  expect(during).toEqual([above, own, guard, ["run", "run", null], start]);
  expect(list()).toEqual([above, own, guard, start]);
  expect(engine.hooks.list().map(({ name }) => name)).toEqual(["engine", "guard", "start"]);
  expect(engine.hooks.stats({ all: true }).map(({ name, fired, matched }) => [name, fired, matched])).toEqual([
    ["engine", 1, 1],
    ["session", 1, 0],
    ["guard", 1, 1],
    ["start", 1, 1],
  ]);
  await session.close();
  expect(list()).toEqual([above, guard, start]);
});

test("all is for the engine, and is a boolean", async () => {
  const engine = await openEngine(["Hi."]);
  const session = engine.session();
  expect(() => session.hooks.list({ all: true })).toThrow(
    /^hooks\.list\(\) options: all is for the hooks of an engine$/,
  );
  expect(() => engine.hooks.stats({ all: 1 } as never)).toThrow(TypeError);
  expect(() => engine.hooks.list({ every: true } as never)).toThrow(/every/);
});
