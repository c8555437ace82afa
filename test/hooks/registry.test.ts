import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { cancel, defineHooks, type Engine, POINTS, pointNames } from "../../src/index.js";
import { openEngine, tempDir } from "../support/engine.js";
import { compileLibrary, prelude } from "../support/native.js";

test("list() shows the hooks in order of execution, with how they were registered", async () => {
  const engine = await openEngine([], { models: {} });
  expect(engine.hooks.list()).toEqual([]);
  engine.hooks.guard("preGenerate", () => undefined, { name: "guard" });
  engine.hooks.on("preGenerate", () => undefined, { name: "late", priority: 3, deadlineMs: 0, failClosed: true });
  engine.hooks.on("preGenerate", () => undefined, { name: "first", originalContext: true });
  engine.hooks.on("streamToken", () => undefined, { name: "watch", observe: true });
  const plain = {
    priority: 0,
    deadlineMs: 30_000,
    guard: false,
    failClosed: false,
    observe: false,
    originalContext: false,
    parallel: false,
    once: false,
    native: false,
    level: "engine",
    sessionId: null,
    location: expect.stringMatching(/registry\.test\.ts:\d+$/) as unknown,
    when: null,
    fields: null,
  };
  const id = expect.any(Number);
  const preGenerate = { ...plain, id, point: "preGenerate" };
  expect(engine.hooks.list()).toEqual([
    { ...preGenerate, name: "first", originalContext: true },
    { ...preGenerate, name: "late", priority: 3, deadlineMs: 0, failClosed: true },
    { ...preGenerate, name: "guard", guard: true },
    { ...plain, id, point: "streamToken", name: "watch", observe: true },
  ]);
});

test("the line of a hook is known where folders have parentheses, brackets and spaces in their names", async () => {
  const folder = path.join(await tempDir(), "app (old)", "(admin)", "[id] at 1");
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, "route.mjs");
  const code = `// a route
export default ({ hooks }) => hooks.on("preGenerate", () => undefined);
export async function later({ hooks }) {
  await undefined;
  hooks.on("preGenerate", () => undefined);
}`;
  await writeFile(file, code);
  const engine = await openEngine([], { models: {} });
  const module = (await import(pathToFileURL(file).href)) as Record<"default" | "later", (engine: Engine) => unknown>;
  module.default(engine);
  await module.later(engine);
  expect(engine.hooks.list().map(({ location }) => location)).toEqual([`${file}:2`, `${file}:5`]);
});

test("a hook without a name has that of its function, or its number", async () => {
  const engine = await openEngine([], { models: {} });
  engine.hooks.on("preGenerate", function redact() {});
  const { id } = engine.hooks.on("preGenerate", () => undefined);
  expect(engine.hooks.list().map(({ name }) => name)).toEqual(["redact", `hook ${id}`]);
});

test("has() says whether anything is registered at a point", async () => {
  const engine = await openEngine([], { models: {} });
  expect(pointNames.filter((point) => engine.hooks.has(point))).toEqual([]);
  const hook = engine.hooks.on("postGenerate", () => undefined);
  expect(pointNames.filter((point) => engine.hooks.has(point))).toEqual(["postGenerate"]);
  hook.dispose();
  expect(engine.hooks.has("postGenerate")).toBe(false);
});

test("clear() removes the hooks of one point, or all of them", async () => {
  const engine = await openEngine(["Hello."]);
  const hooks = (["preGenerate", "preGenerate", "postGenerate", "streamToken"] as const).map((point) =>
    engine.hooks.on(point, () => undefined),
  );
  engine.hooks.clear("preGenerate");
  expect(hooks.map(({ removed }) => removed)).toEqual([true, true, false, false]);
  engine.hooks.clear();
  expect(hooks.map(({ removed }) => removed)).toEqual([true, true, true, true]);
  expect(engine.hooks.list()).toEqual([]);
  expect((await engine.generate("hi")).decisions).toEqual([]);
});

test("stats() counts calls, changes, cancels and failures, and adds up the time", async () => {
  const engine = await openEngine(["Hello."]);
  let round = 0;
  const takeTurns = (): unknown => {
    round++;
    if (round === 1) return undefined;
    if (round === 2) return { response: "Two." };
    if (round === 3) return cancel("three");
    throw new Error("four");
  };
  engine.hooks.on("preGenerate", takeTurns as never);
  for (let call = 0; call < 4; call++) await engine.generate("hi");
  const [stats] = engine.hooks.stats();
  expect(stats).toMatchObject({ name: "takeTurns", point: "preGenerate", calls: 4 });
  expect(stats).toMatchObject({ modifications: 1, cancels: 1, failures: 1 });
  expect(stats?.totalUs).toBeGreaterThan(0);
});

