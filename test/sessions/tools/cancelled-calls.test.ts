// The model learns of calls that a cancelled run has given up, in the words of whoever cancelled it.
import { expect, test } from "vitest";
import { type PointName, type SessionOptions, tool, type Tool } from "../../../src/index.js";
import { openEngine } from "../../support/engine.js";
import { gate } from "../../support/gate.js";
import { asks, calls, resultTexts, tools, weather } from "../../support/sessions.js";

const never = (): Promise<never> => new Promise(() => undefined);
const homeTime = (stop: AbortController): void => stop.abort(new Error("home time"));

test("a tool that runs is cancelled; the exclusive tool and the control tool behind it are not run", async () => {
  const batch = [calls("slow"), calls("alone"), calls("todo", { todos: [] })].flatMap(({ toolCalls }) => toolCalls);
  const engine = await openEngine([{ toolCalls: batch }, "Well."]);
  const stop = new AbortController();
  const slow = tool({ name: "slow", run: () => (homeTime(stop), never()) });
  const alone = tool({ name: "alone", exclusive: true, run: () => "alone" });
  const session = engine.session({ tools: [slow, alone], controlTools: ["todo"] });
  const result = await session.run("Go", { signal: stop.signal });
  expect(resultTexts(result)).toEqual(["cancelled: home time", "not run: home time", "not run: home time"]);
  expect(result.toolCalls.map(({ resultKind }) => resultKind)).toEqual(["cancelled", "cancelled", "cancelled"]);
});

const tiers = { coder: { system: "You code." }, tester: { system: "You test." } };
const plan = { flow: "sequence", steps: [{ name: "look", tool: "weather", args: { city: "Oslo" } }] };

test.each<[PointName, object, SessionOptions]>([
  ["preToolCall", asks("Oslo"), {}],
  ["permissionCheck", asks("Oslo"), {}],
  ["delegate", calls("delegate", { tier: "coder", task: "Write." }), { tiers, controlTools: ["delegate"] }],
  ["planExecution", calls("plan", plan), { controlTools: ["plan"] }],
  ["complete", calls("complete", { summary: "Done." }), { controlTools: ["complete"] }],
])("a call whose %s hook waits when the run is cancelled is not run", async (point, reply, options) => {
  const engine = await openEngine([reply, "Well."] as never);
  const stop = new AbortController();
  engine.hooks.on(point, () => (homeTime(stop), never()), { deadlineMs: 0 });
  const result = await engine.session({ tools, ...options }).run("Go", { signal: stop.signal });
  expect(resultTexts(result)).toEqual(["not run: home time"]);
  expect(result.toolCalls).toMatchObject([{ resultKind: "cancelled", isError: true }]);
  expect(result).toMatchObject({ finishReason: "cancelled", cancel: { by: "signal", reason: "home time" } });
});

test("a call whose arguments are being checked when the run is cancelled is not run", async () => {
  const engine = await openEngine([asks("Oslo"), "Well."]);
  const stop = new AbortController();
  const checked: Tool = { ...weather, validate: () => (homeTime(stop), never()) };
  const result = await engine.session({ tools: [checked] }).run("Go", { signal: stop.signal });
  expect(resultTexts(result)).toEqual(["not run: home time"]);
  expect(result.toolCalls).toMatchObject([{ resultKind: "cancelled" }]);
});

test("a call whose critic is being asked when the run is cancelled is not run", async () => {
  const engine = await openEngine([asks("Oslo"), "Well."]);
  const stop = new AbortController();
  engine.hooks.on(
    "preGenerate",
    ({ messages }) => (messages.at(-1)?.content.includes("Is it needed?") ? (homeTime(stop), never()) : undefined),
    { deadlineMs: 0 },
  );
  const session = engine.session({ tools, criticPrompt: "Is it needed?" });
  const result = await session.run("Go", { signal: stop.signal });
  expect(resultTexts(result)).toEqual(["not run: home time"]);
  expect(result.toolCalls).toMatchObject([{ resultKind: "cancelled" }]);
});

