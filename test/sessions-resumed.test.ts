// Conversations with tiers that are gone on with by their names: whose they are.
import { expect, test } from "vitest";
import { tool } from "../src/index.js";
import { openEngine } from "./support/engine.js";
import { calls, runOnce, told } from "./support/sessions.js";

const controlTools = ["delegate"] as const;
const delegates = (tier: string, resume?: string) =>
  calls("delegate", { tier, task: "Do it.", ...(resume !== undefined && { resume }) });

test("a conversation is resumed with the tier that it was begun with, and no other", async () => {
  const engine = await openEngine({
    replies: [delegates("a-b"), delegates("a", "a-b-1"), delegates("a-b", "a-b-1"), "Done."],
    scripts: [{ when: "You are a-b.", replies: ["First.", "Second."] }],
  });
  const tiers = { lead: {}, a: { system: "You are a." }, "a-b": { system: "You are a-b." } };
  expect(told(await runOnce(engine, { tier: "lead", tiers, controlTools }))).toEqual([
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
