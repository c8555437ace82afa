import { expect, test } from "vitest";
import { cancel, defineHooks, type HookMeta, LlamaHooksError, pointNames, type Session } from "../../src/index.js";
import { openEngine, rejection } from "../support/engine.js";
import { gate } from "../support/gate.js";
import { calls, runOnce, resultTexts, tools } from "../support/sessions.js";

/** A session as one tier, which in its first run delegates to another. */
async function leadAndCoder(...others: { when: string; replies: string[] }[]): Promise<Session> {
  const engine = await openEngine({
    replies: ["Who am I?"],
    scripts: [
      { when: "You are lead.", replies: [calls("delegate", { tier: "coder", task: "Do it." }), "Done.", "More."] },
      { when: "You are coder.", replies: ["Written."] },
      ...others,
    ],
  });
  const tiers = { lead: { system: "You are lead." }, coder: { system: "You are coder." } };
  return engine.session({ tools, tiers, tier: "lead", controlTools: ["delegate"] });
}

test("a session's hooks are asked in its runs, and in no other's", async () => {
  const engine = await openEngine(["One.", "Two.", "Three.", "Four."]);
  const one = engine.session();
  const other = engine.session();
  const seen: (string | null)[] = [];
  one.hooks.on("preGenerate", ({ meta }) => void seen.push(meta.sessionId));
  await other.run("hi");
  await engine.generate("hi");
  expect(seen).toEqual([]);
  await one.run("hi");
  await one.run("hi");
  expect(seen).toEqual([one.id, one.id]);
});

test("a session's hooks go with the runs that it delegates to, and with its compactions", async () => {
  const session = await leadAndCoder({ when: "earlier", replies: ["So it was."] });
  const seen: string[] = [];
  for (const point of ["loopStart", "delegate", "preCompact", "sessionStart", "sessionEnd"] as const)
    session.hooks.on(point, ({ meta }: { meta: HookMeta }) => void seen.push(`${point} ${meta.depth}`));
  await session.run("Go");
  await session.compact({ strategy: "truncate" });
  await session.close();
  expect(seen).toEqual([
    "sessionStart 0",
    "loopStart 0",
    "delegate 0",
    "loopStart 1",
    "preCompact 0",
    "sessionEnd null",
  ]);
});

test("a run's hooks are asked in that run and in those that it delegates to", async () => {
  const session = await leadAndCoder();
  const seen: string[] = [];
  const watch = defineHooks("watch", { preGenerate: ({ meta }) => void seen.push(`${meta.tier} ${meta.depth}`) });
  await session.run("Go", { hooks: watch });
  expect(seen).toEqual(["lead 0", "coder 1", "lead 0"]);
  await session.run("Go on");
  expect(seen).toHaveLength(3);
});

test("a run's hooks change, veto and fail closed as those of the engine do", async () => {
  const engine = await openEngine([calls("clock"), "Done.", calls("clock"), "Done."]);
  const session = engine.session({ tools });
  const guard = defineHooks("no clock", { preToolCall: () => cancel("not now") });
  const mask = defineHooks("mask", { postToolCall: ({ result }) => ({ result: result.replace("noon", "****") }) });
  const first = await session.run("Go", { hooks: [guard, mask] });
  expect(resultTexts(first)).toEqual(["blocked by no clock: not now"]);
  expect(first.decisions.find(({ action }) => action === "cancelled")).toMatchObject({
    decidedBy: { name: "no clock" },
  });
  expect(resultTexts(await session.run("Go", { hooks: [mask] }))).toEqual(["****"]);
});

test("at one priority the engine's come first, then the session's, then the run's; guards are last", async () => {
  const engine = await openEngine(["Hello."]);
  const session = engine.session();
  const seen: string[] = [];
  const note = (name: string) => (): undefined => void seen.push(name);
  session.hooks.guard("preGenerate", note("session guard"));
  session.hooks.on("preGenerate", note("session"));
  session.hooks.on("preGenerate", note("session -1"), { priority: -1 });
  engine.hooks.on("preGenerate", note("engine"));
  engine.hooks.on("preGenerate", note("engine 1"), { priority: 1 });
  engine.hooks.guard("preGenerate", note("engine guard"));
  const run = defineHooks("run", { preGenerate: note("run") });
  const runFirst = defineHooks("run -2", { preGenerate: note("run -2") }, { priority: -2 });
  await session.run("hi", { hooks: [run, runFirst] });
  const plain = ["run -2", "session -1", "engine", "session", "run", "engine 1"];
  expect(seen).toEqual([...plain, "engine guard", "session guard"]);
});

test("generate() takes its own hooks", async () => {
  const engine = await openEngine(["one two", "one two"]);
  const shout = defineHooks("shout", { streamToken: ({ text }) => ({ text: text.toUpperCase() }) });
  expect((await engine.generate("hi", { hooks: shout })).text).toBe("ONE TWO");
  expect((await engine.generate("hi")).text).toBe("one two");
  expect(engine.hooks.has("streamToken")).toBe(false);
});

test("two runs at once each have their own", async () => {
  const engine = await openEngine(["Hello."], { parallel: 2 });
  const both = gate();
  let there = 0;
  const seen: string[] = [];
  const set = (name: string): ReturnType<typeof defineHooks> =>
    defineHooks(name, {
      preGenerate: async () => {
        seen.push(name);
        if (++there === 2) both.open();
        await both.passed;
      },
    });
  await Promise.all(["a", "b"].map((name) => engine.session().run("hi", { hooks: set(name) })));
  expect(seen.sort()).toEqual(["a", "b"]);
});

