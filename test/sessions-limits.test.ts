import { expect, test } from "vitest";
import type { SessionOptions } from "../src/index.js";
import { openEngine } from "./support/engine.js";
import { asks, runOnce, told } from "./support/sessions.js";

async function runAway(replies: object[], options: SessionOptions) {
  const engine = await openEngine([...replies, "Done."] as never);
  return runOnce(engine, options);
}

test("a run takes maxIterations model calls, and says that they were not enough", async () => {
  const engine = await openEngine({ replies: [asks("Oslo")], afterLast: "repeat" });
  const reasons: unknown[] = [];
  engine.hooks.on("loopEnd", ({ reason, finalState }) => void reasons.push([reason, finalState]));
  const result = await runOnce(engine, { maxIterations: 2 });
  expect(result).toMatchObject({ finishReason: "limit", limit: "maxIterations", iterations: 2 });
  expect(result.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "tool"]);
  expect(reasons).toEqual([["max_iterations", "INTERRUPTED"]]);
});

test("the 101st call is refused, with maxToolCalls as the number says", async () => {
  const cities = Array.from({ length: 6 }, (_, i) => `City ${i}`);
  const result = await runAway([asks(...cities)], { maxToolCalls: 4 });
  expect(told(result).slice(3)).toEqual([
    "City 3: 4 degrees",
    "limit reached: 4 tool calls in this run",
    "limit reached: 4 tool calls in this run",
  ]);
  expect(result.toolCalls.map(({ resultKind }) => resultKind).slice(3)).toEqual([
    "ok",
    "rejected_limit",
    "rejected_limit",
  ]);
});

test("one tool over and over is told two calls before maxCallsInARow, and refused after it", async () => {
  const cities = Array.from({ length: 9 }, (_, i) => asks(`City ${i}`));
  const result = await runAway(cities, {});
  expect(told(result)[3]).toBe("City 3: 4 degrees");
  expect(told(result)[4]).toBe("City 4: 4 degrees\n[weather was called 5 times in a row; 7 is the limit]");
  expect(told(result)[6]).toBe("City 6: 4 degrees");
  expect(told(result)[7]).toBe("limit reached: 7 calls of weather in a row; do something else");
  const mixed = [...cities.slice(0, 6), { toolCalls: [{ name: "clock", args: {} }] }, ...cities.slice(6)];
  expect((await runAway(mixed, {})).toolCalls.every(({ resultKind }) => resultKind === "ok")).toBe(true);
});

test("a call with the same arguments, in whatever order, gets its last result again after maxIdenticalCalls", async () => {
  const reply = { toolCalls: [{ name: "weather", args: { city: "Oslo", days: 1 } }] };
  const engine = await openEngine([reply, reply, reply, "Done."]);
  let turned = false;
  engine.hooks.on("preToolCall", () => {
    turned = !turned;
    return { args: turned ? { days: 1, city: "Oslo" } : { city: "Oslo", days: 1 } };
  });
  const result = await runOnce(engine, { maxIdenticalCalls: 2 });
  expect(told(result)[2]).toBe("already called with the same arguments; its result was: Oslo: 4 degrees");
  expect(result.toolCalls.map(({ resultKind }) => resultKind)).toEqual(["ok", "ok", "rejected_duplicate"]);
  const batch = await runAway([asks("Oslo", "Oslo")], { maxIdenticalCalls: 1 });
  expect(told(batch)[1]).toBe("already called with the same arguments in this message");
});

test("what a hook puts in a result's stead is cut to maxResultBytes, too", async () => {
  const engine = await openEngine([asks("Oslo"), "Done."]);
  engine.hooks.on("postToolCall", () => ({ result: "x".repeat(1000) }));
  expect(told(await runOnce(engine, { maxResultBytes: 300 }))).toEqual([
    `${"x".repeat(300)}\n[shortened: 300 of 1000 bytes]`,
  ]);
});

test("an answer that is cut off ends the run with the limit, and a call in it does not run", async () => {
  const engine = await openEngine(["A long answer that goes on."]);
  expect(await runOnce(engine, { maxTokens: 2 })).toMatchObject({ finishReason: "limit", limit: "maxTokens" });
});
