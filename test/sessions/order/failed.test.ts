import { expect, test } from "vitest";
import type { Engine, HookRegistration, PointName } from "../../../src/index.js";
import { inRuns, prePoints, runPoints } from "../../points/definitions.js";
import { occasions } from "../../support/order/occasions.js";
import { asked, end, first, type Names } from "../../support/order/order-parts.js";
import { hookAt, type Occasion, order } from "../../support/order/orders.js";

const broken = (): never => {
  throw new Error("broken");
};

test.each(prePoints)("a hook that fails closed at %s has cancelled, and error says so", async (point) => {
  const { names, ending, result } = await order(occasions[inRuns(point).occasion], (engine) => [
    hookAt(engine, point, broken, { name: "brake", failClosed: true }),
  ]);
  expect(names).toEqual(inRuns(point).stopped?.(["error"]).names);
  expect(ending).toBe(inRuns(point).stopped?.(["error"]).ending ?? "complete");
  if (ending !== "complete") expect(result?.halt?.reason).toMatch(/failed \(HOOK_FAILED\): Error: broken$/);
});

test.each(prePoints)("a guard that fails at %s has cancelled", async (point) => {
  const { names, ending } = await order(occasions[inRuns(point).occasion], (engine) => [
    engine.hooks.guard(point as "preGenerate", broken, { name: "brake" }),
  ]);
  expect(names).toEqual(inRuns(point).stopped?.(["error"]).names);
  expect(ending).toBe(inRuns(point).stopped?.(["error"]).ending ?? "complete");
});

/** The order of the occasion, with the error right behind the first event of the point. */
function withError(point: PointName): Names {
  const whole = occasions[inRuns(point).occasion].names;
  const at = whole.indexOf(point) + 1;
  // After streamToken and its error, the next token fires streamToken at once.
  const next = point === "streamToken" ? (["error", point] as const) : (["error"] as const);
  return point === "error" ? whole : [...whole.slice(0, at), ...next, ...whole.slice(at)];
}

test.each([...runPoints.keys()])(
  "a hook that fails once at %s is skipped, error says so, and the run continues",
  async (point) => {
    let failed = false;
    const { names, ending } = await order(occasions[inRuns(point).occasion], (engine) => [
      hookAt(engine, point, () => (failed ? undefined : ((failed = true), broken()))),
    ]);
    expect(names).toEqual(withError(point));
    expect(ending).toBe(occasions[inRuns(point).occasion].ending ?? "complete");
  },
);

const { talk } = occasions;
const story = "word ".repeat(300);
const small = { contextSize: 512 };

/** Runs that come to an error: its code, the order, what makes it. */
const failures: readonly [string, string, Names, Occasion, (engine: Engine) => HookRegistration][] = [
  [
    "a conversation that is too long",
    "PROMPT_TOO_LONG",
    [...first, ...asked, "postGenerate", "error", ...end],
    { ...talk, engine: small },
    (engine) => engine.hooks.on("userMessage", () => ({ content: story })),
  ],
  [
    "too much that is injected",
    "INJECTION_OVERFLOW",
    [...first, "contextAssemble", "error", ...end],
    { ...talk, session: { ...talk.session, injectionReserve: 8 } },
    (engine) => engine.hooks.on("contextAssemble", () => ({ inject: [{ content: story }] })),
  ],
  [
    "a grammar that is none, of preGenerate",
    "INVALID_GRAMMAR",
    [...first, ...asked, "error", ...end],
    talk,
    (engine) => engine.hooks.on("preGenerate", ({ params }) => ({ params: { ...params, grammar: "root ::= (" } })),
  ],
];

test.each(failures)("a run that fails: %s", async (_, code, names, occasion, hook) => {
  const whole = await order(occasion, (engine) => [hook(engine)]);
  expect(whole.ending).toBe(code);
  expect(whole.names).toEqual(names);
  expect(whole.history).toEqual([]);
});
