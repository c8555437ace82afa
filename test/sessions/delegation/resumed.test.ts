// Conversations with tiers that are gone on with by their names: whose they are.
import { expect, test } from "vitest";
import { cancel, type Engine, type PermissionRule, type RunEvent, tool } from "../../../src/index.js";
import { openEngine } from "../../support/engine.js";
import { calls, directs, runOnce, resultTexts } from "../../support/sessions.js";

const controlTools = ["delegate"] as const;
const delegates = (tier: string, resume?: string) =>
  calls("delegate", { tier, task: "Do it.", ...(resume !== undefined && { resume }) });

test("a conversation is resumed with the tier that it was begun with, and no other", async () => {
  const engine = await openEngine({
    replies: [delegates("a-b"), delegates("a", "a-b-1"), delegates("a-b", "a-b-1"), "Done."],
    scripts: [{ when: "You are a-b.", replies: ["First.", "Second."] }],
  });
  const tiers = { lead: {}, a: { system: "You are a." }, "a-b": { system: "You are a-b." } };
  expect(resultTexts(await runOnce(engine, { tier: "lead", tiers, controlTools }))).toEqual([
    "First.\n[conversation a-b-1]",
    "unknown conversation a-b-1 with a",
    "Second.\n[conversation a-b-1]",
  ]);
});

test("a conversation that has become another tier is in no run of that tier", async () => {
  const turns = tool({
    name: "turns",
    trusted: true,
    run: (_, { directive }) => directive("tier_change", { tier: "tester" }),
  });
  const engine = await openEngine({
    replies: [delegates("coder"), delegates("tester"), "Done."],
    scripts: [
      { when: "You are coder.", replies: [calls("turns")] },
      { when: "You are tester.", replies: ["Turned.", delegates("coder", "coder-1"), "Tested."] },
    ],
  });
  const refused: unknown[] = [];
  engine.hooks.on("postToolCall", ({ result, resultKind }) => {
    if (resultKind === "rejected_limit") refused.push(result);
  });
  const tiers = { lead: {}, coder: { system: "You are coder." }, tester: { system: "You are tester." } };
  await runOnce(engine, { tools: [turns], tier: "lead", tiers, controlTools });
  expect(refused).toEqual(["limit reached: a cycle of tiers, tester > tester"]);
});

const tiers = {
  lead: { system: "You are lead." },
  kid: { system: "You are kid." },
  admin: { system: "You are admin." },
};
const again = { tier: "kid", task: "Go on.", resume: "kid-1" };
const becomesAdmin = calls("directs", { directives: [{ type: "tier_change", params: { tier: "admin" } }] });

/** The lead has a kid do a task, which becomes admin at it, and makes `call` then. */
const grownUp = (...replies: object[]): Promise<Engine> =>
  openEngine({
    replies: ["Who am I?"],
    scripts: [
      { when: "You are lead.", replies: [...replies, "Done."] },
      { when: "You are kid.", replies: [becomesAdmin, "A kid still."] },
      { when: "You are admin.", replies: ["", "Grown up.", "As admin."] },
    ],
  });
const session = (permissions: PermissionRule[] = []) =>
  ({ tools: [directs], tier: "lead", tiers, controlTools: ["delegate", "plan"], permissions }) as const;

test.each([
  ["delegate", calls("delegate", again), ["preToolCall", "permissionCheck"]],
  [
    "a directive",
    calls("directs", { directives: [{ type: "delegate", params: again }] }),
    ["permissionCheck"], // after the hooks of delegate, as they leave it
  ],
  [
    "a step of a plan",
    calls("plan", { flow: "sequence", steps: [{ name: "a", tool: "delegate", args: again }] }),
    ["preToolCall", "permissionCheck"],
  ],
] as const)("a resumed conversation has the tier that will run at every step: %s", async (_, call, asked) => {
  const engine = await grownUp(delegates("kid"), call);
  const seen: unknown[] = [];
  const tierOf = ({ toolName, args }: { toolName: string; args: Readonly<Record<string, unknown>> }, point: string) => {
    if (toolName === "delegate") seen.push([point, args["tier"]]);
  };
  engine.hooks.on("preToolCall", (event) => tierOf(event, "preToolCall"));
  engine.hooks.on("permissionCheck", (event) => tierOf(event, "permissionCheck"));
  engine.hooks.on("delegate", ({ targetTier }) => void seen.push(["delegate", targetTier]));
  engine.hooks.on("delegateComplete", ({ targetTier }) => void seen.push(["delegateComplete", targetTier]));
  const run = engine.session({ ...session(), temperature: 0 }).run("Hello");
  const events: RunEvent[] = [];
  for await (const event of run) if (event.type === "delegation") events.push(event);
  const steps = [["delegate", "admin"], ...asked.map((point) => [point, "admin"]), ["delegateComplete", "admin"]];
  expect(seen.slice(4).toSorted()).toEqual(steps.toSorted());
  expect(events).toMatchObject([{ tier: "kid" }, { tier: "admin", child: "kid-1" }]);
  expect(resultTexts(await run).at(-1)).toContain("As admin.");
});

test.each([
  ["a rule", [{ allow: "*" }, { deny: "delegate", when: { "args.tier": "admin" } }]],
  ["a guard at preToolCall", []],
  ["a guard at delegate", []],
] as const)("%s that forbids a tier forbids the conversation that has become it", async (who, permissions) => {
  const engine = await grownUp(delegates("kid"), calls("delegate", again));
  if (who.endsWith("preToolCall"))
    engine.hooks.guard("preToolCall", ({ args }) => (args["tier"] === "admin" ? cancel("no") : undefined));
  if (who.endsWith("at delegate"))
    engine.hooks.guard("delegate", ({ targetTier }) => (targetTier === "admin" ? cancel("no") : undefined));
  const [first, second] = resultTexts(await runOnce(engine, session([...permissions])));
  expect(first).toContain("[conversation kid-1]");
  expect(second).toMatch(/^(denied: the rule deny delegate when args.tier is admin|blocked by .*: no)$/);
});

test("a conversation that becomes another tier between two calls of a message is judged anew for the second", async () => {
  const engine = await openEngine({
    replies: ["Who am I?"],
    scripts: [
      {
        when: "You are lead.",
        replies: [
          delegates("kid"),
          { toolCalls: [...calls("delegate", again).toolCalls, ...delegates("kid", "kid-1").toolCalls] },
          "Done.",
        ],
      },
      { when: "You are kid.", replies: ["A kid.", becomesAdmin] },
      { when: "You are admin.", replies: ["", "", "Grown up."] },
    ],
  });
  const rules: PermissionRule[] = [{ allow: "*" }, { deny: "delegate", when: { "args.tier": "admin" } }];
  expect(resultTexts(await runOnce(engine, session(rules)))).toEqual([
    "A kid.\n[conversation kid-1]",
    "Grown up.\n[conversation kid-1]",
    "denied: the rule deny delegate when args.tier is admin",
  ]);
});
