// The five tests that every hook point has. Must not: know any point.
import { describe, expect, test } from "vitest";
import { type Engine, type PointName, POINTS } from "../../src/index.js";
import { openEngine, rejection } from "../support/engine.js";
import { recordRaw } from "../support/native.js";
import type { OccasionName } from "../support/order/occasions.js";
import type { Names } from "../support/order/order-parts.js";
import { hookAt } from "../support/order/orders.js";
import { contextErrors, rowOf } from "../support/schema.js";
import { decisionsAt, recordOf, traced } from "../support/trace.js";

/** The place of a point in runs; test/sessions/order tests it. */
export interface InRuns {
  /** The run that fires the point. */
  readonly occasion: OccasionName;
  /**
   * The points that fire in that run if it is aborted inside a hook at the first event of this point. At an info point,
   * the next pre point may fire once more, but no hook there can answer.
   */
  readonly aborted: Names;
  /** Pre points: the points that fire if a hook cancels each event; `then` fires after each cancelled event. */
  readonly stopped?: (then: Names) => Stopped;
}

export interface Stopped {
  readonly names: Names;
  /** The end of the run [complete]: a cancel need not end the run. */
  readonly ending?: string;
}

/** The facts that the shared tests need to know about a point. */
export interface PointDefinition {
  readonly point: PointName;
  /** Its place in runs, or why no run fires it. */
  readonly inRuns: InRuns | { readonly never: string };
  /** An engine on which the occasion can come about, any number of times. */
  open(): Promise<Engine>;
  /** Brings the occasion about, once. Rejects only where the occasion is a failure, or a hook made it one. */
  occasion(engine: Engine): PromiseLike<unknown>;
  /** The number of times that the point fires on one occasion [once]; "some": once or more, depending on time. */
  readonly times?: number | "some";
  /** The whole event as a pattern; the shared test checks `meta`. */
  readonly event: object;
  /** A test for each field that an answer may have, in snake case, and for cancel. */
  readonly answers: Readonly<Record<string, () => Promise<void>>>;
  /** Pre points: what the outcome of the occasion is when the hook "cold" failed closed with `thrown`. */
  readonly failedClosed?: (outcome: unknown, thrown: unknown) => void;
}

function camel(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

export function fiveTests(definition: PointDefinition): void {
  const { point, times = 1 } = definition;
  const { number, kind, name } = POINTS[point];
  const row = rowOf(number);
  const occasion = async (engine: Engine): Promise<void> => {
    const failure = await Promise.resolve(definition.occasion(engine)).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (point !== "error" && failure !== undefined) throw failure;
  };

  describe(point, () => {
    test("fires once per occasion", async () => {
      const engine = await definition.open();
      const seen: number[] = [];
      hookAt(engine, point, ({ meta }) => void seen.push(meta.point));
      await occasion(engine);
      const once = seen.length;
      if (times === "some") expect(once).toBeGreaterThan(0);
      else expect(once).toBe(times);
      await occasion(engine);
      if (times !== "some") expect(seen.length).toBe(2 * once);
      expect(new Set(seen)).toEqual(new Set([number]));
    });

    test("hands over the payload that its schema promises, in snake case to C and in camel case to TypeScript", async () => {
      const engine = await definition.open();
      const contexts = await recordRaw(engine, point);
      const events: Record<string, unknown>[] = [];
      hookAt(engine, point, (event) => void events.push({ ...event }));
      await occasion(engine);
      const raw = await contexts();
      expect(raw.length).toBe(events.length);
      expect(raw.length).toBeGreaterThan(0);
      for (const [index, context] of raw.entries()) {
        expect(contextErrors(row, context)).toEqual([]);
        expect(Object.keys(events[index] ?? {})).toEqual(["point", ...Object.keys(context).map(camel)]);
        expect(events[index]?.["point"]).toBe(point);
        expect(events[index]?.["meta"]).toMatchObject({ point: number, runId: (context["meta"] as Meta).run_id });
      }
      expect(raw[0]?.["meta"]).toMatchObject({ point: number, name });
      expect(events[0]).toMatchObject(definition.event);
    });

    const answers = [...row.mutable, ...Object.keys(row.answer), ...(kind === "pre" ? ["cancel"] : [])];
    test(`takes these answers: ${answers.join(", ") || "none"}`, () => {
      expect(Object.keys(definition.answers).sort()).toEqual(answers.sort());
    });
    for (const [field, check] of Object.entries(definition.answers)) test(`does what its card says of ${field}`, check);
    if (answers.length === 0) {
      test("refuses any answer, and continues", async () => {
        const engine = await definition.open();
        hookAt(engine, point, () => ({ meta: null }), { name: "wordy" });
        const events = await traced(engine, () => occasion(engine));
        const { outcome, error } = recordOf(decisionsAt(events, point), "wordy");
        expect([outcome, error?.code]).toEqual(["failed", "HOOK_BAD_ANSWER"]);
      });
    }

    test("surfaces a failure with code and cause, and continues", async () => {
      const engine = await definition.open();
      const thrown = new Error("out of paper");
      const errors: unknown[] = [];
      hookAt(engine, point, () => Promise.reject(thrown), { name: "printer" });
      engine.hooks.on("error", ({ code, where, recoverable }) => void errors.push({ code, where, recoverable }));
      const events = await traced(engine, () => occasion(engine));
      const { outcome, error } = recordOf(decisionsAt(events, point), "printer");
      expect(outcome).toBe("failed");
      expect(error).toMatchObject({ code: "HOOK_FAILED", message: expect.stringContaining("out of paper") });
      expect(error?.cause).toBe(thrown);
      const report = { code: "HOOK_FAILED", where: `hook:printer@${point}`, recoverable: true };
      // A failure at the point of errors does not fire it again.
      if (point === "error") expect(errors).not.toContainEqual(report);
      else expect(errors).toContainEqual(report);
    });

    if (definition.failedClosed !== undefined) {
      const { failedClosed } = definition;
      test("counts a failure as a cancel when it fails closed", async () => {
        const engine = await definition.open();
        const thrown = new Error("no answer");
        hookAt(engine, point, () => Promise.reject(thrown), { name: "cold", failClosed: true });
        const outcome = await Promise.resolve(definition.occasion(engine)).catch((error: unknown) => error);
        failedClosed(outcome, thrown);
      });
    } else {
      test("cannot fail closed", async () => {
        const engine = await openEngine([], { models: {} });
        const failure = await rejection(
          Promise.resolve().then(() => hookAt(engine, point, () => undefined, { failClosed: true })),
        );
        expect(failure).toBeInstanceOf(TypeError);
      });
    }

    test("is quiet once its hook is removed", async () => {
      const engine = await definition.open();
      let calls = 0;
      const hook = hookAt(engine, point, () => void calls++);
      await occasion(engine);
      const before = calls;
      expect(before).toBeGreaterThan(0);
      hook.dispose();
      await occasion(engine);
      expect([calls, hook.removed, engine.hooks.has(point)]).toEqual([before, true, false]);
    });
  });
}

interface Meta {
  readonly run_id: string | null;
}
