// Why a hook was not called: its `when`, how often its point fired, and how often `when` matched.
import { expect, test } from "vitest";
import { cancel } from "../../../src/index.js";
import { openEngine } from "../../support/engine.js";
import { asks, runOnce, tools } from "../../support/sessions.js";

test("a hook whose when never matches shows that its point fired", async () => {
  const engine = await openEngine([asks("Oslo", "Rome"), "Done."]);
  const when = [{ toolName: "Weather" }, { toolName: /^WEATHER$/i }, { toolName: () => false }, { toolName: /x|y/ }];
  for (const one of when) engine.hooks.on("preToolCall", () => undefined, { when: one });
  engine.hooks.on("preToolCall", () => undefined);
  await runOnce(engine, { tools });
  const counts = engine.hooks.stats().map(({ fired, matched, calls }) => [fired, matched, calls]);
  expect(counts).toEqual([
    [2, 0, 0],
    [2, 2, 2],
    [2, 0, 0],
    [2, 0, 0],
    [2, 2, 2],
  ]);
  expect(engine.hooks.list().map((hook) => hook.when)).toEqual([
    { toolName: "Weather" },
    { toolName: "/^WEATHER$/i" },
    { toolName: "function toolName" },
    { toolName: "/x|y/" },
    null,
  ]);
});

test("a point that only hooks with another when have still counts", async () => {
  const engine = await openEngine(["one two"]);
  engine.hooks.on("streamToken", () => undefined, { when: { kind: "reasoning" } });
  engine.hooks.on("contextBudget", () => undefined, { when: { tier: "none" } });
  engine.hooks.on("preGenerate", () => undefined, { when: { "tags.user": "ada" } });
  await engine.generate("hi");
  const [budget, pre, token] = ["contextBudget", "preGenerate", "streamToken"].map((point) =>
    engine.hooks.stats().find((one) => one.point === point),
  );
  expect(token?.fired).toBeGreaterThan(1);
  expect([budget?.fired, pre?.fired]).toEqual([1, 1]);
  for (const one of [budget, pre, token]) expect(one).toMatchObject({ matched: 0, calls: 0 });
});

test("a hook behind one that cancels shows that its point fired and nothing matched", async () => {
  const engine = await openEngine(["Hello."]);
  engine.hooks.on("preGenerate", () => cancel("no"));
  engine.hooks.on("preGenerate", () => undefined, { priority: 1 });
  await engine.generate("hi");
  expect(engine.hooks.stats()).toMatchObject([
    { fired: 1, matched: 1, calls: 1 },
    { fired: 1, matched: 0, calls: 0 },
  ]);
});

test("a session's hooks count what fires in the session", async () => {
  const engine = await openEngine(["Hello.", "Hello."]);
  await using session = engine.session();
  session.hooks.on("preGenerate", () => undefined);
  await engine.generate("hi");
  await session.run("hi");
  expect(session.hooks.stats()).toMatchObject([{ fired: 1, matched: 1, calls: 1 }]);
});

test("observers count, also those that when keeps back in JavaScript", async () => {
  const engine = await openEngine(["Hello."]);
  const seen = new Promise<void>((resolve) => engine.hooks.on("postGenerate", () => resolve(), { observe: true }));
  engine.hooks.on("postGenerate", () => undefined, { observe: true, when: { content: /^never$/i } });
  await engine.generate("hi");
  await seen;
  await new Promise((resolve) => setImmediate(resolve));
  expect(engine.hooks.stats()).toMatchObject([
    { fired: 1, matched: 1, calls: 1 },
    { fired: 1, matched: 0, calls: 0 },
  ]);
});
