import { expect, test } from "vitest";
import { cancel, defineHooks, POINTS, pointNames, type PrePoint } from "../../src/index.js";
import { recordHooks } from "../../src/testing/index.js";
import { openEngine } from "../support/engine.js";
import { compileLibrary, prelude } from "../support/native.js";

const notFired = pointNames.filter((point) => !POINTS[point].fires);
const refused = expect.objectContaining({ code: "POINT_NOT_FIRED" }) as unknown as Error;

test("a hook or guard at a point that this version does not fire is refused: it would protect nothing", async () => {
  const engine = await openEngine([], { models: {} });
  for (const point of notFired) {
    expect(() => engine.hooks.on(point, () => undefined)).toThrow(refused);
    if (POINTS[point].kind !== "pre") continue;
    const pre = point as PrePoint;
    expect(() => engine.hooks.guard(pre, () => cancel("never"))).toThrow(refused);
    expect(() => engine.hooks.on(pre, () => undefined, { failClosed: true })).toThrow(refused);
  }
  for (const point of pointNames.filter((name) => POINTS[name].fires)) engine.hooks.on(point, () => undefined);
  expect(new Set(engine.hooks.list().map(({ point }) => POINTS[point].fires))).toEqual(new Set([true]));
});

test.skipIf(notFired.length === 0)(
  "a set with such a point adds none of its hooks, and a native hook is refused too",
  async () => {
    const engine = await openEngine([], { models: {} });
    const [point = "error"] = notFired;
    const handlers = { preGenerate: () => undefined, [point]: () => undefined };
    expect(() => engine.hooks.use(defineHooks("audit", handlers))).toThrow(refused);
    const library = await compileLibrary(`${prelude}HOOK(hook) {\n  UNUSED;\n  return 0;\n}\n`);
    expect(() => engine.hooks.addNative({ library, symbol: "hook", point })).toThrow(refused);
    expect(engine.hooks.list()).toEqual([]);
  },
);

test("recordHooks() takes notes at every point that fires", async () => {
  const engine = await openEngine(["Hello."]);
  recordHooks(engine);
  const points = engine.hooks.list().map(({ point }) => point);
  expect(points).toEqual(pointNames.filter((point) => POINTS[point].fires));
});
