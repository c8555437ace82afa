// The hints about a tool and its origin: in contexts, in rules, and in hooks' `when`.
import { expect, test } from "vitest";
import {
  cancel,
  type PermissionCheckEvent,
  type PermissionRule,
  type PostToolCallEvent,
  type PreToolCallEvent,
  tool,
  type ToolSettings,
} from "../../../src/index.js";
import { openEngine } from "../../support/engine.js";
import { calls, notAllowed, resultTexts, runOnce } from "../../support/sessions.js";

type ToolEvent = PreToolCallEvent | PermissionCheckEvent | PostToolCallEvent;

const annotations = { title: "Remove a file", destructiveHint: true, idempotentHint: false };
const remove = (settings: ToolSettings) => tool({ name: "remove", ...settings, run: () => "gone" });

test("hooks are shown the hints and the origin of a tool", async () => {
  const engine = await openEngine([calls("remove"), "Done."]);
  const seen: unknown[] = [];
  for (const point of ["preToolCall", "permissionCheck", "postToolCall"] as const)
    engine.hooks.on(point, (event: ToolEvent) => void seen.push([point, event.annotations, event.origin]));
  await runOnce(engine, { tools: [remove({ annotations, origin: "mcp:files" })] });
  expect(seen).toEqual([
    ["preToolCall", annotations, "mcp:files"],
    ["permissionCheck", annotations, "mcp:files"],
    ["postToolCall", annotations, "mcp:files"],
  ]);
});

test("the contexts of a tool without them, and of no tool, have null", async () => {
  const engine = await openEngine([calls("remove"), calls("remove"), "Done."]);
  const seen: unknown[] = [];
  engine.hooks.on("preToolCall", ({ iteration }) => (iteration === 2 ? { toolName: "other" } : undefined));
  for (const point of ["preToolCall", "permissionCheck", "postToolCall"] as const)
    engine.hooks.on(point, (event: ToolEvent) => void seen.push([event.toolName, event.annotations, event.origin]));
  await runOnce(engine, { tools: [remove({})] });
  const names = ["remove", "remove", "remove", "other", "other"];
  expect(seen).toEqual(names.map((name) => [name, null, null]));
});

test("a hook that names another tool has the later points show that tool", async () => {
  const engine = await openEngine([calls("clock"), "Done."]);
  const seen: unknown[] = [];
  engine.hooks.on("preToolCall", ({ origin }) => (seen.push(origin), { toolName: "remove" }));
  for (const point of ["permissionCheck", "postToolCall"] as const)
    engine.hooks.on(point, ({ origin }: ToolEvent) => void seen.push(origin));
  const clock = tool({ name: "clock", origin: "own", run: () => "noon" });
  await runOnce(engine, { tools: [clock, remove({ origin: "mcp:files" })] });
  expect(seen).toEqual(["own", "mcp:files", "mcp:files"]);
});

const asking: readonly PermissionRule[] = [
  { ask: "*", when: { "annotations.destructiveHint": true } },
  { deny: "*", when: { origin: "mcp:*" } },
  { allow: "*" },
];

test.each([
  ["a hint", { annotations }, asking, notAllowed],
  ["a hint that says the opposite", { annotations: { destructiveHint: false } }, asking, "gone"],
  ["no hint", {}, asking, "gone"],
  ["an origin", { origin: "mcp:files" }, asking, "denied: the rule deny * when origin is the text mcp:*"],
  ["another origin", { origin: "own" }, asking, "gone"],
  ["false", { annotations }, [{ allow: "*", when: { "annotations.idempotentHint": false } }], "gone"],
  ["a hint that only would allow", {}, [{ allow: "*", when: { "annotations.readOnlyHint": true } }], notAllowed],
  ["a title", { annotations }, [{ allow: "*", when: { "annotations.title": "Remove *" } }], "gone"],
] as const)("rules test the hints and the origin of a tool: %s", async (_, settings, permissions, text) => {
  const engine = await openEngine([calls("remove"), "Done."]);
  expect(resultTexts(await runOnce(engine, { tools: [remove(settings)], permissions }))).toEqual([text]);
});

test("the rules of a tier test them, too", async () => {
  const engine = await openEngine([calls("remove"), "Done."]);
  const tiers = { lead: { permissions: asking } };
  const result = await runOnce(engine, { tools: [remove({ annotations })], tiers, tier: "lead" });
  expect(resultTexts(result)).toEqual([notAllowed]);
});

test("`when` of a hook selects by the origin", async () => {
  const engine = await openEngine([calls("remove"), calls("clock"), "Done."]);
  engine.hooks.on("preToolCall", () => cancel("not from there"), { when: { origin: /^mcp:/ }, name: "guard" });
  const clock = tool({ name: "clock", run: () => "noon" });
  const result = await runOnce(engine, { tools: [remove({ origin: "mcp:files" }), clock] });
  expect(resultTexts(result)).toEqual(["blocked by guard: not from there", "noon"]);
});

test("a condition may be true or false for an argument, too", async () => {
  const force = tool({
    name: "force",
    parameters: { type: "object", properties: { sure: { type: "boolean" } } },
    run: ({ sure }) => String(sure),
  });
  const engine = await openEngine([calls("force", { sure: true }), calls("force", { sure: false }), "Done."]);
  const permissions = [{ deny: "force", when: { "args.sure": true } }, { allow: "*" }];
  const result = await runOnce(engine, { tools: [force], permissions });
  expect(resultTexts(result)).toEqual(["denied: the rule deny force when args.sure is true", "false"]);
});

test.each([
  [{ annotations: { destructive: true } }, /annotations.*destructive/],
  [{ annotations: { readOnlyHint: "yes" } }, /readOnlyHint/],
  [{ annotations: [] }, /annotations/],
  [{ origin: 1 }, /origin/],
])("wrong hints are refused: %j", (settings, message) => {
  expect(() => remove(settings as ToolSettings)).toThrow(message);
});

test.each([
  [{ "annotations.destructive": true }, /annotations\.destructive/],
  [{ "annotations.destructiveHint": "true" }, /destructiveHint.*true or false/],
  [{ origin: true }, /origin.*a pattern/],
  [{ name: "x" }, /name/],
])("wrong conditions are refused: %j", async (when, message) => {
  const engine = await openEngine([]);
  expect(() => engine.session({ permissions: [{ ask: "*", when: when as never }] })).toThrow(message);
});