test("tasks at once whose delegate hook waits when the run is cancelled are not run, and the plan says so", async () => {
  const engine = await openEngine(["I see."]);
  const stop = new AbortController();
  engine.hooks.on("delegate", () => (homeTime(stop), never()), { deadlineMs: 0 });
  const steps = Object.keys(tiers).map((tier) => ({ tier, task: "Begin." }));
  const run = engine.session({ tiers }).run("Go", { plan: { flow: "parallel", steps }, signal: stop.signal });
  expect((await run).messages[1]?.content).toBe(
    "[plan failed: 0 of 2 steps\n[1: failed]\nnot run: home time\n[2: failed]\nnot run: home time]",
  );
});

test("a call that is whole when its message is cancelled is not run", async () => {
  const engine = await openEngine([asks("Oslo", "Rome"), "Well."]);
  const stop = new AbortController();
  let written = "";
  engine.hooks.on("streamToken", ({ kind, text }) => {
    if (kind === "tool_call") written += text;
    if (written.includes("Rome")) homeTime(stop);
  });
  const result = await engine.session({ tools }).run("Go", { signal: stop.signal });
  expect(resultTexts(result)).toEqual(["not run: home time"]);
  expect(result.toolCalls).toMatchObject([{ args: { city: "Oslo" }, resultKind: "cancelled" }]);
  expect(result).toMatchObject({ finishReason: "cancelled", cancel: { by: "signal", reason: "home time" } });
});

/** A run whose tool hangs, and what stops it. */
async function hanging(signal?: AbortSignal) {
  const engine = await openEngine([calls("hang"), "Well."]);
  const begun = gate();
  const hang = tool({ name: "hang", run: () => (begun.open(), never()) });
  const run = engine.session({ tools: [hang] }).run("Go", signal && { signal });
  run.then(undefined, () => undefined);
  await begun.passed;
  return { engine, run };
}

test("a tool cancelled by run.cancel() without a reason", async () => {
  const { run } = await hanging();
  run.cancel();
  expect(resultTexts(await run)).toEqual(["cancelled: cancelled"]);
});

test("a tool cancelled by the close of its engine", async () => {
  const { engine, run } = await hanging();
  await engine.close();
  expect(resultTexts(await run)).toEqual(["cancelled: the engine is closed"]);
});

test("a tool cancelled by an abort whose reason is not an error", async () => {
  const stop = new AbortController();
  const { run } = await hanging(stop.signal);
  stop.abort(7);
  expect(resultTexts(await run)).toEqual(["cancelled: aborted"]);
});

test("a tool cancelled because the iteration over its run was left", async () => {
  const engine = await openEngine([calls("hang"), "Well."]);
  const { passed: begun, open } = gate();
  const hang = tool({ name: "hang", run: () => (open(), never()) });
  const run = engine.session({ tools: [hang] }).run("Go");
  for await (const event of run) {
    if (event.type !== "toolCall") continue;
    await begun;
    break;
  }
  expect(resultTexts(await run)).toEqual(["cancelled: the iteration was left"]);
});

const halts = { postGenerate: () => ({ halt: "enough" }) };

test.each<[string, SessionOptions, object]>([
  ["a message that was cut off", { maxTokens: 20 }, {}],
  ["a halt", {}, halts],
])("a run that is cancelled after %s is cancelled, and nothing else", async (_, options, hooks) => {
  const engine = await openEngine([{ toolCalls: [...calls("clock").toolCalls, ...calls("clock").toolCalls] }]);
  const stop = new AbortController();
  for (const [point, hook] of Object.entries(hooks)) engine.hooks.on(point as "postGenerate", hook as () => undefined);
  engine.hooks.on("postToolCall", () => homeTime(stop));
  engine.hooks.on("iterationEnd", () => homeTime(stop));
  const result = await engine.session({ tools, temperature: 0, ...options }).run("Go", { signal: stop.signal });
  const cancelled = { by: "signal", reason: "home time" };
  expect(result).toMatchObject({ finishReason: "cancelled", cancel: cancelled, limit: null });
  expect(result.halt ?? null).toBeNull();
});

test("a run that is cancelled at its first step has begun and ended its loop", async () => {
  const engine = await openEngine(["Well."]);
  const stop = new AbortController();
  const seen: string[] = [];
  engine.hooks.on("stateChange", () => homeTime(stop));
  for (const point of ["loopStart", "loopEnd"] as const) engine.hooks.on(point, () => void seen.push(point));
  expect((await engine.session().run("Go", { signal: stop.signal })).finishReason).toBe("cancelled");
  expect(seen).toEqual(["loopStart", "loopEnd"]);
});
