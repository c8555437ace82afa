import { expect, test } from "vitest";
import { occasionOf, occasions, type RunPoint } from "./support/occasions.js";
import * as part from "./support/order-parts.js";
import { hookAt, order } from "./support/orders.js";

const { asked, begin, call, decided, end, first, leave, told, toDelegate, undisturbed, use } = part;
/** The two calls of the run. */
const batch = [...first, ...call, "stateChange", ...decided, ...decided] as const;
const directed = [...first, ...call, "stateChange", ...decided, "postToolCall", "directive"] as const;
const compacted = [...first, ...use, "loopIteration", ...use, "loopIteration", "preCompact"] as const;

/**
 * What fires in a run that is aborted inside a hook of the point, at its first event. Where the point is an info point the
 * pre point that comes next may fire once more: nobody can answer there any more.
 */
const aborted: Readonly<Record<RunPoint, part.Names>> = {
  sessionStart: ["sessionStart", "userMessage"],
  userMessage: ["sessionStart", "userMessage"],
  stateChange: ["sessionStart", "userMessage", "stateChange", "loopStart", ...leave],
  loopStart: ["sessionStart", "userMessage", "stateChange", "loopStart", ...leave],
  loopIteration: [...begin, ...end],
  bootstrap: [...first, ...end],
  preCompact: [...compacted, ...end],
  postCompact: [...compacted, "postCompact", ...end],
  contextAssemble: [...first, "contextAssemble", ...end],
  contextBudget: [...first, ...asked, ...end],
  preGenerate: [...first, ...asked, ...end],
  promptProgress: [...first, ...asked, "promptProgress", "postGenerate", ...end],
  streamToken: [...first, ...call, ...end],
  postGenerate: [...first, ...call, "stateChange", ...told, ...told, ...end],
  preToolCall: [...first, ...call, "stateChange", "preToolCall", ...told, ...told, ...end],
  toolValidation: [...first, ...call, "stateChange", ...decided, ...told, ...told, ...end],
  permissionCheck: [...first, ...call, "stateChange", ...decided, ...told, ...told, ...end],
  compactionMiss: [...compacted, "postCompact", ...call, "stateChange", ...decided, "compactionMiss", ...told, ...end],
  postToolCall: [...batch, ...told, ...told, ...end],
  directive: [...directed, "toolResultPersist", ...end],
  customDirective: [...directed, "customDirective", "toolResultPersist", ...end],
  delegate: [...toDelegate, "delegateComplete", "stateChange", ...told, ...end],
  delegateComplete: [...toDelegate, ...part.child, ...part.concluded, ...end],
  planExecution: [...begin, "stateChange", "planExecution", ...end],
  dryRun: undisturbed.dry,
  toolResultPersist: [...batch, ...told, ...told, ...end],
  complete: [...first, ...call, "stateChange", ...decided, "stateChange", "complete", ...told, ...end],
  reflection: [
    ...first,
    ...call,
    "stateChange",
    ...decided,
    ...told,
    "stateChange",
    ...part.aside,
    "stateChange",
    "reflection",
    ...end,
  ],
  iterationEnd: [...batch, ...told, ...told, "stateChange", ...end],
  error: [...first, ...call, "stateChange", ...decided, ...told, "error", ...end],
  loopEnd: undisturbed.talk,
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
      return new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => {
          abandoned = signal.reason;
          resolve();
        });
      });
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
      return new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    }),
  ]);
  expect(history).toEqual([]);
});
