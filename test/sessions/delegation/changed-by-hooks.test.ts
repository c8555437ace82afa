// Rules judge, sessions keep, and saved files hold a delegation as hooks have changed it.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import type { Engine, PermissionRule, Plan, SessionOptions } from "../../../src/index.js";
import { openEngine, tempDir } from "../../support/engine.js";
import { calls, directs, runOnce, resultTexts, weather } from "../../support/sessions.js";

const options = {
  tools: [weather, directs],
  temperature: 0,
  tier: "lead",
  tiers: {
    lead: { system: "You are lead." },
    coder: { system: "You are coder." },
    admin: { system: "You are admin." },
  },
  controlTools: ["delegate", "pipeline", "plan", "complete"],
} satisfies SessionOptions;

/** The lead makes a call and is done; the others answer. */
const crew = (call: object, answer: object | string = "Written."): Promise<Engine> =>
  openEngine({
    replies: ["Who am I?"],
    scripts: [
      { when: "You are lead.", replies: [call, "Done."] },
      { when: "You are coder.", replies: [answer, "Written."] },
      { when: "You are admin.", replies: ["I may do everything."] },
    ] as never,
  });

const plan = { flow: "sequence", steps: [{ name: "a", tier: "admin", task: "Delete it." }] } satisfies Plan;
const denied = "denied: the rule deny delegate when args.tier is admin";

test.each([
  ["delegate", calls("delegate", { tier: "admin", task: "Delete it." }), denied],
  ["pipeline", calls("pipeline", { task: "Delete it.", stages: [{ tier: "admin" }] }), `stage 1 of 1: ${denied}`],
  ["plan", calls("plan", plan), `plan failed: 0 of 1 steps\n[a: failed]\n${denied}`],
  [
    "a directive",
    calls("directs", { directives: [{ type: "delegate", params: { tier: "admin", task: "Delete it." } }] }),
    `directed\n[delegate: ${denied}]`,
  ],
])("a rule about delegate holds for a task that is handed on by %s", async (_, call, why) => {
  const permissions: PermissionRule[] = [{ allow: "*" }, { deny: "delegate", when: { "args.tier": "admin" } }];
  expect(resultTexts(await runOnce(await crew(call), { ...options, permissions }))).toEqual([why]);
});

test("rules judge a task as the hooks of delegate have left it", async () => {
  const engine = await crew(calls("delegate", { tier: "coder", task: "Write it." }));
  engine.hooks.on("delegate", () => ({ targetTier: "admin" }));
  const seen: unknown[] = [];
  engine.hooks.on(
    "permissionCheck",
    ({ toolName, args, permission }) => void seen.push([toolName, args["tier"], permission]),
  );
  const permissions: PermissionRule[] = [{ allow: "*" }, { deny: "delegate", when: { "args.tier": "admin" } }];
  expect(resultTexts(await runOnce(engine, { ...options, permissions }))).toEqual([denied]);
  expect(seen).toEqual([
    ["delegate", "coder", "allow"],
    ["delegate", "admin", "deny"],
  ]);
});

const secret = "key-4711";

test.each([
  ["delegate", calls("delegate", { tier: "coder", task: `Use ${secret}.` })],
  [
    "pipeline",
    calls("pipeline", {
      task: `Use ${secret}.`,
      stages: [{ tier: "coder" }, { tier: "admin", task: `Not ${secret}.` }],
    }),
  ],
  ["plan", calls("plan", { flow: "parallel", steps: [{ name: "a", tier: "coder", task: `Use ${secret}.` }] })],
  [
    "plan with a tool",
    calls("plan", { flow: "sequence", steps: [{ name: "a", tool: "weather", args: { city: secret } }] }),
  ],
  [
    "plan in a plan",
    calls("plan", {
      flow: "sequence",
      steps: [{ name: "b", flow: "sequence", steps: [{ name: "a", tier: "coder", task: secret }] }],
    }),
  ],
])("what hooks replace in a task is nowhere: %s", async (_, call) => {
  const engine = await crew(call);
  engine.hooks.on("delegate", ({ task }) => ({ task: task.replaceAll(secret, "[key]") }));
  engine.hooks.on("preToolCall", ({ toolName, args }) =>
    toolName === "weather" ? { args: { city: String(args["city"]).replaceAll(secret, "[key]") } } : undefined,
  );
  const session = engine.session(options);
  const result = await session.run("Go");
  const file = path.join(await tempDir(), "session.json");
  await session.save(file);
  expect(JSON.stringify([session.history({ compacted: false }), await readFile(file, "utf8")])).not.toContain(secret);
  expect(JSON.stringify(result.toolCalls)).not.toContain(secret);
  expect(JSON.stringify(result.messages)).toContain("[key]");
});

test("what delegateComplete replaces is nowhere either, where the tier has ended by complete", async () => {
  const engine = await crew(
    calls("delegate", { tier: "coder", task: "Write." }),
    calls("complete", { summary: `It is ${secret}.` }),
  );
  engine.hooks.on("delegateComplete", ({ summary }) => ({ summary: summary.replaceAll(secret, "[key]") }));
  const session = engine.session(options);
  expect(resultTexts(await session.run("Go"))).toEqual(["It is [key].\n[conversation coder-1]"]);
  const file = path.join(await tempDir(), "session.json");
  await session.save(file);
  const text = await readFile(file, "utf8");
  expect(text).not.toContain(secret);
  expect(text).toContain("It is [key].");
});
