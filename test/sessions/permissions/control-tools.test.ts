// Rules for other tools do not apply to the engine's own tools, which are allowed unless a rule names them.
import { expect, test } from "vitest";
import type { PermissionRule, SessionOptions } from "../../../src/index.js";
import { approve } from "../../../src/ready-hooks/index.js";
import { openEngine } from "../../support/engine.js";
import { asks, calls, notAllowed, resultTexts, runOnce, tools } from "../../support/sessions.js";

const completes = calls("complete", { summary: "Done." });
const options = { tools, controlTools: ["complete", "todo"], explicitCompletion: true } satisfies SessionOptions;

async function results(permissions: readonly PermissionRule[]): Promise<string[]> {
  const engine = await openEngine([asks("Oslo"), completes, "Well."]);
  return resultTexts(await runOnce(engine, { ...options, permissions, maxCompletionRejections: 0 }));
}

test("a run with rules for other tools completes", async () => {
  for (const permissions of [
    [{ allow: "weather" }],
    [{ allow: "weather" }, { ask: "*" }],
    [{ allow: "w*" }, { deny: "?*" }],
  ])
    expect((await results(permissions)).at(-1), JSON.stringify(permissions)).toBe("completed");
  expect(await results([{ allow: "weather" }])).toEqual(["Oslo: 4 degrees", "completed"]);
});

test("a rule that names the tool holds, with its conditions", async () => {
  expect((await results([{ allow: "*" }, { deny: "complete" }])).at(-1)).toBe("denied: the rule deny complete");
  expect((await results([{ allow: "*" }, { deny: "comp*" }])).at(-1)).toBe("denied: the rule deny comp*");
  expect((await results([{ allow: "*" }, { ask: "complete" }])).at(-1)).toBe(notAllowed);
  const when = (text: string): PermissionRule[] => [{ allow: "complete", when: { "args.summary": { text } } }];
  expect((await results(when("Done.*"))).at(-1)).toBe("completed");
  expect((await results(when("Other"))).at(-1)).toBe(notAllowed);
});

test("approve() does not ask whether the run may end; permissionCheck fires, and its hooks may deny", async () => {
  const engine = await openEngine([calls("todo", { todos: [] }), asks("Oslo"), completes, "Well."]);
  const asked: string[] = [];
  const seen: unknown[] = [];
  engine.hooks.use(approve({ ask: ({ toolName }) => (asked.push(toolName), true) }));
  engine.hooks.on("permissionCheck", ({ toolName, permission, rule }) => void seen.push([toolName, permission, rule]));
  const permissions = [{ allow: "clock" }, { ask: "*" }];
  expect(await runOnce(engine, { ...options, permissions })).toMatchObject({ finishReason: "complete", text: "Done." });
  expect(asked).toEqual(["weather"]);
  expect(seen).toEqual([
    ["todo", "allow", null],
    ["weather", "allow", "ask *"],
    ["complete", "allow", null],
  ]);
});

test("a delegated task is exempt likewise, and a rule for delegate holds of it", async () => {
  const script = {
    replies: [calls("delegate", { tier: "coder", task: "Go." }), "Well."],
    scripts: [{ when: "You code.", replies: ["Written."] }],
  };
  const tiers = { lead: {}, coder: { system: "You code." } };
  const delegated = async (permissions: readonly PermissionRule[]): Promise<string> =>
    resultTexts(
      await runOnce(await openEngine(script), { tools, tier: "lead", tiers, controlTools: ["delegate"], permissions }),
    )[0] ?? "";
  expect(await delegated([{ allow: "weather" }])).toMatch(/^Written\./);
  const tester = [{ allow: "delegate", when: { "args.tier": "tester" } }];
  expect(await delegated(tester)).toBe(notAllowed);
});
