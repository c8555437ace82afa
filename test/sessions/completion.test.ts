import { expect, test } from "vitest";
import { cancel } from "../../src/index.js";
import { openEngine, rejection } from "../support/engine.js";
import { asks, calls, clock, runOnce, resultTexts, tools } from "../support/sessions.js";

const completes = (summary: string) => calls("complete", { summary });

test("a completion ends the run with its summary, after the other calls of its message", async () => {
  const both = { toolCalls: [...completes("All seen.").toolCalls, ...asks("Oslo").toolCalls] };
  const engine = await openEngine([both]);
  const states: string[] = [];
  engine.hooks.on("stateChange", ({ current }) => void states.push(current));
  const heard: unknown[] = [];
  engine.hooks.on("complete", ({ toolResults }) => void heard.push(toolResults));
  const result = await runOnce(engine, { controlTools: ["complete"] });
  expect(result).toMatchObject({ finishReason: "complete", text: "All seen.", iterations: 1 });
  expect(resultTexts(result)).toEqual(["completed", "Oslo: 4 degrees"]);
  expect(heard).toEqual([[{ name: "weather", content: "Oslo: 4 degrees" }]]);
  expect(states).toEqual(["PLANNING", "EXECUTING", "WAITING_TOOL", "VERIFYING", "COMPLETE", "IDLE"]);
});

test("a completion that is rejected again and again ends the run with a limit", async () => {
  const engine = await openEngine({ replies: [completes("Done.")], afterLast: "repeat" });
  engine.hooks.on("complete", () => cancel("no"));
  const result = await runOnce(engine, {
    controlTools: ["complete"],
    maxCompletionRejections: 2,
    maxIdenticalCalls: 10,
  });
  expect(result).toMatchObject({ finishReason: "limit", limit: "maxCompletionRejections", iterations: 3 });
  const whole = result.messages.flatMap(({ toolCalls = [] }) => toolCalls).length;
  expect(resultTexts(result).length).toBe(whole);
});

test("of two completions in one message the second is not heard; without the option there is none", async () => {
  const twice = { toolCalls: [...completes("One.").toolCalls, ...completes("Two.").toolCalls] };
  const result = await runOnce(await openEngine([twice]), { controlTools: ["complete"] });
  expect([result.text, ...resultTexts(result)]).toEqual(["One.", "completed", "not run: completed already"]);
  const engine = await openEngine([asks("Oslo"), "Well."]);
  engine.hooks.on("preToolCall", () => ({ toolName: "complete", args: { summary: "x" } }));
  expect(resultTexts(await runOnce(engine))).toEqual(["unknown tool complete; there are: weather, clock"]);
  expect(() => engine.session({ controlTools: ["complete"], tools: [{ ...clock, name: "complete" }] })).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }) as Error,
  );
});

test("hooks and rules judge a completion as any other call, and its summary is checked", async () => {
  const engine = await openEngine([completes("Done."), "Well."]);
  const result = await runOnce(engine, { controlTools: ["complete"], permissions: [{ deny: "complete" }] });
  expect(resultTexts(result)).toEqual(["denied: the rule deny complete"]);
  engine.hooks.on("preToolCall", () => ({ args: {} }));
  expect(resultTexts(await runOnce(engine, { controlTools: ["complete"] }))[0]).toMatch(
    /^invalid arguments: .*summary/,
  );
});

test("what is injected may take injectionReserve tokens; more ends the run with an error that names the hook", async () => {
  const engine = await openEngine(["Hello."]);
  const session = engine.session({ injectionReserve: 20 });
  const hook = engine.hooks.on("contextAssemble", () => ({ inject: [{ content: "word ".repeat(50) }] }), {
    name: "chatty",
  });
  expect(await rejection(session.run("Hi"))).toMatchObject({
    code: "INJECTION_OVERFLOW",
    message: expect.stringMatching(/chatty .* tokens, and injectionReserve is 20/) as string,
  });
  hook.dispose();
  expect((await session.run("Hi")).text).toBe("Hello.");
});

