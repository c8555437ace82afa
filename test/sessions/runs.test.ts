import { expect, test } from "vitest";
import { openEngine } from "../support/engine.js";

test("a session lists the runs that have not ended, and cancels them", async () => {
  const engine = await openEngine([{ text: " la di da", endless: true }]);
  const session = engine.session();
  expect(session.runs).toEqual([]);
  const first = session.run("Go");
  const second = session.run("Go on", { whenBusy: "wait" });
  expect(session.runs).toHaveLength(2);
  expect(session.runs[0] === first && session.runs[1] === second).toBe(true);
  session.cancel("enough");
  const results = await Promise.all([first, second]);
  expect(results.map(({ finishReason, cancel }) => [finishReason, cancel])).toEqual([
    ["cancelled", { by: "caller", reason: "enough" }],
    ["cancelled", { by: "caller", reason: "enough" }],
  ]);
  expect(session.runs).toEqual([]);
});

test("cancel without a run does nothing, and a wrong reason cancels nothing", async () => {
  const engine = await openEngine(["Hello."]);
  const session = engine.session();
  session.cancel();
  const run = session.run("Hi");
  expect(() => session.cancel(42 as never)).toThrow(TypeError);
  expect((await run).text).toBe("Hello.");
});
