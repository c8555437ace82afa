import { expect, test } from "vitest";
import { cancel, type Engine, type SessionOptions } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { asks, runOnce, resultTexts, tools } from "../support/sessions.js";

const json = (value: object): string => JSON.stringify(value);

/** Calls the weather twice; asked aside, it says what is given. */
const open = (aside: string, when: string): Promise<Engine> =>
  openEngine({
    replies: [asks("Oslo"), asks("Rome"), "It is cold."],
    scripts: [{ when, replies: [aside, aside, aside] }],
  });

test("a run whose reflection says HALT ends, with what was thought as the reason, and nothing of it in the history", async () => {
  const engine = await open(json({ monologue: "This leads nowhere.", decision: "HALT" }), "Look at what was done");
  const result = await runOnce(engine, { tools, reflect: true });
  expect(result).toMatchObject({
    finishReason: "halted",
    halt: { by: "reflection", reason: "This leads nowhere." },
    iterations: 1,
  });
  expect(result.messages.length).toBe(3);
  expect(json(result.messages)).not.toContain("nowhere");
});

test("reflection has its own prompt, and comes after each iteration with tool calls", async () => {
  const engine = await open(json({ monologue: "Fine.", decision: "PROCEED" }), "Is it any good?");
  const order: unknown[] = [];
  engine.hooks.on("reflection", ({ iteration }) => void order.push(iteration));
  engine.hooks.on("stateChange", ({ current }) => void order.push(current));
  engine.hooks.on("iterationEnd", () => void order.push("end"));
  const { text, usage } = await runOnce(engine, { tools, reflect: true, reflectionPrompt: "Is it any good?" });
  expect(text).toBe("It is cold.");
  expect(usage.completionTokens).toBeGreaterThan(40);
  const once = (n: number): unknown[] => ["WAITING_TOOL", "EXECUTING", "VERIFYING", "EXECUTING", n, "end"];
  expect(order).toEqual(["PLANNING", "EXECUTING", ...once(1), ...once(2), "end", "COMPLETE", "IDLE"]);
});

test("a reflection that fails is an error that is reported, and the run continues", async () => {
  const engine = await open("?", "Look at what was done");
  const errors: string[] = [];
  engine.hooks.on("error", ({ where, message }) => void errors.push(`${where}: ${message}`));
  engine.hooks.on(
    "preGenerate",
    ({ messages }) => (messages.at(-1)?.content.startsWith("Look at") ? cancel("no time") : undefined),
    { name: "clock" },
  );
  expect((await runOnce(engine, { tools, reflect: true })).text).toBe("It is cold.");
  expect(errors).toEqual(
    Array.from({ length: 2 }, () => "reflection: the reflection failed: it was stopped by clock: no time"),
  );
});

test("the critic denies a tool call, the model gets the reason, and toolValidation says who judged", async () => {
  const engine = await open(json({ reason: "Oslo is not needed", decision: "DENY" }), "Is it needed?");
  const seen: unknown[] = [];
  engine.hooks.on("toolValidation", ({ validator, allowed, reason }) => void seen.push([validator, allowed, reason]));
  const result = await runOnce(engine, { tools, criticPrompt: "Is it needed?" });
  expect(resultTexts(result)).toEqual(Array.from({ length: 2 }, () => "rejected by the critic: Oslo is not needed"));
  expect(result.toolCalls).toMatchObject([{ resultKind: "rejected_schema" }, { resultKind: "rejected_schema" }]);
  expect(seen.slice(0, 2)).toEqual([
    ["schema", true, null],
    ["critic", false, "Oslo is not needed"],
  ]);
});

test("the critic allows a tool call", async () => {
  const engine = await open(json({ reason: "fine", decision: "ALLOW" }), "Is it needed?");
  expect(resultTexts(await runOnce(engine, { tools, criticPrompt: "Is it needed?" }))).toEqual([
    "Oslo: 4 degrees",
    "Rome: 4 degrees",
  ]);
});