test("dispose() removes a hook, and doing so again is fine", async () => {
  const engine = await openEngine(["Hello."]);
  let calls = 0;
  const hook = engine.hooks.on("preGenerate", () => void calls++);
  expect(hook.removed).toBe(false);
  hook.dispose();
  hook.dispose();
  expect(hook.removed).toBe(true);
  await engine.generate("hi");
  expect(calls).toBe(0);
});

test("a hook in a using block is gone behind it", async () => {
  const engine = await openEngine(["Hello."]);
  {
    using hook = engine.hooks.on("preGenerate", () => ({ response: "Inside." }));
    expect((await engine.generate("hi")).text).toBe("Inside.");
    expect(hook.removed).toBe(false);
  }
  expect((await engine.generate("hi")).text).toBe("Hello.");
});

test("a set is removed as one", async () => {
  const engine = await openEngine([], { models: {} });
  const handlers = { preGenerate: () => undefined, postGenerate: () => undefined };
  const set = engine.hooks.use([defineHooks("a", handlers), defineHooks("b", { error: () => undefined })]);
  expect(engine.hooks.list().map(({ name, point }) => `${name} ${point}`)).toEqual([
    "a preGenerate",
    "a postGenerate",
    "b error",
  ]);
  set.dispose();
  expect([set.removed, engine.hooks.list()]).toEqual([true, []]);
});

test("a set with one bad handler registers none of its hooks", async () => {
  const engine = await openEngine([], { models: {} });
  const set = { name: "half", handlers: { preGenerate: () => undefined, postGenerate: 7 }, options: {} };
  expect(() => engine.hooks.use(set as never)).toThrow(/half\.postGenerate.*function.*7/);
  expect(engine.hooks.list()).toEqual([]);
});

test("what can hold no handlers is refused: they would be lost; an empty set is one", async () => {
  const engine = await openEngine([], { models: {} });
  class Guard {
    preToolCall(): undefined {
      return undefined;
    }
  }
  expect(() => defineHooks("g", new Guard(), { failClosed: true })).toThrow(
    'The handlers of "g" must be a plain object, got an object (Guard)',
  );
  expect(() => engine.hooks.use({ name: "g", handlers: new Guard(), options: {} })).toThrow(TypeError);
  for (const none of [undefined, null, [], Guard] as never[])
    expect(() => defineHooks("n", none)).toThrow('The handlers of "n" must be a plain object');
  expect(() => engine.hooks.use({ name: "x" } as never)).toThrow(
    'The handlers of "x" must be a plain object, got undefined',
  );
  const bare = Object.assign(Object.create(null) as object, { preToolCall: () => undefined });
  engine.hooks.use([
    null,
    defineHooks("none", {}),
    defineHooks("maybe", { error: undefined } as never),
    defineHooks("bare", bare),
  ]);
  engine.hooks.use([]);
  expect(engine.hooks.list().map(({ name }) => name)).toEqual(["bare"]);
});

test("hook numbers are never used again", async () => {
  const engine = await openEngine([], { models: {} });
  const ids: number[] = [];
  for (let round = 0; round < 5; round++) {
    const hook = engine.hooks.on("preGenerate", () => undefined);
    ids.push(hook.id);
    hook.dispose();
  }
  expect(new Set(ids).size).toBe(5);
  expect(ids).not.toContain(0);
});

test("an unknown point is refused with the near ones", async () => {
  const engine = await openEngine([], { models: {} });
  const at = (point: unknown) => () => engine.hooks.on(point as "preGenerate", () => undefined);
  expect(at("preGenrate")).toThrow(/no hook point "preGenrate"; did you mean "preGenerate"\?/);
  expect(at("nonsense")).toThrow(/no hook point "nonsense"; nearest: (?:\w+, ){4}\w+$/);
  expect(at("toString")).toThrow(TypeError);
  expect(at(-1)).toThrow(/no hook point -1; known: /);
  expect(at(null)).toThrow(/must be a name or a number, got null/);
  expect(() => engine.hooks.has("nonsense" as never)).toThrow(TypeError);
  expect(() => engine.hooks.clear("nonsense" as never)).toThrow(TypeError);
});

