import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import type { Engine, GenerateResult, Generation } from "../../src/index.js";
import { openEngine, rejection } from "../support/engine.js";
import { type Gate, gate } from "../support/gate.js";

/** Generations of one model that are under way at a time, beyond its sequences. */
const beyondSequences = 8;

/** Calls of tier "held" wait in a hook until the gate is opened; resolves when `count` of them do. */
async function hold(engine: Engine, count: number): Promise<{ released: Gate; held: Promise<GenerateResult[]> }> {
  const released = gate();
  const full = gate();
  let inside = 0;
  const wait = async ({ tier }: { tier: string | null }): Promise<undefined> => {
    if (tier !== "held") return;
    if (++inside === count) full.open();
    await released.passed;
  };
  engine.hooks.on("preGenerate", wait, { deadlineMs: 0, priority: -1 });
  const held = Promise.all(Array.from({ length: count }, () => engine.generate("Hold", { tier: "held" })));
  await full.passed;
  return { released, held };
}

test.skipIf(process.platform !== "linux")(
  "a thousand generations at once all complete, on a few threads",
  async () => {
    const engine = await openEngine(["One two three."], { parallel: 4 });
    await engine.generate("Warm up");
    const threads = (): number => readdirSync("/proc/self/task").length;
    const before = threads();
    let most = 0;
    const look = (): void => void (most = Math.max(most, threads()));
    const all = Array.from({ length: 1000 }, () => engine.generate("Count"));
    await Promise.resolve();
    look();
    const results = await Promise.all(all.map((one) => one.finally(look)));
    expect(new Set(results.map(({ text }) => text))).toEqual(new Set(["One two three."]));
    // 12 are under way, one a thread, and a thread that has given its result ends when the system lets it run again.
    expect(most - before).toBeLessThan(100);
  },
  120_000,
);

test("generations that wait for their turn get it first come, first served", async () => {
  const engine = await openEngine(["Hello."], { parallel: 1 });
  const { released, held } = await hold(engine, beyondSequences); // one place is left
  const names = Array.from({ length: 20 }, (_, index) => `number ${index}`);
  const begun: (string | null)[] = [];
  engine.hooks.on("preGenerate", ({ tier }) => void begun.push(tier));
  await Promise.all(names.map((tier) => engine.generate("Next", { tier })));
  expect(begun).toEqual(names);
  released.open();
  await held;
});

test("when maxQueued generations wait, one more is BUSY, and a later one is not", async () => {
  const engine = await openEngine(["Hello."], { parallel: 1, maxQueued: 2 });
  const { released, held } = await hold(engine, 1 + beyondSequences);
  const queued = [engine.generate("Wait"), engine.generate("Wait")];
  expect(await rejection(engine.generate("Too much"))).toMatchObject({ name: "LlamaHooksError", code: "BUSY" });
  released.open();
  await held;
  expect((await Promise.all(queued)).map(({ text }) => text)).toEqual(["Hello.", "Hello."]);
  expect((await engine.generate("Again")).text).toBe("Hello.");
});

test("with maxQueued 0 no call waits: a generation has a place or is BUSY", async () => {
  const engine = await openEngine(["Hello."], { parallel: 1, maxQueued: 0 });
  expect((await engine.generate("First")).text).toBe("Hello.");
  const { released, held } = await hold(engine, 1 + beyondSequences);
  expect(await rejection(engine.generate("Too much"))).toMatchObject({ code: "BUSY" });
  released.open();
  await held;
});

test("models do not wait for each other's turn", async () => {
  const engine = await openEngine(["Hello."], { parallel: 1 });
  const { path } = engine.models.describe("default");
  await engine.models.load("other", { path, threads: 1, parallel: 1 });
  const released = gate();
  engine.hooks.on(
    "preGenerate",
    async ({ meta }) => {
      if (meta.modelId === "default") await released.passed;
    },
    { deadlineMs: 0 },
  );
  const held = Array.from({ length: 20 }, () => engine.generate("Hold", { model: "default" }));
  expect((await engine.generate("Go", { model: "other" })).text).toBe("Hello.");
  released.open();
  expect((await Promise.all(held)).length).toBe(20);
});

