// A name of a tier that the session does not have is an error wherever one is named, and the message lists those it has.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import type { Plan, SessionOptions } from "../../../src/index.js";
import { openEngine, rejection, tempDir } from "../../support/engine.js";
import { calls, directs, resultTexts } from "../../support/sessions.js";

const tiers = { lead: { system: "You are lead." }, readonly: { permissions: [{ deny: "*" }] } };
const options = {
  tools: [directs],
  tier: "lead",
  tiers,
  controlTools: ["delegate", "pipeline", "plan"],
  temperature: 0,
} satisfies SessionOptions;
const there = "unknown tier readonyl; there are: lead, readonly";

test("the tier of a session and of one that is restored", async () => {
  const engine = await openEngine(["Hello."]);
  const file = path.join(await tempDir(), "session.json");
  await engine.session(options).save(file);
  const wrong = { ...options, tier: "readonyl" };
  const refused = { code: "INVALID_ARGUMENT", message: expect.stringContaining(there) as string };
  expect(await rejection((async () => engine.session(wrong))())).toMatchObject(refused);
  expect(await rejection((async () => engine.restoreSession(file, wrong))())).toMatchObject(refused);
  // Without tiers it is a name that hooks are shown.
  expect(engine.session({ tier: "readonyl" }).id).toMatch(/^session-/);
});

test.each<[string, Plan, string]>([
  ["a step", { flow: "sequence", steps: [{ tier: "readonyl", task: "x" }] }, "plan.steps[0].tier"],
  [
    "a step within a plan",
    {
      flow: "sequence",
      steps: [
        { tier: "lead", task: "x" },
        { flow: "parallel", steps: [{ tier: "readonyl", task: "x" }] },
      ],
    },
    "plan.steps[1].steps[0].tier",
  ],
])("%s of a plan that a run is given; nothing is said then", async (_, plan, where) => {
  const session = (await openEngine(["Hello."])).session(options);
  expect(await rejection(session.run("Go", { plan }))).toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining(`${where}: ${there}`) as string,
  });
  expect(session.history()).toEqual([]);
  expect(await session.run("Go")).toMatchObject({ text: "Hello." });
});

const handedOn = { tier: "readonyl", task: "x" };
test.each([
  ["delegate", handedOn, `[delegate: ${there}]`],
  ["delegate", { ...handedOn, resume: "readonly-1" }, `[delegate: ${there}]`],
  ["pipeline", { task: "x", stages: [{ tier: "readonyl" }] }, `[pipeline: stage 1 of 1: ${there}]`],
])("a directive %s %j", async (type, params, text) => {
  const engine = await openEngine([calls("directs", { directives: [{ type, params }] }), "Done."]);
  expect(resultTexts(await engine.session(options).run("Go"))).toEqual([`directed\n${text}`]);
});

test("a directive tier_change, and what a delegate hook makes of a task", async () => {
  const change = calls("directs", { directives: [{ type: "tier_change", params: { tier: "readonyl" } }] });
  const engine = await openEngine([change, calls("delegate", { tier: "readonly", task: "x" }), "Done."]);
  const errors: string[] = [];
  engine.hooks.on("error", ({ message }) => void errors.push(message));
  engine.hooks.on("delegate", () => ({ targetTier: "readonyl" }));
  expect(resultTexts(await engine.session(options).run("Go"))).toEqual(["directed", there]);
  expect(errors).toEqual([`the directive tier_change of the tool directs: ${there}`]);
});

test.each<[string, RegExp, string]>([
  ["its conversation", /"tier":"lead"/, '"tier":"readonyl"'],
  ["who delegated to a conversation", /"above":\["lead"\]/, '"above":["readonyl"]'],
  ["a conversation's name", /"readonly-1":/, '"readonyl-1":'],
  ["an answer that is remembered", /"tier":"lead","tool"/, '"tier":"readonyl","tool"'],
])("a saved session: %s", async (_, from, to) => {
  const engine = await openEngine([calls("delegate", { tier: "readonly", task: "x" }), "Done.", "Done."]);
  engine.hooks.on("permissionCheck", () => ({ permission: "allow", remember: "tool" }));
  const session = engine.session({ ...options, permissions: [{ ask: "delegate" }] });
  await session.run("Go");
  const file = path.join(await tempDir(), "session.json");
  await session.save(file);
  const text = JSON.stringify(JSON.parse(await readFile(file, "utf8")));
  expect(text).toMatch(from);
  await writeFile(file, text.replace(from, to));
  expect(await rejection((async () => engine.restoreSession(file, options))())).toMatchObject({
    code: "SESSION_FILE_INVALID",
    message: expect.stringContaining(there) as string,
  });
});
