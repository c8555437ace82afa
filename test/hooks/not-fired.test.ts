import { expect, test } from "vitest";
import { cancel, defineHooks, pointNames } from "../../src/index.js";
import { recordHooks } from "../../src/testing/index.js";
import { openEngine } from "../support/engine.js";
import { compileLibrary, prelude } from "../support/native.js";

const refused = expect.objectContaining({ code: "POINT_NOT_FIRED" }) as unknown as Error;

test("a hook or guard at a point that never fires for the session is refused: it would protect nothing", async () => {
  const engine = await openEngine(["Hello."]);
  const { hooks } = engine.session();
  expect(() => hooks.on("modelReady", () => undefined)).toThrow(refused);
  expect(() => hooks.guard("modelLoad", () => cancel("never"))).toThrow(refused);
  expect(() => hooks.on("modelLoad", () => undefined, { failClosed: true })).toThrow(refused);
  expect(hooks.list()).toEqual([]);
});

test("a set with such a point adds none of its hooks, and a native hook is refused too", async () => {
  const engine = await openEngine(["Hello."]);
  const { hooks } = engine.session();
  expect(() => hooks.use(defineHooks("audit", { preGenerate() {}, modelLoad() {} }))).toThrow(refused);
  const library = await compileLibrary(`${prelude}HOOK(hook) {\n  UNUSED;\n  return 0;\n}\n`);
  expect(() => hooks.addNative({ library, symbol: "hook", point: "modelLoad" })).toThrow(refused);
  expect(hooks.list()).toEqual([]);
});

test("recordHooks() takes notes at every point", async () => {
  const engine = await openEngine(["Hello."]);
  recordHooks(engine);
  expect(engine.hooks.list().map(({ point }) => point)).toEqual(pointNames);
});