test("a generation that is cancelled while it waits ends at once", async () => {
  const engine = await openEngine(["Hello."], { parallel: 1 });
  const { released, held } = await hold(engine, 1 + beyondSequences);
  const stop = new AbortController();
  const [cancelled, aborted, goes] = [
    engine.generate("Wait"),
    engine.generate("Wait", { signal: stop.signal }),
    engine.generate("Wait"),
  ];
  await Promise.resolve(); // they are in line
  cancelled.cancel("not any more");
  stop.abort(new Error("nor this"));
  const before = { text: "", finishReason: "cancelled", messages: [] };
  expect(await cancelled).toMatchObject({ ...before, cancel: { by: "caller", reason: "not any more" } });
  expect(await aborted).toMatchObject({ ...before, cancel: { by: "signal", reason: "nor this" } });
  released.open();
  await held;
  expect((await goes).text).toBe("Hello.");
});

test("close() ends what waits for its turn", async () => {
  const engine = await openEngine(["Hello."], { parallel: 1 });
  const { held } = await hold(engine, 1 + beyondSequences);
  const waiting = Array.from({ length: 500 }, () => engine.generate("Wait"));
  await Promise.resolve();
  await engine.close();
  const reasons = (await Promise.all(waiting)).map(({ finishReason }) => finishReason);
  expect(new Set(reasons)).toEqual(new Set(["cancelled"]));
  expect(new Set((await held).map(({ finishReason }) => finishReason))).toEqual(new Set(["cancelled"]));
});

test("a model is unloaded when those that wait for their turn have ended, too", async () => {
  const engine = await openEngine(["Hello."], { parallel: 1 });
  const { released, held } = await hold(engine, 1 + beyondSequences);
  const waiting = [engine.generate("Wait"), engine.generate("Wait")];
  await Promise.resolve();
  const unloaded = engine.models.unload("default");
  released.open();
  await unloaded;
  expect((await Promise.all(waiting)).map(({ text }) => text)).toEqual(["Hello.", "Hello."]);
  await held;
});

test("nor do those whose hooks ask for some when the hook that started them is over", async () => {
  const scripts = [{ when: "check", replies: ["checked"] }];
  const engine = await openEngine({ replies: ["said"], scripts }, { parallel: 1 });
  const background: Generation[] = [];
  const over = gate();
  engine.hooks.on("postGenerate", async ({ tier }) => {
    if (tier === "top") {
      for (let i = 0; i < 1 + beyondSequences; i += 1) background.push(engine.generate("background", { tier: "back" }));
    }
    if (tier !== "back") return undefined;
    await over.passed;
    return { content: (await engine.generate("check", { tier: "check" })).text };
  });
  await engine.generate("top", { tier: "top" });
  over.open();
  const results = await Promise.all(background);
  expect(new Set(results.map(({ text }) => text))).toEqual(new Set(["checked"]));
});

test("generations whose hooks ask for generations do not wait for each other, two levels deep", async () => {
  const scripts = ["middle", "bottom"].map((when) => ({ when, replies: [`from ${when}`] }));
  const engine = await openEngine({ replies: ["top"], scripts }, { parallel: 1 });
  const deeper: Record<string, string> = { top: "middle", middle: "bottom" };
  engine.hooks.on("preGenerate", async ({ tier }) => {
    const next = deeper[tier ?? ""];
    if (next === undefined) return undefined;
    return { response: (await engine.generate(next, { tier: next })).text };
  });
  const all = Array.from({ length: 40 }, () => engine.generate("top", { tier: "top" }));
  const results = await Promise.all(all);
  expect(new Set(results.map(({ text }) => text))).toEqual(new Set(["from bottom"]));
});