test("a durable part is stored as its own message; others are gone, and the prefix stays in the cache", async () => {
  const engine = await openEngine(["One.", "Two.", "Three."]);
  let turn = 0;
  engine.hooks.on("contextAssemble", () => ({
    inject: [
      { content: `It is ${++turn} o'clock.` },
      ...(turn === 1 ? [{ content: "Remember me.", durable: true }] : []),
    ],
  }));
  const session = engine.session({ system: "Be a good clock, and say what you know in few words.".repeat(4), tools });
  const results = [await session.run("First"), await session.run("Second"), await session.run("Third")];
  expect(results.map(({ text }) => text)).toEqual(["One.", "Two.", "Three."]);
  expect(session.history().map(({ content }) => content)).toEqual([
    "First",
    "Remember me.",
    "One.",
    "Second",
    "Two.",
    "Third",
    "Three.",
  ]);
  for (const { usage } of results.slice(1)) expect(usage.cachedTokens).toBeGreaterThan(0.6 * usage.promptTokens);
});

test("explicitCompletion: an answer without a call does not end the run, and the model learns so", async () => {
  const engine = await openEngine([asks("Oslo"), "It is cold.", completes("Oslo has 4 degrees.")]);
  const result = await runOnce(engine, { controlTools: ["complete"], explicitCompletion: true });
  expect(result).toMatchObject({ finishReason: "complete", text: "Oslo has 4 degrees.", iterations: 3 });
  expect(result.messages.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual([
    "Hello",
    "[NOT COMPLETE] call the tool complete when the work is done, with a summary of it",
  ]);
  const never = await openEngine({ replies: ["Well."], afterLast: "repeat" });
  expect(
    await runOnce(never, { controlTools: ["complete"], explicitCompletion: true, maxCompletionRejections: 2 }),
  ).toMatchObject({ finishReason: "limit", limit: "maxCompletionRejections", iterations: 3, text: "Well." });
});

test("a tier has its own explicitCompletion, which needs the tool", async () => {
  const engine = await openEngine({
    replies: [{ toolCalls: [{ name: "delegate", args: { tier: "coder", task: "Write it." } }] }, "Done."],
    scripts: [{ when: "You write code.", replies: ["It is written.", completes("All written.")] }],
  });
  const coder = { system: "You write code.", explicitCompletion: true };
  const options = { controlTools: ["delegate", "complete"] as const, tiers: { coder } };
  const result = await runOnce(engine, options);
  expect(resultTexts(result)).toEqual(["All written.\n[conversation coder-1]"]);
  expect(result).toMatchObject({ finishReason: "complete", text: "Done.", iterations: 2 });
  for (const wrong of [
    { explicitCompletion: true },
    { controlTools: ["complete"] as const, tiers: { coder: { ...coder, tools: [] } } },
  ])
    expect(() => engine.session(wrong)).toThrow(
      expect.objectContaining({
        code: "INVALID_ARGUMENT",
        message: expect.stringMatching(/explicitCompletion needs the control tool complete/) as string,
      }) as Error,
    );
});

test("the same completion may be rejected until maxCompletionRejections, and needs no room among the tool calls", async () => {
  const engine = await openEngine({ replies: [asks("Oslo"), completes("Done.")], afterLast: "repeat" });
  let heard = 0;
  engine.hooks.on("complete", () => (++heard < 6 ? cancel("no") : undefined));
  const limits = { maxCompletionRejections: 5, maxToolCalls: 1, maxCallsInARow: 1, maxIdenticalCalls: 1 };
  const result = await runOnce(engine, { controlTools: ["complete"], explicitCompletion: true, ...limits });
  expect([heard, result.finishReason, result.text]).toEqual([6, "complete", "Done."]);
  expect(resultTexts(result).slice(0, 2)).toEqual(["Oslo: 4 degrees", "rejected: no"]);
});
