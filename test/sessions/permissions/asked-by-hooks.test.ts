// The permission that hooks at preToolCall give.
import { expect, test } from "vitest";
import { cancel } from "../../../src/index.js";
import { openEngine } from "../../support/engine.js";
import { asks, notAllowed, resultTexts, runOnce } from "../../support/sessions.js";

type Given = "allow" | "deny" | "ask";

async function results(given: readonly Given[], options: object = {}, check?: () => object): Promise<unknown> {
  const engine = await openEngine([asks("Oslo"), "I see."]);
  for (const permission of given)
    engine.hooks.on("preToolCall", () => ({ permission }), { name: `says ${permission}` });
  const shown: unknown[] = [];
  engine.hooks.on("permissionCheck", ({ permission, rule }) => {
    shown.push([permission, rule]);
    return check?.();
  });
  return [resultTexts(await runOnce(engine, options))[0], shown[0]];
}

test("allow stands in for the answer to an ask", async () => {
  expect(await results(["allow"], { permissions: [{ ask: "*" }] })).toEqual([
    "Oslo: 4 degrees",
    ["allow", "the hook says allow"],
  ]);
});

test("ask needs an answer, also where the rules allow", async () => {
  expect(await results(["ask"])).toEqual([notAllowed, ["ask", "the hook says ask"]]);
  expect(await results(["ask"], {}, () => ({ permission: "allow" }))).toEqual([
    "Oslo: 4 degrees",
    ["ask", "the hook says ask"],
  ]);
});

test("deny stays, and the hook is named", async () => {
  expect(await results(["deny"], {}, () => ({ permission: "allow" }))).toEqual([
    "denied: by says deny",
    ["deny", "the hook says deny"],
  ]);
});

test("the strictest of several answers counts", async () => {
  expect(await results(["deny", "allow", "ask"])).toEqual(["denied: by says deny", ["deny", "the hook says deny"]]);
  expect(await results(["ask", "allow"])).toMatchObject([notAllowed, ["ask", "the hook says ask"]]);
});

test("allow overrides no rule that denies and no guard, but a denial that the session remembers", async () => {
  expect(await results(["allow"], { permissions: [{ deny: "weather" }] })).toMatchObject([
    expect.stringMatching(/^denied: the rule/),
    ["deny", expect.any(String)],
  ]);
  const engine = await openEngine({ replies: [asks("Oslo")], afterLast: "repeat" });
  engine.hooks.on("preToolCall", () => ({ permission: "allow" }));
  const guard = engine.hooks.guard("permissionCheck", () => cancel("never"));
  expect(resultTexts(await runOnce(engine, { maxIterations: 1 }))).toEqual(["denied: never"]);
  guard.dispose();
  const no = engine.hooks.on("permissionCheck", () => ({ permission: "deny", remember: "tool" }));
  const { weather } = await import("../../support/sessions.js");
  const session = engine.session({ tools: [weather], maxIterations: 1, temperature: 0 });
  await session.run("Hello");
  no.dispose();
  expect(resultTexts(await session.run("Hello"))).toEqual(["Oslo: 4 degrees"]);
  engine.hooks.clear("preToolCall");
  expect(resultTexts(await session.run("Hello"))).toEqual(["denied: by an earlier answer"]);
});

test("deny goes before the response of another hook", async () => {
  const engine = await openEngine([asks("Oslo"), "I see."]);
  engine.hooks.on("preToolCall", () => ({ response: "from the cache" }));
  engine.hooks.on("preToolCall", () => ({ permission: "deny" }), { name: "strict" });
  expect(resultTexts(await runOnce(engine))).toEqual(["denied: by strict"]);
});