test("each lists, counts, has and clears its own", async () => {
  const engine = await openEngine(["Hello."]);
  const session = engine.session();
  engine.hooks.on("preGenerate", () => undefined, { name: "engine" });
  const mine = session.hooks.use(defineHooks("mine", { preGenerate() {}, postGenerate() {} }));
  expect(engine.hooks.list().map(({ name }) => name)).toEqual(["engine"]);
  expect(session.hooks.list().map(({ name, point }) => [name, point])).toEqual([
    ["mine", "preGenerate"],
    ["mine", "postGenerate"],
  ]);
  expect([engine.hooks.has("postGenerate"), session.hooks.has("postGenerate")]).toEqual([false, true]);
  await session.run("hi");
  expect(session.hooks.stats().map(({ calls: count }) => count)).toEqual([1, 1]);
  engine.hooks.clear();
  expect(engine.hooks.list()).toEqual([]);
  expect(mine.removed).toBe(false);
  session.hooks.clear("preGenerate");
  expect(session.hooks.list().map(({ point }) => point)).toEqual(["postGenerate"]);
  mine.dispose();
  expect(mine.removed).toBe(true);
  expect(session.hooks.list()).toEqual([]);
});

test("a session's hooks go when it is closed, after sessionEnd", async () => {
  const engine = await openEngine(["Hello."]);
  const session = engine.session();
  const seen: string[] = [];
  const hook = session.hooks.on("sessionEnd", () => void seen.push("end"));
  await session.close();
  expect(seen).toEqual(["end"]);
  expect(hook.removed).toBe(true);
  expect(() => session.hooks.on("preGenerate", () => undefined)).toThrow(/session-.* is open/);
  expect(() => session.hooks.list()).toThrow(LlamaHooksError);
  hook.dispose();
});

test("a fork has the hooks of its session, until they are disposed of", async () => {
  const engine = await openEngine(["One.", "Two.", "Three.", "Four."]);
  const session = engine.session();
  const seen: (string | null)[] = [];
  const hook = session.hooks.on("preGenerate", ({ meta }) => void seen.push(meta.sessionId));
  await session.run("hi");
  const fork = session.fork();
  session.hooks.on("preGenerate", () => cancel("later, and so not the fork's"));
  await fork.run("hi");
  expect(seen).toEqual([session.id, fork.id]);
  session.hooks.clear();
  expect(hook.removed).toBe(false);
  await session.close();
  await fork.run("hi");
  expect(seen).toEqual([session.id, fork.id, fork.id]);
  hook.dispose();
  await fork.run("hi");
  expect(seen).toHaveLength(3);
  expect(fork.hooks.list()).toEqual([]);
});

test("where a point never fires for a session, a run or a generation, a hook there is refused", async () => {
  const engine = await openEngine(["Hello."]);
  const session = engine.session();
  const ofEngine = ["modelLoad", "modelUnload", "vramPressure", "modelReady"];
  const refused = pointNames.filter((point) => {
    try {
      session.hooks.on(point, () => undefined).dispose();
      return false;
    } catch (error) {
      expect((error as LlamaHooksError).code).toBe("POINT_NOT_FIRED");
      return true;
    }
  });
  expect(refused.sort()).toEqual([...ofEngine].sort());
  const end = defineHooks("end", { sessionEnd() {} });
  expect(await rejection(session.run("hi", { hooks: end }))).toMatchObject({
    code: "POINT_NOT_FIRED",
    message: expect.stringMatching(
      /at sessionEnd, .* does not fire for a run; add it to the engine or a session$/,
    ) as unknown,
  });
  const tool = defineHooks("tool", { preGenerate() {}, preToolCall() {} });
  expect(await rejection(engine.generate("hi", { hooks: tool }))).toMatchObject({
    code: "POINT_NOT_FIRED",
    message: expect.stringMatching(
      /preToolCall, .* does not fire for a generation; add it to the engine, a session or a run$/,
    ) as unknown,
  });
  expect((await session.run("hi")).finishReason).toBe("complete");
});

test("what is not a set is refused at once", async () => {
  const engine = await openEngine(["Hello."]);
  expect(() => engine.generate("hi", { hooks: [{ name: "x", handlers: {} }, 7] as never })).toThrow(
    "hooks[1] must be an object, got 7",
  );
  expect(() => engine.session().run("hi", { hooks: "audit" as never })).toThrow('hooks must be an object, got "audit"');
  expect(() => engine.session().run("hi", { hooks: { name: "a", handlers: { preToolcal: 1 } } as never })).toThrow(
    /"preToolcal"; did you mean "preToolCall"/,
  );
});

test("observers of a run hear of its end, though it is over when they do", async () => {
  const engine = await openEngine(["Hello."]);
  const seen: string[] = [];
  const heard = gate();
  const watch = defineHooks("watch", { loopEnd: () => (seen.push("loopEnd"), heard.open()) }, { observe: true });
  await engine.session().run("hi", { hooks: watch });
  await heard.passed;
  expect(seen).toEqual(["loopEnd"]);
});

test("hooks of a delegated run fail with REENTRANT, not in a deadlock, when they wait for their session", async () => {
  const engine = await openEngine(["Hello."]);
  const session = engine.session();
  let code: unknown;
  const set = defineHooks("closes", {
    preGenerate: async () => {
      code = ((await rejection(session.close())) as LlamaHooksError).code;
    },
  });
  await session.run("hi", { hooks: set });
  expect(code).toBe("REENTRANT");
  expect((await runOnce(engine)).finishReason).toBe("complete");
});
