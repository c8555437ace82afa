// A hook that the caller's own cancel interrupts has not failed.
import { expect, test } from "vitest";
import type { Engine } from "../../../src/index.js";
import { openEngine } from "../../support/engine.js";
import { traced } from "../../support/trace.js";
import { collectWarnings } from "./warnings.js";

const never = (): Promise<never> => new Promise(() => undefined);

function counted(engine: Engine): object[] {
  return engine.hooks.stats().map(({ name, calls, failures, cancels }) => ({ name, calls, failures, cancels }));
}

for (const point of ["preGenerate", "streamToken", "contextBudget"] as const) {
  for (const way of ["signal", "cancel()"] as const) {
    test(`a hook at ${point} that is waiting when ${way} ends the work has not failed`, async () => {
      const engine = await openEngine(["Hello."]);
      const warnings = collectWarnings();
      const heard: string[] = [];
      engine.hooks.on("error", ({ message }) => void heard.push(message));
      const abort = new AbortController();
      let stop = (): void => abort.abort();
      engine.hooks.on(
        point,
        () => {
          queueMicrotask(stop);
          return never();
        },
        { name: "slow", deadlineMs: 0 },
      );
      const events = await traced(engine, async () => {
        const generation = engine.generate("hi", { signal: abort.signal });
        if (way === "cancel()") stop = () => generation.cancel();
        await generation.catch(() => undefined);
      });
      expect(counted(engine)).toContainEqual({ name: "slow", calls: 1, failures: 0, cancels: 0 });
      const records = events.flatMap((event) => (event.type === "decision" ? event.hooks : []));
      expect(records.find(({ name }) => name === "slow")).toMatchObject({
        outcome: "abandoned",
        error: { code: "CANCELLED" },
      });
      expect(heard).toEqual([]);
      expect(await warnings.settled()).toEqual([]);
    });
  }
}

test("a guard, a hook that fails closed and parallel hooks have not failed either", async () => {
  const engine = await openEngine(["Hello."]);
  const warnings = collectWarnings();
  const abort = new AbortController();
  const waits = (): Promise<never> => {
    queueMicrotask(() => abort.abort());
    return never();
  };
  for (const name of ["a", "b"]) engine.hooks.on("contextAssemble", waits, { name, parallel: true, deadlineMs: 0 });
  await using session = engine.session();
  await session.run("hi", { signal: abort.signal });
  const again = new AbortController();
  engine.hooks.clear();
  engine.hooks.guard("preGenerate", () => (queueMicrotask(() => again.abort()), never()), { name: "guard" });
  await engine.generate("hi", { signal: again.signal });
  expect(engine.hooks.stats()).toMatchObject([{ name: "guard", failures: 0, cancels: 0 }]);
  expect(await warnings.settled()).toEqual([]);
});

test("a hook that fails by itself, while the caller cancels later, has failed", async () => {
  const engine = await openEngine(["Hello."]);
  const abort = new AbortController();
  engine.hooks.on("preGenerate", () => Promise.reject(new Error("typo")), { name: "broken" });
  engine.hooks.on("streamToken", () => (queueMicrotask(() => abort.abort()), never()), {
    name: "slow",
    deadlineMs: 0,
  });
  await engine.generate("hi", { signal: abort.signal }).catch(() => undefined);
  expect(counted(engine)).toMatchObject([
    { name: "broken", failures: 1 },
    { name: "slow", failures: 0 },
  ]);
});

test("a deadline is a failure, also if the caller cancels after it", async () => {
  const engine = await openEngine(["Hello."]);
  const abort = new AbortController();
  engine.hooks.on(
    "preGenerate",
    ({ signal }) => {
      signal.addEventListener("abort", () => abort.abort());
      return never();
    },
    { name: "late", deadlineMs: 30 },
  );
  await engine.generate("hi", { signal: abort.signal }).catch(() => undefined);
  expect(counted(engine)).toMatchObject([{ name: "late", failures: 1 }]);
});
