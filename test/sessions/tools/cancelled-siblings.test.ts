// A call that has not begun when its run is cancelled never begins, and its result says so; the signal of a call that
// has begun is aborted at once.
import { expect, test } from "vitest";
import { type Engine, type RunResult, type Session, tool, type Tool } from "../../../src/index.js";
import { openEngine } from "../../support/engine.js";
import { calls, resultTexts } from "../../support/sessions.js";

/** What stops a run, from inside a tool. */
interface Stops {
  readonly engine: Engine;
  readonly session: Session;
  readonly controller: AbortController;
  readonly cancel: (reason?: string) => void;
}

const six = { toolCalls: Array.from({ length: 6 }, (_, n) => calls("work", { n }).toolCalls).flat() };
const parameters = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;

const ways: [string, (stops: Stops) => unknown][] = [
  ["the caller's signal", ({ controller }) => controller.abort(new Error("home time"))],
  ["session.cancel()", ({ session }) => session.cancel("home time")],
  ["run.cancel()", ({ cancel }) => cancel("home time")],
  ["session.close()", ({ session }) => void session.close()],
  ["engine.close()", ({ engine }) => void engine.close()],
];

/** A run of six parallel calls, the first of which stops it. */
async function stopped(stop: (stops: Stops) => unknown, settings: Partial<Tool> = {}, runs = 4) {
  const seen: { began: number[]; aborted: boolean[]; result: RunResult }[] = [];
  for (let turn = 0; turn < runs; turn++) {
    const engine = await openEngine([six, "Well."]);
    const controller = new AbortController();
    const began: number[] = [];
    const aborted: boolean[] = [];
    const work = tool({
      name: "work",
      parameters,
      run: ({ n }, { signal }) => {
        began.push(n);
        if (began.length === 1) stop({ engine, session, controller, cancel: (reason) => run.cancel(reason) });
        aborted.push(signal.aborted);
        return `${n} is done`;
      },
    });
    const session = engine.session({ tools: [{ ...work, ...settings } as Tool], temperature: 0 });
    const run = session.run("Go", { signal: controller.signal });
    seen.push({ began, aborted, result: await run });
  }
  return seen;
}

test.each(ways)(
  "after %s no sibling begins, and the call that stopped the run sees an aborted signal",
  async (_, stop) => {
    for (const { began, aborted, result } of await stopped(stop)) {
      expect(began).toEqual([0]);
      expect(aborted).toEqual([true]);
      expect(result.finishReason).toBe("cancelled");
      expect(resultTexts(result).slice(1)).toEqual(Array(5).fill(expect.stringMatching(/^not run: /)));
      expect(result.toolCalls.slice(1).map(({ resultKind }) => resultKind)).toEqual(Array(5).fill("cancelled"));
    }
  },
);

test.each(ways)("after %s no exclusive call of the message begins", async (_, stop) => {
  for (const { began, result } of await stopped(stop, { exclusive: true }, 2)) {
    expect(began).toEqual([0]);
    expect(resultTexts(result).slice(1)).toEqual(Array(5).fill(expect.stringMatching(/^not run: /)));
  }
});

test("a call that has begun and waits sees its signal abort in the same turn of the event loop", async () => {
  const engine = await openEngine([six, "Well."]);
  const controller = new AbortController();
  const signals: AbortSignal[] = [];
  let atOnce: boolean[] = [];
  const work = tool({
    name: "work",
    parameters,
    run: (_, { signal }) => {
      signals.push(signal);
      if (signals.length === 6) {
        controller.abort(new Error("home time"));
        atOnce = signals.map(({ aborted }) => aborted);
      }
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve("stopped")));
    },
  });
  const result = await engine
    .session({ tools: [work], temperature: 0, maxCallsInARow: 10 })
    .run("Go", { signal: controller.signal });
  expect(atOnce).toEqual(Array(6).fill(true));
  expect(resultTexts(result)).toEqual(Array(6).fill("cancelled: home time"));
});

