import { expect, test } from "vitest";
import { cancel, type Decision, type TraceEvent, traceEvents, tool } from "../../src/index.js";
import { leadAndCoder, ofLead } from "../support/lead-and-coder.js";
import { openEngine, scriptModel } from "../support/engine.js";
import { completes, expectSound, nesting, titles } from "../support/chrome-trace.js";
import { gate } from "../support/gate.js";
import { asks, clock, runOnce, weather } from "../support/sessions.js";
import { traced } from "../support/trace.js";

/** The drawn events of a trace, each as "kind name". */
const drawn = (events: readonly TraceEvent[]): string[] =>
  completes(traceEvents(events)).map(({ cat, name }) => `${cat} ${name}`);

test("a run with tools and hooks is one line, in which each lies in what it is a part of", async () => {
  const engine = await openEngine([asks("Oslo"), "Cold."]);
  engine.hooks.on("preToolCall", () => undefined, { name: "look" });
  engine.hooks.on("preGenerate", () => undefined, { name: "idle" });
  engine.hooks.on("loopEnd", () => undefined, { name: "last" });
  let runId = "";
  const events = await traced(engine, async () => {
    runId = (await runOnce(engine)).runId;
  });
  const chrome = traceEvents(events);
  expectSound(chrome, events);
  expect([...titles(chrome).values()]).toEqual([runId, "engine"]);
  expect(nesting(chrome)).toEqual([
    [null, "run"],
    ["run", "model call"],
    ["model call", "preGenerate"],
    ["preGenerate", "idle"],
    ["run", "preToolCall"],
    ["preToolCall", "look"],
    ["run", "weather"],
    ["run", "model call"],
    ["model call", "preGenerate"],
    ["preGenerate", "idle"],
    ["run", "loopEnd"],
    ["loopEnd", "last"],
  ]);
  const unloaded = chrome.traceEvents.find(({ ph }) => ph === "i");
  expect(unloaded).toMatchObject({ name: "unloaded default", s: "t", args: { modelId: "default" } });
  expect(chrome.displayTimeUnit).toBe("ms");
  expect(chrome.otherData.dropped).toBe(0);
  const [first] = events as [TraceEvent & { timeUs: number }];
  expect(Math.abs(Date.parse(chrome.otherData.began ?? "") - first.timeUs / 1000)).toBeLessThan(2);
});

test("who decided what, and why, is in the arguments of a hook and of a decision", async () => {
  const engine = await openEngine([asks("Oslo"), "Never mind."]);
  const thrown = new Error("broken");
  engine.hooks.on("preToolCall", () => Promise.reject(thrown), { name: "broken" });
  engine.hooks.on("preToolCall", () => cancel("no weather today"), { name: "veto" });
  const events = await traced(engine, () => runOnce(engine));
  const at = completes(traceEvents(events)).filter(({ args }) => args["point"] === "preToolCall");
  expect(at.map(({ name, cat, args }) => [name, cat, args])).toEqual([
    [
      "preToolCall",
      "decision",
      {
        point: "preToolCall",
        decision: "cancelled",
        decidedBy: "veto",
        reason: "no weather today",
        seq: expect.any(Number) as number,
      },
    ],
    [
      "broken",
      "hook",
      {
        hook: "broken",
        point: "preToolCall",
        decision: "failed",
        reason: null,
        code: "HOOK_FAILED",
        error: expect.stringContaining("broken") as string,
      },
    ],
    ["veto", "hook", { hook: "veto", point: "preToolCall", decision: "cancelled", reason: "no weather today" }],
  ]);
  expect(drawn(events)).not.toContain("toolCall weather"); // it never began
});

