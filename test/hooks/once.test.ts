import { expect, test } from "vitest";
import { cancel, defineHooks } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { gate } from "../support/gate.js";

test("a hook with once is called once, and gone", async () => {
  const engine = await openEngine(["one two", "one two"]);
  let seen = 0;
  const hook = engine.hooks.on("streamToken", () => void seen++, { once: true, name: "first" });
  expect(engine.hooks.list()[0]).toMatchObject({ once: true });
  expect(hook.removed).toBe(false);
  await engine.generate("hi");
  await engine.generate("hi");
  expect(seen).toBe(1);
  expect(hook.removed).toBe(true);
  expect(engine.hooks.list()).toEqual([]);
});

test.each([
  ["by the engine", { text: " two" }],
  ["in JavaScript", { text: (text: string) => text === " two" }],
])("calls that a matcher keeps back (%s) do not count", async (_, when) => {
  const engine = await openEngine([{ pieces: ["one", " two", " two"] }]);
  const seen: string[] = [];
  const hook = engine.hooks.on("streamToken", ({ text }) => void seen.push(text), { once: true, when });
  expect(engine.hooks.list()[0]).toMatchObject({ once: true });
  await engine.generate("hi");
  expect(seen).toEqual([" two"]);
  expect(hook.removed).toBe(true);
});

test.each([false, true])(
  "a matcher that throws is a call that fails: the only one (observing: %s)",
  async (observe) => {
    const engine = await openEngine(["one two three", "one two three"]);
    let asked = 0;
    const text = (): boolean => {
      asked++;
      throw new Error("no");
    };
    const hook = engine.hooks.on("streamToken", () => undefined, { once: true, when: { text }, observe } as never);
    await engine.generate("hi");
    await engine.generate("hi");
    expect([asked, hook.removed, engine.hooks.list()]).toEqual([1, true, []]);
  },
);

test.each([
  ["awaited", {}],
  ["awaited, with a test in JavaScript", { when: { tier: (): boolean => true } }],
  ["observing", { observe: true }],
  ["observing, with a test in JavaScript", { observe: true, when: { tier: (): boolean => true } }],
])("of many generations at once one calls it: %s", async (_, options) => {
  const engine = await openEngine(["Hello."], { parallel: 4 });
  let seen = 0;
  const hook = engine.hooks.on("preGenerate", () => void seen++, { once: true, ...options } as never);
  await Promise.all(Array.from({ length: 12 }, (__, index) => engine.generate(`hi ${index}`)));
  expect(seen).toBe(1);
  expect(hook.removed).toBe(true);
});

test("while its call is under way, others go by", async () => {
  const engine = await openEngine(["Hello."], { parallel: 2 });
  const asked = gate();
  const free = gate();
  engine.hooks.on(
    "preGenerate",
    async () => {
      asked.open();
      await free.passed;
      return cancel("the first only");
    },
    { once: true },
  );
  const first = engine.generate("first");
  const ended = first.then(({ finishReason }) => finishReason);
  await asked.passed;
  expect((await engine.generate("second")).finishReason).toBe("stop");
  free.open();
  expect(await ended).toBe("cancelled");
  expect((await engine.generate("third")).finishReason).toBe("stop");
});

test("a call that fails is its call", async () => {
  const engine = await openEngine(["Hello.", "Hello."]);
  const fail = (): undefined => {
    throw new Error("no");
  };
  engine.hooks.on("preGenerate", fail, { once: true, failClosed: true, name: "frail" });
  expect((await engine.generate("hi")).cancel).toMatchObject({ by: "frail" });
  expect((await engine.generate("hi")).finishReason).toBe("stop");
});

test("each handler of a set with once has its own call", async () => {
  const engine = await openEngine(["Hello.", "Hello."]);
  const seen: string[] = [];
  const note = ({ meta }: { meta: { name: string } }): undefined => void seen.push(meta.name);
  const set = engine.hooks.use(defineHooks("start", { preGenerate: note, postGenerate: note }, { once: true }));
  await engine.generate("hi");
  await engine.generate("hi");
  expect(seen).toEqual(["PRE_GENERATE", "POST_GENERATE"]);
  expect(set.removed).toBe(true);
});