test("a critic that fails refuses: nothing runs unjudged", async () => {
  const engine = await open("?", "Is it needed?");
  engine.hooks.on(
    "preGenerate",
    ({ messages }) => (messages.at(-1)?.content.includes("Is it needed?") ? cancel("no") : undefined),
    { name: "strict" },
  );
  const result = await runOnce(engine, { tools, criticPrompt: "Is it needed?" });
  expect(resultTexts(result)[0]).toBe("error: the critic failed: it was stopped by strict: no");
});

test.each([
  ["no reason", json({ reason: "", decision: "DENY" }), /^rejected by the critic: no reason given$/],
  ["nothing", "", /^error: the critic failed: the model gave an empty answer$/],
  ["what is not JSON", "?", /^error: the critic failed: the answer: not JSON\b/],
  ["another object", "{}", /^error: the critic failed: the answer: +lacks "reason"$/],
])("a critic that gives %s, which only a hook can have it say, refuses", async (_, response, text) => {
  const engine = await open("", "Is it needed?");
  engine.hooks.on("preGenerate", ({ messages }) =>
    messages.at(-1)?.content.includes("Is it needed?") ? { response } : undefined,
  );
  expect(resultTexts(await runOnce(engine, { tools, criticPrompt: "Is it needed?" }))[0]).toMatch(text);
});

test("a critic that maxRunTokens cuts off refuses", async () => {
  const engine = await open(json({ reason: "fine, all of it", decision: "ALLOW" }), "Is it needed?");
  const lengths: number[] = [];
  engine.hooks.on("postGenerate", ({ usage }) => void lengths.push(usage.completionTokens));
  await runOnce(engine, { tools, criticPrompt: "Is it needed?" });
  const [call = 0, judged = 0] = lengths;
  const result = await runOnce(engine, { tools, criticPrompt: "Is it needed?", maxRunTokens: call + judged - 1 });
  expect(resultTexts(result)).toEqual(["error: the critic failed: the run may generate no more tokens"]);
  expect(result).toMatchObject({ finishReason: "limit", limit: "maxRunTokens" });
});

/** The questions that the engine asks the model besides the run: each is the last message of its prompt. */
async function questions(options: SessionOptions): Promise<string[]> {
  const engine = await openEngine([asks("Oslo"), "It is cold."]);
  const seen: string[] = [];
  engine.hooks.on("preGenerate", ({ messages }) => void seen.push(messages.at(-1)?.content ?? ""));
  await runOnce(engine, { tools, ...options });
  return seen.filter((content) => content.includes("\nAnswer with JSON: "));
}

test("what the critic and the reflection are asked", async () => {
  expect(await questions({ criticPrompt: "Is it needed?" })).toEqual([
    'Hello\n\nThe tool weather is about to be called with {"city":"Oslo"}.\nIs it needed?\n' +
      'Answer with JSON: {"reason": why, "decision": "ALLOW" or "DENY"}.',
  ]);
  const how = '\nAnswer with JSON: {"monologue": your thoughts, "decision": "PROCEED" or "HALT"}.';
  expect(await questions({ reflect: true })).toEqual([
    `Look at what was done so far: does it lead to what was asked?${how}`,
  ]);
  expect(await questions({ reflect: true, reflectionPrompt: "Is it any good?" })).toEqual([`Is it any good?${how}`]);
});

test("what is asked aside has the parameters of the run, and nothing that ends the answers of the conversation", async () => {
  const says = (decision: string) => json({ monologue: "Go. Stop here.", decision });
  const engine = await openEngine({
    replies: [asks("Oslo"), "It is cold."],
    scripts: [
      { when: "Is it wise?", replies: [json({ reason: "Stop here.", decision: "ALLOW" })] },
      { when: "Look at what was done", replies: [says("PROCEED"), says("PROCEED")] },
    ],
  });
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ params }) => void seen.push([params.seed, params.stop, params.ignoreEos]));
  const errors: string[] = [];
  engine.hooks.on("error", ({ message }) => void errors.push(message));
  const session = engine.session({ tools, reflect: true, criticPrompt: "Is it wise?", temperature: 0, stop: ["Stop"] });
  expect(resultTexts(await session.run("Go", { seed: 7 }))).toEqual(["Oslo: 4 degrees"]);
  const aside = [7, [], false];
  const own = [7, ["Stop"], false];
  expect([errors, seen]).toEqual([[], [own, aside, aside, own]]);
});
