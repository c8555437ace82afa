import { expect, test } from "vitest";
import { defineHooks } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { traced } from "../support/trace.js";

test("no call waits for an observer, not even for one that never comes back", async () => {
  const engine = await openEngine(["Hello there, you."]);
  engine.hooks.on("streamToken", () => new Promise<undefined>(() => undefined), { observe: true });
  engine.hooks.on("preGenerate", () => new Promise<undefined>(() => undefined), { observe: true });
  expect((await engine.generate("hi")).text).toBe("Hello there, you.");
});

test("an observer gets every event, in order", async () => {
  const pieces = Array.from({ length: 300 }, (_, index) => `${index === 0 ? "" : " "}n${index}`);
  const engine = await openEngine([{ pieces }]);
  const seen: string[] = [];
  const all = new Promise<void>((resolve) => {
    engine.hooks.on(
      "streamToken",
      ({ text }) => {
        seen.push(text);
        if (seen.length === pieces.length) resolve();
      },
      { observe: true },
    );
  });
  await engine.generate("hi");
  await all;
  expect(seen).toEqual(pieces);
});

test("what an observer answers is ignored", async () => {
  const engine = await openEngine(["Hello."]);
  engine.hooks.on("preGenerate", (() => ({ response: "mine" })) as never, { observe: true, name: "watcher" });
  const { text, decisions } = await engine.generate("hi");
  expect(text).toBe("Hello.");
  expect(decisions).toMatchObject([
    { action: "proceed", hooks: [{ name: "watcher", outcome: "observed", fields: [] }] },
  ]);
});

test("an observer sees what the hooks before it changed", async () => {
  const engine = await openEngine(["Hello."]);
  engine.hooks.on("postGenerate", () => ({ content: "changed" }));
  const seen = new Promise((resolve) => {
    engine.hooks.on("postGenerate", ({ content }) => resolve(content), { observe: true });
  });
  await engine.generate("hi");
  expect(await seen).toBe("changed");
});

test("an observer that fails is counted and traced, and warned about once", async () => {
  const engine = await openEngine(["Hello."]);
  const thrown = new Error("blind");
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on("warning", onWarning);
  let calls = 0;
  const both = new Promise<void>((resolve) => {
    engine.hooks.on(
      "postGenerate",
      () => {
        if (++calls === 2) setImmediate(resolve);
        throw thrown;
      },
      { observe: true, name: "watcher" },
    );
  });
  const events = await traced(engine, async () => {
    await engine.generate("hi");
    await engine.generate("hi");
    await both;
    expect(engine.hooks.stats()).toMatchObject([{ name: "watcher", calls: 2, failures: 2 }]);
  });
  process.off("warning", onWarning);
  const failed = {
    type: "lifecycle",
    event: "observerFailed",
    timeUs: expect.any(Number) as number,
    hook: "watcher",
    point: "postGenerate",
    cause: thrown,
  };
  expect(events.filter((event) => event.type === "lifecycle" && event.event === "observerFailed")).toEqual([
    failed,
    failed,
  ]);
  expect(warnings).toMatchObject([{ code: "HOOK_FAILED", cause: thrown }]);
});

test("an observer that rejects is counted too", async () => {
  const engine = await openEngine(["Hello."]);
  engine.hooks.on("error", () => undefined);
  const events = await traced(engine, async () => {
    const failed = new Promise<void>((resolve) => {
      process.once("warning", () => resolve());
      engine.hooks.on("preGenerate", () => Promise.reject<undefined>(new Error("later")), {
        observe: true,
        name: "watcher",
      });
    });
    await engine.generate("hi");
    await failed;
  });
  expect(events).toContainEqual(expect.objectContaining({ event: "observerFailed", hook: "watcher" }));
});

test("an observer can be no guard and cannot fail closed", async () => {
  const engine = await openEngine([], { models: {} });
  const options = { observe: true, failClosed: true } as const;
  expect(() => engine.hooks.on("preGenerate", () => undefined, options)).toThrow(/observer.*fail closed/);
});

test("an observer has no deadline, and saying one is misuse", async () => {
  const engine = await openEngine(["Hello."]);
  const late = { observe: true, deadlineMs: 5 } as never;
  expect(() => engine.hooks.on("streamToken", () => undefined, late)).toThrow(/observer.*deadlineMs/);
  expect(() => engine.hooks.use([defineHooks("audit", { streamToken: () => undefined }, late)])).toThrow(
    /observer.*deadlineMs/,
  );
});
