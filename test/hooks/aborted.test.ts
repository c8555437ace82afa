// Calls that are cancelled before they begin: nothing is about to happen, so no hook is asked about it.
import { expect, test } from "vitest";
import { type ElicitResult, type Engine, type PointName, pointNames, POINTS, tool } from "../../src/index.js";
import { openEngine, scriptModel } from "../support/engine.js";
import { compileLibrary, prelude } from "../support/native.js";
import { gate } from "../support/gate.js";
import { hookAt } from "../support/order/orders.js";
import { asks, calls, clock, tools } from "../support/sessions.js";

const prePoints = pointNames.filter((point) => POINTS[point].kind === "pre");

/** The pre points at which hooks are asked, from now on. */
function asked(engine: Engine): PointName[] {
  const points: PointName[] = [];
  for (const point of prePoints) hookAt(engine, point, () => void points.push(point));
  return points;
}

const signal = AbortSignal.abort(new Error("too late"));
const cancelled = { finishReason: "cancelled", cancel: { by: "signal", reason: "too late" } };

test.each<[string, (engine: Engine) => PromiseLike<unknown>]>([
  ["generate()", (engine) => engine.generate("Hello", { signal })],
  [
    "generate() with messages and tools",
    (engine) => engine.generate([{ role: "user", content: "hi" }], { tools, signal }),
  ],
  ["a raw prompt", (engine) => engine.generate("Hello", { raw: true, signal })],
  ["infill()", (engine) => engine.infill({ prefix: "a", suffix: "b", signal })],
  ["run()", (engine) => engine.session({ tools }).run("Hello", { signal })],
  [
    "run() with a plan",
    (engine) =>
      engine
        .session({ tools: [clock] })
        .run("Hello", { plan: { flow: "sequence", steps: [{ tool: "clock" }] }, signal }),
  ],
  [
    "a run with rules and a summary of its history",
    (engine) =>
      engine
        .session({ tools, permissions: [{ ask: "*" }], history: [{ role: "user", content: "hi ".repeat(50) }] })
        .run("Hello", { signal }),
  ],
])("no hook is asked about a %s whose signal has aborted", async (_, call) => {
  const engine = await openEngine({ replies: [asks("Oslo"), "Cold."], infills: true });
  const points = asked(engine);
  for (let i = 0; i < 20; i++) expect(await call(engine)).toMatchObject(cancelled);
  expect(points).toEqual([]);
});

test("nor about a call that was cancelled before it began, or while it waited for its turn", async () => {
  const engine = await openEngine(["Hello."]);
  const points = asked(engine);
  const generation = engine.generate("Hello");
  generation.cancel("changed my mind");
  expect(await generation).toMatchObject({ cancel: { by: "caller", reason: "changed my mind" }, text: "" });
  const session = engine.session();
  const run = session.run("Hello");
  run.cancel();
  expect(await run).toMatchObject({ finishReason: "cancelled", messages: [] });
  expect(points).toEqual([]);
  const first = session.run("Hello");
  const second = session.run("Hello again", { whenBusy: "wait" });
  second.cancel("no more");
  await first;
  points.length = 0;
  expect(await second).toMatchObject({ cancel: { reason: "no more" }, messages: [] });
  expect(points).toEqual([]);
  expect(session.history().map(({ content }) => content)).toEqual(["Hello", "Hello."]);
});

test("such a call takes no place in the line of a busy model: it ends at once", async () => {
  const engine = await openEngine(["Hello."], { parallel: 1, maxQueued: 1 });
  const { passed, open } = gate();
  const once = engine.hooks.on("preGenerate", () => passed, { deadlineMs: 0 });
  const busy = engine.generate("Hello");
  const waits = engine.generate("Hello");
  const calling = Array.from({ length: 30 }, (_, i) =>
    i % 2 === 0 ? engine.generate("Hello", { signal }) : engine.session().run("Hello", { signal }),
  );
  for (const result of await Promise.all(calling)) expect(result).toMatchObject(cancelled);
  once.dispose();
  open();
  expect([(await busy).text, (await waits).text]).toEqual(["Hello.", "Hello."]);
});

test("events of such a call end, and its result is whole", async () => {
  const engine = await openEngine(["Hello."]);
  const types: string[] = [];
  for await (const { type } of engine.generate("Hello", { signal })) types.push(type);
  for await (const { type } of engine.session().run("Hello", { signal })) types.push(type);
  expect(types).toEqual(["end", "end"]);
  const { text, messages, toolCalls, usage, modelId } = await engine.generate("Hello", { signal });
  expect([text, messages, toolCalls, modelId]).toEqual(["", [], [], "default"]);
  expect([usage.promptTokens, usage.completionTokens]).toEqual([0, 0]);
});

test("a cold model stays cold, and a hook in C is not asked either", async () => {
  const engine = await openEngine(["Hello."]);
  await engine.models.load("cold", { path: await scriptModel(["Hi."]), threads: 1, lazy: true });
  const points = asked(engine);
  const library = await compileLibrary(`${prelude}HOOK(hook) {\n  UNUSED;\n  return 1;\n}\n`);
  engine.hooks.addNative({ library, symbol: "hook", point: "preGenerate", name: "c" });
  expect(await engine.generate("Hello", { model: "cold", signal })).toMatchObject(cancelled);
  expect(await engine.generate("Hello", { model: "default", signal })).toMatchObject(cancelled);
  expect(engine.models.describe("cold").state).toBe("cold");
  expect(points).toEqual([]);
  expect(engine.hooks.stats().find(({ name }) => name === "c")?.calls).toBe(0);
});

test("a question that a tool does not wait for ends with the tool's call: the signal of its hook aborts", async () => {
  const engine = await openEngine([calls("asks"), "Done."]);
  const begun = gate();
  const signals: AbortSignal[] = [];
  const questions: Promise<ElicitResult>[] = [];
  engine.hooks.on(
    "elicitation",
    ({ signal: mine }) => {
      signals.push(mine);
      begun.open();
      return new Promise<undefined>((resolve) => mine.addEventListener("abort", () => resolve(undefined)));
    },
    { deadlineMs: 0 },
  );
  const forgets = tool({
    name: "asks",
    run: async (_, { elicit }) => {
      questions.push(elicit({ message: "Which?" }), elicit({ message: "And then?" }));
      await begun.passed;
      return "done";
    },
  });
  const { finishReason } = await engine.session({ tools: [forgets], temperature: 0 }).run("Hello");
  expect(finishReason).toBe("complete");
  const answers = await Promise.all(questions);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  expect(answers.map(({ action }) => action)).toEqual(["cancel", "cancel"]);
});
