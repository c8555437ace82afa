import { expect, test } from "vitest";
import { inRuns, runPoints } from "../../points/definitions.js";
import { occasions } from "../../support/order/occasions.js";
import { hookAt, order, untilAborted } from "../../support/order/orders.js";

/** Nothing is left to cancel there. */
const tooLate: readonly string[] = ["dryRun", "loopEnd"];
/** At these points an aborted run still waits for its hooks, because they receive something that has happened. */
const heardOut: readonly string[] = [
  ...tooLate,
  "postGenerate",
  "postToolCall",
  "toolResultPersist",
  "delegateComplete",
];

const given = [...runPoints.keys()];

test.each(given)("a run that is aborted while a hook is asked at %s", async (point) => {
  let abandoned: unknown;
  const { names, ending, result, history } = await order(occasions[inRuns(point).occasion], (engine, stop) => [
    hookAt(engine, point, ({ signal }) => {
      stop.abort(new Error("enough"));
      if (heardOut.includes(point) || abandoned !== undefined) return undefined;
      return untilAborted(signal).then(() => void (abandoned = signal.reason));
    }),
  ]);
  expect(names).toEqual(inRuns(point).aborted);
  expect(ending).toBe(tooLate.includes(point) ? "complete" : "cancelled signal");
  if (!tooLate.includes(point)) expect(result?.cancel?.reason).toBe("enough");
  if (!heardOut.includes(point)) expect(abandoned).toMatchObject({ code: "CANCELLED" });
  // If the model said nothing, the history stays empty. The exception is planExecution below.
  if (!names.includes("postToolCall") && point !== "planExecution") expect(history).toEqual([]);
});

test.each(given)("a run that is aborted by a hook at %s, which answers at once, ends as well", async (point) => {
  const { ending } = await order(occasions[inRuns(point).occasion], (engine, stop) => [
    hookAt(engine, point, () => stop.abort(new Error("enough"))),
  ]);
  expect(ending).toBe(tooLate.includes(point) ? "complete" : "cancelled signal");
});

test("a run that is aborted before its plan has begun leaves the history as it was", async () => {
  const { history } = await order(occasions.plan, (engine, stop) => [
    hookAt(engine, "planExecution", ({ signal }) => {
      stop.abort(new Error("enough"));
      return untilAborted(signal);
    }),
  ]);
  expect(history).toEqual([]);
});
