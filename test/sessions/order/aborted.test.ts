import { expect, test } from "vitest";
import { occasionOf, occasions, type RunPoint } from "../../support/order/occasions.js";
import * as part from "../../support/order/order-parts.js";
import { hookAt, order, untilAborted } from "../../support/order/orders.js";

const { act, asked, call, end, first, leave, toBothDecided, toCalls, toCompact, toDecided, toDirective, told } = part;

/**
 * What fires in a run that is aborted inside a hook of the point, at its first event. Where the point is an info point the
 * pre point that comes next may fire once more: nobody can answer there any more.
 */
const aborted: Readonly<Record<RunPoint, part.Names>> = {
  sessionStart: ["sessionStart", "userMessage"],
  userMessage: ["sessionStart", "userMessage"],
  stateChange: ["sessionStart", "userMessage", "stateChange", "loopStart", ...leave],
  loopStart: ["sessionStart", "userMessage", "stateChange", "loopStart", ...leave],
  loopIteration: [...part.begin, ...end],
  bootstrap: [...first, ...end],
  preCompact: [...toCompact, ...end],
  postCompact: [...toCompact, "postCompact", ...end],
  contextAssemble: [...first, "contextAssemble", ...end],
  contextBudget: [...first, ...asked, ...end],
  preGenerate: [...first, ...asked, ...end],
  promptProgress: [...first, ...asked, "promptProgress", "postGenerate", ...end],
  streamToken: [...first, ...call, ...end],
  postGenerate: [...toCalls, ...told, ...told, ...end],
  preToolCall: [...toCalls, "preToolCall", ...told, ...told, ...end],
  toolValidation: [...toDecided, ...told, ...told, ...end],
  permissionCheck: [...toDecided, ...told, ...told, ...end],
  compactionMiss: [...toCompact, "postCompact", ...act, "compactionMiss", ...told, ...end],
  postToolCall: [...toBothDecided, ...told, ...told, ...end],
  directive: [...toDirective, "toolResultPersist", ...end],
  customDirective: [...toDirective, "customDirective", "toolResultPersist", ...end],
  delegate: [...part.toDelegate, "delegateComplete", "stateChange", ...told, ...end],
  delegateComplete: [...part.toDelegate, ...part.child, ...part.concluded, ...end],
  planExecution: [...part.toPlan, ...end],
  dryRun: part.undisturbed.dry,
  toolResultPersist: [...toBothDecided, ...told, ...told, ...end],
  complete: [...part.toComplete, ...told, ...end],
  reflection: [...part.toReflection, ...end],
  iterationEnd: [...toBothDecided, ...told, ...told, "stateChange", ...end],
  error: [...toDecided, ...told, "error", ...end],
  loopEnd: part.undisturbed.talk,
};
/** Nothing is left to cancel there. */
const tooLate: readonly string[] = ["dryRun", "loopEnd"];
/** What is about to be told passes these whoever aborts the run: it waits for them all the same. */
const heardOut: readonly string[] = [
  ...tooLate,
  "postGenerate",
  "postToolCall",
  "toolResultPersist",
  "delegateComplete",
];

const given = Object.keys(aborted) as RunPoint[];

test.each(given)("a run that is aborted while a hook is asked at %s", async (point) => {
  let abandoned: unknown;
  const { names, ending, result, history } = await order(occasions[occasionOf[point]], (engine, stop) => [
    hookAt(engine, point, ({ signal }) => {
      stop.abort(new Error("enough"));
      if (heardOut.includes(point) || abandoned !== undefined) return undefined;
      return untilAborted(signal).then(() => void (abandoned = signal.reason));
    }),
  ]);
  expect(names).toEqual(aborted[point]);
  expect(ending).toBe(tooLate.includes(point) ? "complete" : "cancelled signal");
  if (!tooLate.includes(point)) expect(result?.cancel?.reason).toBe("enough");
  if (!heardOut.includes(point)) expect(abandoned).toMatchObject({ code: "CANCELLED" });
  // Where the model said nothing, nothing was said: but see planExecution below.
  if (!names.includes("postToolCall") && point !== "planExecution") expect(history).toEqual([]);
});

test.each(given)("a run that is aborted by a hook at %s, which answers at once, ends as well", async (point) => {
  const { ending } = await order(occasions[occasionOf[point]], (engine, stop) => [
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