test("an asynchronous tool that stops its own run gets the abort, whether it looks before or after it waits", async () => {
  const engine = await openEngine([six, "Well."]);
  const looked: boolean[] = [];
  const reasons: unknown[] = [];
  const work = tool({
    name: "work",
    exclusive: true,
    parameters,
    run: async (_, { signal }) => {
      session.cancel("home time");
      looked.push(signal.aborted);
      await Promise.resolve();
      looked.push(signal.aborted);
      reasons.push((signal.reason as { code: string }).code);
      return "done";
    },
  });
  const session = engine.session({ tools: [work], temperature: 0 });
  await session.run("Go");
  expect([looked, reasons]).toEqual([[true, true], ["CANCELLED"]]);
});

test("a hook at preToolCall or permissionCheck that cancels the run and answers: no call begins", async () => {
  for (const point of ["preToolCall", "permissionCheck"] as const) {
    const engine = await openEngine([six, "Well."]);
    let asked = 0;
    let ran = 0;
    const work = tool({ name: "work", parameters, run: () => `${++ran}` });
    const session = engine.session({ tools: [work], temperature: 0 });
    session.hooks.on(point, () => {
      if (++asked === 4) session.cancel("home time");
      return { permission: "allow" as const };
    });
    const result = await session.run("Go");
    expect([asked, ran, resultTexts(result)]).toEqual([4, 0, Array(6).fill("not run: home time")]);
  }
});

test("a step of a plan that stops the run: no other step begins", async () => {
  const steps = Array.from({ length: 4 }, (_, n) => ({ tool: "work", args: { n } }));
  for (const flow of ["parallel", "sequence", "fallback"] as const) {
    const engine = await openEngine(["Well."]);
    const began: number[] = [];
    const work = tool({
      name: "work",
      parameters,
      run: ({ n }) => {
        began.push(n);
        session.cancel("home time");
        return "done";
      },
    });
    const session = engine.session({ tools: [work], temperature: 0 });
    expect((await session.run("Go", { plan: { flow, steps } })).finishReason).toBe("cancelled");
    expect(began).toEqual([0]);
  }
});

test("a call of a delegated run that stops the run: no other call of either begins", async () => {
  const both = { toolCalls: [...calls("delegate", { tier: "coder", task: "Go." }).toolCalls, ...six.toolCalls] };
  const engine = await openEngine({
    replies: [both, "Well."],
    scripts: [{ when: "You code.", replies: [six, "Well."] }],
  });
  const began: string[] = [];
  const work = tool({
    name: "work",
    parameters,
    run: ({ n }) => {
      began.push(`${n}`);
      if (began.length === 7) session.cancel("home time"); // the first of the delegated run
      return "done";
    },
  });
  const tiers = { lead: {}, coder: { system: "You code." } };
  const session = engine.session({ tools: [work], tier: "lead", tiers, controlTools: ["delegate"], temperature: 0 });
  const result = await session.run("Go");
  expect(began).toHaveLength(7);
  expect(result.childToolCalls.slice(1).map(({ resultKind }) => resultKind)).toEqual(Array(5).fill("cancelled"));
});

test("calls that were deferred, and a run that is cancelled at once when it is resumed: none begins, and they wait on", async () => {
  const engine = await openEngine([six, "Well."]);
  let ran = 0;
  const work = tool({ name: "work", parameters, run: () => `${++ran}` });
  const session = engine.session({ tools: [work], temperature: 0 });
  session.hooks.on("permissionCheck", ({ answered }) => (answered === undefined ? { defer: true } : undefined));
  await session.run("Go");
  const answers = Object.fromEntries(session.waiting.map(({ id }) => [id, "allow" as const]));
  session.hooks.on("permissionCheck", () => session.cancel("home time"), { priority: 10 });
  expect(await session.resume(answers)).toMatchObject({ finishReason: "cancelled" });
  expect([ran, session.waiting.length]).toEqual([0, 6]);
});
