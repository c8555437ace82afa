// The option stopWhen of a run, and guards for one run.
import { expect, test } from "vitest";
import { cancel, defineHooks } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { asks, resultTexts, tools } from "../support/sessions.js";

const talk = [asks("Oslo"), asks("Rome"), "Cold."];

test("stopWhen ends the run as complete after the iteration, with its results", async () => {
  const engine = await openEngine(talk);
  const seen: number[] = [];
  const result = await engine.session({ tools }).run("Go", {
    stopWhen: async ({ iteration, toolCallCounts }) => {
      await Promise.resolve();
      seen.push(iteration);
      return iteration === 2 && toolCallCounts["weather"] === 1;
    },
  });
  expect(result).toMatchObject({ finishReason: "complete", iterations: 2, limit: null });
  expect(resultTexts(result)).toEqual(["Oslo: 4 degrees", "Rome: 4 degrees"]);
  expect(seen).toEqual([1, 2]);
});

test("a stopWhen that throws is a failed hook, and the run continues", async () => {
  const engine = await openEngine(talk);
  const errors: string[] = [];
  engine.hooks.on("error", ({ code }) => void errors.push(code));
  const stopWhen = () => Promise.reject(new Error("broken"));
  expect(await engine.session({ tools }).run("Go", { stopWhen })).toMatchObject({ text: "Cold.", iterations: 3 });
  expect(errors).toEqual(["HOOK_FAILED", "HOOK_FAILED"]);
});

test("iterationEnd and stopWhen know how often a hook has made the run go on, so that it can end its own loop", async () => {
  const engine = await openEngine({
    replies: [asks("Oslo"), "Cold.", asks("Rome"), "Warm.", "So."],
    afterLast: "repeat",
  });
  const seen: number[] = [];
  const session = engine.session({ tools, temperature: 0 });
  session.hooks.on("iterationEnd", ({ continuations, taskCompleted }) => {
    seen.push(continuations);
    return taskCompleted && continuations < 2 ? { continue: "Look again." } : undefined;
  });
  expect(await session.run("Go")).toMatchObject({ finishReason: "complete", text: "So.", iterations: 5 });
  expect(seen).toEqual([0, 0, 1, 1, 2]);
  const stops: number[] = [];
  const stopWhen = ({ continuations }: { readonly continuations: number }): boolean => stops.push(continuations) > 2;
  const other = engine.session({ tools, temperature: 0 });
  other.hooks.on("iterationEnd", ({ taskCompleted }) => (taskCompleted ? { continue: "Look again." } : undefined));
  expect(await other.run("Go", { stopWhen })).toMatchObject({ finishReason: "complete" });
  expect(stops[0]).toBe(0);
});

test("what is not a function is refused, and names the option", async () => {
  const session = (await openEngine(talk)).session({ tools });
  expect(() => session.run("Go", { stopWhen: true as never })).toThrow(/stopWhen must be a function/);
});

test("a run may have its own guards, which run after all hooks and end with it", async () => {
  const engine = await openEngine(talk);
  const order: string[] = [];
  const city = ({ args }: { readonly args: Readonly<Record<string, unknown>> }) => String(args["city"]);
  const policy = defineHooks(
    "policy",
    {
      preToolCall(event) {
        order.push(`guard ${city(event)}`);
        return city(event) === "Rome" ? cancel("not Rome") : undefined;
      },
    },
    { guard: true },
  );
  engine.hooks.on("preToolCall", (event) => void order.push(`hook ${city(event)}`), { priority: 100 });
  const session = engine.session({ tools });
  expect(resultTexts(await session.run("Go", { hooks: [policy] }))).toEqual([
    "Oslo: 4 degrees",
    "blocked by policy: not Rome",
  ]);
  expect(order).toEqual(["hook Oslo", "guard Oslo", "hook Rome", "guard Rome"]);
  expect(engine.hooks.list().some(({ guard }) => guard)).toBe(false);
});

test("a set of guards takes pre points only", () => {
  expect(() => defineHooks("policy", { postToolCall() {} } as object, { guard: true })).toThrow(
    /policy\.postToolCall: a guard needs a pre point/,
  );
});

test("a guard of a set that answers fields has failed, and cancels", async () => {
  const engine = await openEngine(talk);
  const policy = defineHooks("policy", { preToolCall: () => ({ args: { city: "Bonn" } }) as never }, { guard: true });
  const results = resultTexts(await engine.session({ tools }).run("Go", { hooks: policy }));
  expect(results).toEqual(Array(2).fill(expect.stringMatching(/^blocked by policy: /)));
});
