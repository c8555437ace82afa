import { expect, test } from "vitest";
import { cancel } from "../../../src/index.js";
import { inRuns, prePoints, runPoints } from "../../points/definitions.js";
import { occasions } from "../../support/order/occasions.js";
import {
  call,
  end,
  first,
  leave,
  on,
  toBothDecided,
  toComplete,
  toDirective,
  recorded,
  toReflection,
} from "../../support/order/order-parts.js";
import { hookAt, order } from "../../support/order/orders.js";
import { resultsOfStop } from "../../support/order/stopped-results.js";
import { calls, clock, directs, resultTexts } from "../../support/sessions.js";

test("there is an order for every point of a run that can be cancelled, and for no other", () => {
  const stopped = [...runPoints].filter(([, { stopped }]) => stopped !== undefined).map(([point]) => point);
  expect(stopped).toEqual(prePoints);
});

test.each(prePoints)("what a hook cancels at %s", async (point) => {
  const { names, ending, result } = await order(occasions[inRuns(point).occasion], (engine) => [
    hookAt(engine, point, () => cancel("not now"), { name: "brake" }),
  ]);
  const expected = inRuns(point).stopped?.([]);
  expect(names).toEqual(expected?.names);
  expect(ending).toBe(expected?.ending ?? "complete");
  if (expected?.ending !== undefined) expect(result?.halt).toEqual({ by: "brake", reason: "not now" });
  const forbidden = resultsOfStop("not now")[point];
  if (forbidden !== undefined && result !== undefined) expect(resultTexts(result)).toEqual(forbidden);
});

test.each(prePoints)("what a guard cancels at %s", async (point) => {
  const { names, ending } = await order(occasions[inRuns(point).occasion], (engine) => [
    engine.hooks.guard(point as "preGenerate", () => cancel("not now"), { name: "brake" }),
  ]);
  expect(names).toEqual(inRuns(point).stopped?.([]).names);
  expect(ending).toBe(inRuns(point).stopped?.([]).ending ?? "complete");
});

test("a run that postGenerate halts: its calls are refused, and their results pass the hooks", async () => {
  const { names, ending, result } = await order(occasions.talk, (engine) => [
    engine.hooks.on("postGenerate", () => ({ halt: "no tools" }), { name: "brake" }),
  ]);
  expect(names).toEqual([...first, ...call, ...recorded, ...recorded, ...end]);
  expect(ending).toBe("halted brake");
  expect(result && resultTexts(result)).toEqual(["refused: no tools", "refused: no tools"]);
});

test("a run that a tool halts", async () => {
  const stop = calls("directs", { directives: [{ type: "stop_processing", params: { reason: "late" } }] });
  const { names, ending } = await order({ replies: [stop, "On."], session: { tools: [directs] } });
  expect(names).toEqual([...toDirective, "toolResultPersist", ...end]);
  expect(ending).toBe("halted directs");
});

test("a run that its reflection halts", async () => {
  const thought = JSON.stringify({ monologue: "It leads nowhere.", decision: "HALT" });
  const scripts = [{ when: "Look at what", replies: [thought] }];
  const { names, ending } = await order({
    replies: [calls("clock"), "On."],
    scripts,
    session: { tools: [clock], reflect: true },
  });
  expect(names).toEqual([...toReflection, ...end]);
  expect(ending).toBe("halted reflection");
});

test("a run that comes to a limit: of iterations, of tokens, of rejected completions", async () => {
  const iterations = await order({ ...occasions.talk, session: { ...occasions.talk.session, maxIterations: 1 } });
  expect(iterations.names).toEqual([...toBothDecided, ...recorded, ...recorded, ...on, ...leave]);
  expect(iterations.ending).toBe("limit maxIterations");

  const tokens = await order({ ...occasions.talk, run: { maxTokens: 2 } });
  expect(tokens.names).toEqual([...first, ...call, ...end]);
  expect(tokens.ending).toBe("limit maxTokens");

  const { complete } = occasions;
  const rejected = await order(
    { ...complete, session: { ...complete.session, maxCompletionRejections: 0 } },
    (engine) => [engine.hooks.on("complete", () => cancel("no"))],
  );
  expect(rejected.names).toEqual([...toComplete, ...recorded, ...end]);
  expect(rejected.ending).toBe("limit maxCompletionRejections");
});