test("tools and hooks that go on at once have lines of their own, and none seems a part of the other", async () => {
  const both = gate();
  const after = gate();
  // The first to begin is the last to end: the other lies in it by time alone.
  const outer = tool({ name: "outer", run: async () => (both.open(), await after.passed, "") });
  const inner = tool({ name: "inner", run: async () => (await both.passed, setImmediate(after.open), "") });
  const engine = await openEngine([
    {
      toolCalls: [
        { name: "outer", args: {} },
        { name: "inner", args: {} },
      ],
    },
    "Done.",
  ]);
  const asked = gate();
  engine.hooks.on("contextAssemble", () => asked.passed.then(() => undefined), { name: "waits", parallel: true });
  engine.hooks.on("contextAssemble", () => asked.open(), { name: "opens", parallel: true });
  let runId = "";
  const events = await traced(engine, async () => {
    runId = (await runOnce(engine, { tools: [outer, inner] })).runId;
  });
  const chrome = traceEvents(events);
  expectSound(chrome, events);
  expect([...titles(chrome).values()]).toEqual([runId, `${runId} 2`, "engine"]);
  const pairs = nesting(chrome);
  expect(pairs).toContainEqual(["run", "outer"]);
  expect(pairs).toContainEqual([null, "inner"]);
  expect(pairs).toContainEqual(["contextAssemble", "waits"]);
  expect(pairs).toContainEqual([null, "opens"]);
});

test("a delegated run has a separate line, which says for whom, and lies in the call that delegates", async () => {
  const engine = await openEngine(leadAndCoder([{ toolCalls: [{ name: "clock", args: {} }] }, "Written."]));
  let runId = "";
  const events = await traced(engine, async () => {
    runId = (await runOnce(engine, { tools: [weather, clock], ...ofLead })).runId;
  });
  const chrome = traceEvents(events);
  expectSound(chrome, events);
  const [own, child] = [...titles(chrome).values()];
  expect(own).toBe(`${runId} (lead)`);
  expect(child).toMatch(new RegExp(`^run-\\w+ \\(coder, for ${runId}\\)$`));
  const spans = completes(chrome);
  const call = spans.find(({ name }) => name === "delegate");
  const run = spans.find(({ cat, tid }) => cat === "run" && titles(chrome).get(tid) === child);
  expect(run?.ts).toBeGreaterThanOrEqual(call?.ts ?? NaN);
  expect((run?.ts ?? NaN) + (run?.dur ?? NaN)).toBeLessThanOrEqual((call?.ts ?? NaN) + (call?.dur ?? NaN));
  expect(nesting(chrome).slice(-3)).toEqual([
    ["run", "model call"],
    ["run", "clock"],
    ["run", "model call"],
  ]);
});

test("loads and generations are drawn, failed ones with their code", async () => {
  const engine = await openEngine([], { models: {} });
  engine.hooks.on("modelLoad", () => undefined, { name: "sees" });
  const path = await scriptModel(["Hello."]);
  const events = await traced(engine, async () => {
    await engine.models.load("missing", { path: "/nowhere.gguf" }).catch(() => undefined);
    await engine.models.load("m", { path, threads: 1 });
    await engine.generate("hi");
    await engine.generate("hi", { grammar: "root ::= (" }).catch(() => undefined);
  });
  const chrome = traceEvents(events);
  expectSound(chrome, events);
  expect(nesting(chrome)).toEqual([
    [null, "load missing"],
    [null, "load m"],
    ["load m", "modelLoad"],
    ["modelLoad", "sees"],
    [null, "generation"],
    [null, "generation"],
  ]);
  expect([...titles(chrome).values()]).toEqual([
    "engine",
    expect.stringMatching(/^run-\w+ \(generation\)$/),
    expect.stringMatching(/^run-\w+ \(generation\)$/),
  ]);
  const codes = completes(chrome).map(({ args }) => args["code"]);
  expect(codes.filter((code) => code !== undefined)).toEqual(["MODEL_FILE_NOT_FOUND", "INVALID_GRAMMAR"]);
});