test("unknown and wrong options are refused with what was got", async () => {
  const engine = await openEngine([], { models: {} });
  for (const [options, range] of [
    [{ priority: 2 ** 31 }, "priority must be an integer from -2147483648 to 2147483647, got 2147483648"],
    [{ deadlineMs: 2 ** 40 }, "deadlineMs must be an integer from 0 to 2147483647, got 1099511627776"],
    [{ deadlineMs: -1 }, "deadlineMs must be an integer of at least 0, got -1"],
  ] as const)
    expect(() => engine.hooks.on("error", () => undefined, options)).toThrow(range);
  const add = (options: object) => () => engine.hooks.on("preGenerate", () => undefined, options as never);
  expect(add({ prio: 1 })).toThrow(/no key "prio".*priority/);
  expect(add({ priority: "high" })).toThrow(/priority must be an integer.*"high"/);
  expect(add({ priority: 1.5 })).toThrow(/1\.5/);
  expect(add({ deadlineMs: -1 })).toThrow(/deadlineMs.*-1/);
  expect(add({ name: 7 })).toThrow(/name must be a string that is not empty, got 7/);
  expect(add({ failClosed: "yes" })).toThrow(/failClosed must be true or false/);
  expect(add({ when: { teir: "lead" } })).toThrow(/no field "teir"; did you mean "tier"\?/);
  expect(() => engine.hooks.on("preGenerate", "no function" as never)).toThrow(/must be a function, got "no function"/);
  expect(engine.hooks.list()).toEqual([]);
});

test("a hook with a matcher is called only where all of it matches", async () => {
  const engine = await openEngine([{ pieces: ["one", " two", " three"] }]);
  const seen: string[] = [];
  const note = ({ text }: { text: string }): undefined => void seen.push(text);
  engine.hooks.on("streamToken", note, { when: { text: /^ t/g, tokenIndex: (index) => index > 0, kind: "content" } });
  await engine.generate("hi");
  expect(seen).toEqual([" two", " three"]);
});

test("hooks can be registered at every point of the table", async () => {
  const engine = await openEngine([], { models: {} });
  for (const point of pointNames) engine.hooks.on(point, () => undefined);
  const listed = engine.hooks.list().map(({ point }) => POINTS[point].number);
  expect(listed.sort((a, b) => a - b)).toEqual(pointNames.map((name) => POINTS[name].number).sort((a, b) => a - b));
});

test("a closed engine takes no hooks", async () => {
  const engine = await openEngine([], { models: {} });
  await engine.close();
  expect(() => engine.hooks.on("preGenerate", () => undefined)).toThrow(expect.objectContaining({ code: "CLOSED" }));
});

test("a removal applies at once, also to the dispatch under way; an addition to the next one", async () => {
  const engine = await openEngine(["Hello."]);
  const seen: string[] = [];
  const note = (name: string) => (): void => void seen.push(name);
  const library = await compileLibrary(`${prelude}HOOK(hook) {\n  UNUSED;\n  return 1;\n}\n`);
  engine.hooks.on(
    "preGenerate",
    async () => {
      seen.push("first");
      await Promise.resolve();
      for (const hook of gone) hook.dispose();
      engine.hooks.on("preGenerate", note("added"), { name: "added" });
    },
    { priority: -1, once: true },
  );
  const gone = [
    engine.hooks.on("preGenerate", note("second")),
    engine.hooks.on("preGenerate", note("observer"), { observe: true }),
    engine.hooks.addNative({ library, symbol: "hook", point: "preGenerate" }),
    engine.hooks.guard("preGenerate", () => cancel("a guard that is gone")),
    engine.hooks.use(defineHooks("set", { preGenerate: note("set") })),
  ];
  engine.hooks.on("preGenerate", note("stays"), { priority: 1 });
  expect((await engine.generate("hi")).finishReason).toBe("stop");
  expect(seen).toEqual(["first", "stays"]);
  await engine.generate("hi");
  expect(seen.slice(2)).toEqual(["added", "stays"]);
});

test("a hook that removes itself, or all of them, has its answer count", async () => {
  const engine = await openEngine(["Hello."]);
  const own = engine.hooks.on("postGenerate", async () => {
    own.dispose();
    await Promise.resolve();
    return { content: "changed" };
  });
  engine.hooks.on("preGenerate", () => {
    engine.hooks.clear("preGenerate");
    return cancel("the last word");
  });
  engine.hooks.guard("preGenerate", () => cancel("a guard that is gone"));
  expect((await engine.generate("hi")).cancel?.reason).toBe("the last word");
  expect(await engine.generate("hi")).toMatchObject({ finishReason: "stop", text: "changed" });
  expect((await engine.generate("hi")).text).toBe("Hello.");
});
