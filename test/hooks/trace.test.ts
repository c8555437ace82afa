import { expect, test } from "vitest";
import { cancel, type TraceEvent } from "../../src/index.js";
import { openEngine, scriptModel } from "../support/engine.js";
import { decisionsAt, outcomes, traced } from "../support/trace.js";

/** The name of an event: its point, or its lifecycle event. */
function label(event: TraceEvent): string {
  return event.type === "decision" ? event.point : event.event;
}

const number = expect.any(Number) as number;
const at = { type: "lifecycle", timeUs: number, clockUs: number };
const began = { ...at, span: number };
const ended = { ...began, durationUs: number };

test("the trace has decisions and lifecycle events in the order in which they happened", async () => {
  const engine = await openEngine([], { models: {} });
  for (const point of ["modelLoad", "modelReady", "preGenerate", "streamToken", "postGenerate", "modelUnload"] as const)
    engine.hooks.on(point, () => undefined, { name: point });
  const path = await scriptModel([{ pieces: ["One", " two"] }]);
  const events = await traced(engine, async () => {
    await engine.models.load("m", { path, threads: 1 });
    await engine.generate("hi");
    await engine.models.unload("m", "enough");
  });
  expect(events.map(label)).toEqual([
    "modelLoadStarted",
    "modelLoad",
    "modelReady",
    "modelLoaded",
    "generationStarted",
    "preGenerate",
    "streamToken",
    "streamToken",
    "postGenerate",
    "generationEnded",
    "modelUnload",
    "modelUnloaded",
    ...Array<string>(6).fill("hookEnded"),
  ]);
});

test("a decision tells who did what, in order, why, and how long it took", async () => {
  const engine = await openEngine(["Hello."]);
  const thrown = new Error("broken");
  engine.hooks.on("preGenerate", () => undefined, { name: "idle" });
  engine.hooks.on("preGenerate", ({ params }) => ({ params: { ...params, maxTokens: 9 } }), { name: "limit" });
  engine.hooks.on("preGenerate", () => Promise.reject(thrown), { name: "broken" });
  engine.hooks.on("preGenerate", () => undefined, { name: "watch", observe: true });
  engine.hooks.on("preGenerate", () => cancel("quiet hours"), { name: "veto" });
  const { decisions, runId } = await engine.generate("hi");
  expect(decisions).toHaveLength(1);
  expect(decisions[0]).toMatchObject({
    type: "decision",
    point: "preGenerate",
    runId,
    action: "cancelled",
    decidedBy: { name: "veto", id: expect.any(Number) },
    reason: "quiet hours",
    status: null,
  });
  expect(outcomes(decisions)).toEqual([
    "idle proceed",
    "limit modified",
    "broken failed",
    "watch observed",
    "veto cancelled",
  ]);
  const [, limit, broken] = decisions[0]?.hooks ?? [];
  expect(limit?.fields).toEqual(["params"]);
  expect(broken?.error?.cause).toBe(thrown);
  for (const hook of decisions[0]?.hooks ?? []) expect(hook.durationUs).toBeGreaterThanOrEqual(0);
  const sum = (decisions[0]?.hooks ?? []).reduce((total, { durationUs }) => total + durationUs, 0);
  expect(decisions[0]?.durationUs).toBeGreaterThanOrEqual(sum);
});

test("the decisions of a result are those of the trace", async () => {
  const engine = await openEngine(["Hello."]);
  let inResult: unknown;
  engine.hooks.on("preGenerate", () => undefined, { name: "a" });
  engine.hooks.on("postGenerate", () => ({ content: "Changed." }), { name: "b" });
  const events = await traced(engine, async () => (inResult = (await engine.generate("hi")).decisions));
  expect(inResult).toEqual([...decisionsAt(events, "preGenerate"), ...decisionsAt(events, "postGenerate")]);
});

test("a failing hook leaves its own decision and one at the point of errors behind it", async () => {
  const engine = await openEngine(["Hello."]);
  engine.hooks.on("error", () => undefined, { name: "alarm" });
  engine.hooks.on("preGenerate", () => Promise.reject(new Error("broken")), { name: "broken" });
  const events = await traced(engine, () => engine.generate("hi"));
  expect(events.filter(({ type }) => type === "decision").map(label)).toEqual(["preGenerate", "error"]);
});

test("the end of a generation that failed carries its code", async () => {
  const engine = await openEngine(["Hello."]);
  const events = await traced(engine, () => engine.generate("hi", { grammar: "root ::= (" }).catch(() => undefined));
  expect(events.filter(({ type }) => type === "lifecycle")).toMatchObject([
    { event: "generationStarted", modelId: "default" },
    { event: "generationEnded", code: "INVALID_GRAMMAR" },
    { event: "modelUnloaded", modelId: "default" },
  ]);
});

test("several readers get the same events, and one that leaves does not disturb the other", async () => {
  const engine = await openEngine(["Hello."]);
  engine.hooks.on("preGenerate", () => undefined);
  const first = (async () => {
    for await (const event of engine.trace()) return label(event);
    return "nothing";
  })();
  const labels = (
    await traced(engine, async () => {
      await engine.generate("hi");
      await engine.generate("hi");
    })
  ).map(label);
  expect(await first).toBe("generationStarted");
  const call = ["generationStarted", "preGenerate", "generationEnded"];
  expect(labels).toEqual([...call, ...call, "modelUnloaded", "hookEnded"]);
});

test("a reader of a closed engine's trace gets nothing and ends", async () => {
  const engine = await openEngine(["Hello."]);
  await engine.close();
  const events: TraceEvent[] = [];
  for await (const event of engine.trace()) events.push(event);
  expect(events).toEqual([]);
});

test("a run of a session has its beginning and its end in the trace, with how it ended", async () => {
  const engine = await openEngine(["Done."]);
  const session = engine.session({ temperature: 0 });
  const runs: string[] = [];
  const events = await traced(engine, async () => {
    runs.push((await session.run("Hello")).runId);
    const stop = engine.hooks.on("contextAssemble", () => ({ inject: [{ content: "word ".repeat(2000) }] }));
    await session.run("Hello").then(undefined, () => undefined);
    stop.dispose();
  });
  const lifecycle = events.filter((event) => event.type === "lifecycle" && event.event !== "hookEnded");
  const usage = expect.objectContaining({ completionTokens: expect.any(Number) as number }) as object;
  const of = (runId: unknown): object => ({ runId, sessionId: session.id });
  const failed = expect.any(String) as string;
  const number = expect.any(Number) as number;
  const params = expect.objectContaining({ temperature: 0, topK: 40, stop: [] }) as object;
  const run = { ...began, event: "runStarted", task: number, queueMs: number, modelId: "default" };
  const inRun = lifecycle[0] as { span: number; task: number };
  expect(lifecycle).toEqual([
    { ...run, ...of(runs[0]) },
    {
      ...began,
      event: "modelCallStarted",
      parentSpan: inRun.span,
      task: inRun.task,
      ...of(runs[0]),
      modelId: "default",
      iteration: 1,
      kind: "chat",
      params,
    },
    {
      ...ended,
      event: "modelCallEnded",
      ...of(runs[0]),
      modelId: "default",
      iteration: 1,
      params,
      answeredBy: "default",
      finishReason: "stop",
      usage,
    },
    { ...ended, event: "runEnded", ...of(runs[0]), finishReason: "complete", usage },
    { ...run, ...of(failed) },
    { ...ended, event: "runEnded", ...of(failed), code: "INJECTION_OVERFLOW" },
    { ...at, event: "modelUnloaded", modelId: "default", reason: expect.any(String) as string },
  ]);
});