test("the bundled model's run with a tool is drawn as well", async () => {
  const { bundledModel } = await import("../../src/index.js");
  const engine = await openEngine([], { model: bundledModel });
  engine.hooks.on("streamToken", () => undefined, { name: "token" });
  const calculator = tool({
    name: "calculator",
    description: "Computes an arithmetic expression.",
    parameters: { type: "object", properties: { expression: { type: "string" } }, required: ["expression"] },
    run: () => "84",
  });
  const events = await traced(engine, () => runOnce(engine, { tools: [calculator] }, "What is 12 * 7?"));
  const chrome = traceEvents(events);
  expectSound(chrome, events);
  const spans = completes(chrome);
  expect(spans.map(({ name }) => name)).toContain("calculator");
  const run = spans.find(({ cat }) => cat === "run")?.dur ?? NaN;
  const within = spans.filter(({ cat }) => cat === "modelCall" || cat === "toolCall");
  expect(within.reduce((total, { dur }) => total + dur, 0)).toBeLessThanOrEqual(run);
});

const at = (clockUs: number): { type: "lifecycle"; timeUs: number; clockUs: number } => ({
  type: "lifecycle",
  timeUs: 1_700_000_000_000_000 + clockUs,
  clockUs,
});

const params = {
  temperature: 0,
  topK: 40,
  topP: 0.95,
  minP: 0.05,
  repeatPenalty: 1,
  presencePenalty: 0,
  frequencyPenalty: 0,
  stop: [],
};

test("what has not ended lasts to the end of the trace, and what began before it is drawn by its end", () => {
  const decision: Decision = {
    type: "decision",
    seq: 1,
    point: "preGenerate",
    runId: "run-1",
    sessionId: "session-1",
    span: null,
    toolCallId: null,
    timeUs: 1_700_000_000_000_500,
    clockUs: 500,
    action: "proceed",
    decidedBy: null,
    reason: null,
    status: null,
    hooks: [],
    durationUs: 100,
  };
  const chrome = traceEvents([
    { type: "lifecycle", event: "dropped", count: 7 },
    {
      ...at(300),
      event: "modelCallEnded",
      span: 1,
      durationUs: 100,
      params,
      runId: "run-1",
      sessionId: "session-1",
      modelId: "m",
      iteration: 1,
    },
    { ...at(400), event: "runStarted", span: 2, runId: "run-2", sessionId: "session-1", modelId: "m" },
    decision,
    { type: "lifecycle", event: "observerFailed", timeUs: 1_700_000_000_000_450, hook: "watcher", point: "error" },
  ]);
  expect(completes(chrome).map(({ name, ts, dur, args }) => [name, ts, dur, args["unfinished"]])).toEqual([
    ["model call", 0, 100, undefined],
    ["preGenerate", 300, 100, undefined],
    ["run", 200, 200, true],
  ]);
  expect(chrome.traceEvents.find(({ ph }) => ph === "i")).toMatchObject({ name: "watcher failed", ts: 250 });
  expect(chrome.otherData).toEqual({ began: "2023-11-14T22:13:20.000Z", dropped: 7 });
});

test("an empty trace is an empty picture, and what is none is a TypeError", async () => {
  for (const event of [null, {}, { type: "decision" }, { type: "lifecycle", event: "runStarted" }])
    expect(() => traceEvents([{ type: "lifecycle", event: "dropped", count: 1 }, event] as never)).toThrow(
      /^The trace\[1\] must be an event of engine\.trace\(\), got/,
    );
  expect(traceEvents([])).toEqual({
    traceEvents: [{ ph: "M", name: "process_name", pid: 1, tid: 0, ts: 0, args: { name: "llama-hooks" } }],
    displayTimeUnit: "ms",
    otherData: { began: null, dropped: 0 },
  });
  const engine = await openEngine(["Hello."]);
  for (const wrong of [engine.trace(), undefined, null, "trace", {}])
    expect(() => traceEvents(wrong as never)).toThrow(
      /^The trace must be an iterable of events that have been read, got /,
    );
});
