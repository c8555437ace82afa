// pig's hooks, line by line: named sets, composed as a list. Must not: judge by what an event said where the model can be
// asked what it received.
import path from "node:path";
import { expect, test } from "vitest";
import {
  cancel,
  type Decision,
  decideMessages,
  decideToolCall,
  decideToolResult,
  defineHooks,
  type Engine,
  type HookSet,
  type Message,
  notify,
  tool,
} from "../../src/index.js";
import { openEngine, tempDir } from "../support/engine.js";
import { gate } from "../support/gate.js";
import { lastHeard, listen } from "../support/prompts.js";
import { bare, asks, calls, clock, expectWhole, fails, runOnce, resultTexts, weather } from "../support/sessions.js";

const orig = tool({ name: "orig", run: () => "orig" });
const openOrig = (): Promise<Engine> => openEngine([calls("orig"), "I see."]);
const adds = (name: string): HookSet =>
  defineHooks(name, { postToolCall: ({ result }) => ({ result: `${result} +${name}` }) });

test("a set has a name and one handler a point", async () => {
  const engine = await openOrig();
  engine.hooks.use(defineHooks("audit", { preToolCall: () => cancel("closed"), postGenerate: () => undefined }));
  expect(engine.hooks.list().map(({ name, point }) => `${name} ${point}`)).toEqual([
    "audit postGenerate",
    "audit preToolCall",
  ]);
  expect(resultTexts(await runOnce(engine, { tools: [orig] }))).toEqual(["blocked by audit: closed"]);
  const twice = { preToolCall: () => undefined, PRE_TOOL_CALL: () => undefined };
  expect(() => defineHooks("twice", twice)).toThrow(/"twice" has two handlers for preToolCall/);
  expect(() => defineHooks("", {})).toThrow(TypeError);
});

test("the defaults of a set change nothing", async () => {
  const plain = await openOrig();
  const hooked = await openOrig();
  const [before, after] = [listen(plain), listen(hooked)];
  const first = await runOnce(plain, { tools: [orig] });
  hooked.hooks.use([defineHooks("none", {}), defineHooks("idle", { preToolCall: () => undefined, complete() {} })]);
  const second = await runOnce(hooked, { tools: [orig] });
  const withoutIds = (messages: readonly Message[]): string =>
    JSON.stringify(bare(messages)).replaceAll(/call_\w+/g, "");
  expect(withoutIds(second.messages)).toBe(withoutIds(first.messages));
  expect(await after()).toEqual(await before());
});

test("sets run in the order of the list", async () => {
  const engine = await openOrig();
  const prompts = listen(engine);
  engine.hooks.use([adds("c"), adds("a"), adds("b")]);
  await runOnce(engine, { tools: [orig] });
  expect(await lastHeard(prompts)).toContain("\norig +c +a +b\n");
});

test("session start comes with the restored history, session shutdown with the history and the iterations", async () => {
  const engine = await openEngine([calls("orig"), "I see.", "Again."]);
  const seen: unknown[] = [];
  const said = (history: readonly Message[]): string[] => history.map(({ content }) => content);
  engine.hooks.use(
    defineHooks("sessions", {
      sessionStart: ({ history }) => void seen.push(["start", said(history)]),
      sessionEnd: ({ history, iterations }) => void seen.push(["end", said(history), iterations]),
    }),
  );
  const session = engine.session({ tools: [orig], temperature: 0 });
  await session.run("Hello");
  const file = path.join(await tempDir(), "session.json");
  await session.save(file);
  await session.close();
  const restored = engine.restoreSession(file, { tools: [orig], temperature: 0 });
  expect((await restored.run("More")).text).toBe("Again.");
  await restored.close();
  const first = ["Hello", "", "orig", "I see."];
  expect(seen).toEqual([
    ["start", []],
    ["end", first, 2],
    ["start", first],
    ["end", [...first, "More", "Again."], 3],
  ]);
});

test("before inference: the model's name and the messages; after inference: the model, the message, the duration", async () => {
  const engine = await openOrig();
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ messages, meta }) => void seen.push([meta.modelId, messages.length]));
  engine.hooks.on("postGenerate", ({ content, toolCalls, usage, meta }) => {
    seen.push([meta.modelId, content, toolCalls.map(({ name }) => name)]);
    expect(usage.promptMs + usage.decodeMs).toBeGreaterThan(0);
  });
  await runOnce(engine, { tools: [orig] });
  expect(seen).toEqual([
    ["default", 1],
    ["default", "", ["orig"]],
    ["default", 3],
    ["default", "I see.", []],
  ]);
});

test("error: what went wrong while it ran", async () => {
  const engine = await openEngine([calls("fails"), "I see."]);
  const seen: unknown[] = [];
  engine.hooks.on("error", ({ code, where, meta }) => void seen.push([code, where, meta.modelId]));
  await runOnce(engine, { tools: [fails] });
  expect(seen).toEqual([["TOOL_FAILED", "tool:fails", "default"]]);
});

test("complete: the final message and the iterations", async () => {
  const engine = await openOrig();
  const seen: unknown[] = [];
  engine.hooks.on("loopEnd", ({ finalState, response, iterations, meta }) => {
    seen.push([finalState, response, iterations, meta.modelId]);
  });
  await runOnce(engine, { tools: [orig] });
  expect(seen).toEqual([["COMPLETE", "I see.", 2, "default"]]);
});

test("tool call: the first block wins, later sets are not asked, and the model receives who blocked and why", async () => {
  const engine = await openOrig();
  const prompts = listen(engine);
  const asked: string[] = [];
  const set = (name: string, reason?: string): HookSet =>
    defineHooks(name, {
      preToolCall: ({ toolName, toolCallId, args }) => {
        asked.push(`${name}: ${toolName} ${typeof toolCallId} ${JSON.stringify(args)}`);
        return reason === undefined ? undefined : cancel(reason);
      },
    });
  engine.hooks.use([set("lax"), set("strict", "not on Sundays"), set("stricter", "never")]);
  await runOnce(engine, { tools: [orig] });
  expect(asked).toEqual(["lax: orig string {}", "strict: orig string {}"]);
  expect(await lastHeard(prompts)).toContain("<tool_response>\nblocked by strict: not on Sundays\n</tool_response>");
});

test("tool result: replacements chain, orig -> orig +1 -> orig +1 +2, and the model gets the last", async () => {
  const engine = await openOrig();
  const prompts = listen(engine);
  const shown: string[] = [];
  engine.hooks.use([
    adds("1"),
    defineHooks("look", { postToolCall: ({ result }) => void shown.push(result) }),
    adds("2"),
  ]);
  const { toolCalls } = await runOnce(engine, { tools: [orig] });
  expect(shown).toEqual(["orig +1"]);
  expect(toolCalls).toMatchObject([{ result: "orig +1 +2" }]);
  expect(await lastHeard(prompts)).toContain("<tool_response>\norig +1 +2\n</tool_response>");
});

test("tool result: isError can be replaced, too; name, id and duration pass unchanged", async () => {
  const engine = await openOrig();
  const seen: unknown[] = [];
  const note = defineHooks("note", {
    postToolCall: ({ toolName, toolCallId, elapsedMs, isError }) =>
      void seen.push([toolName, toolCallId, elapsedMs, isError]),
  });
  engine.hooks.use([
    note,
    defineHooks("judge", { postToolCall: () => ({ result: "bad", isError: true }) }),
    note,
    defineHooks("forger", { postToolCall: () => ({ toolName: "other" }) as never }),
    note,
  ]);
  const { toolCalls } = await runOnce(engine, { tools: [orig] });
  const [{ id } = {}] = toolCalls;
  expect(toolCalls).toMatchObject([{ name: "orig", result: "bad", isError: true }]);
  const elapsed = expect.any(Number) as number;
  expect(seen).toEqual([false, true, true].map((isError) => ["orig", id, elapsed, isError]));
  expect(new Set(seen.map((one) => (one as unknown[])[2])).size).toBe(1);
});

test("messages: replacements chain, and the model is asked with the last", async () => {
  const engine = await openEngine(["One."]);
  const prompts = listen(engine);
  const says = (content: string): HookSet =>
    defineHooks(content, { preGenerate: ({ messages }) => ({ messages: [...messages, { role: "user", content }] }) });
  engine.hooks.use([says("first"), says("second")]);
  const { messages } = await runOnce(engine, { tools: [] }, "Hello");
  expect(await lastHeard(prompts)).toContain(
    "user\nHello<|im_end|>\n<|im_start|>user\nfirst<|im_end|>\n<|im_start|>user\nsecond<|im_end|>\n<|im_start|>assistant",
  );
  expect(messages.map(({ content }) => content)).toEqual(["Hello", "One."]);
});

test("a batch: all calls are decided on before any runs, allowed ones run at once, results come in the order of the calls", async () => {
  const names = ["slow", "barred", "quick"];
  const engine = await openEngine([{ toolCalls: names.map((name) => ({ name, args: {} })) }, "I see."]);
  const prompts = listen(engine);
  const quickIsDone = gate();
  const order: string[] = [];
  const tools = [
    tool({ name: "slow", run: () => (order.push("run slow"), quickIsDone.passed.then(() => "slow")) }),
    tool({ name: "barred", run: () => (order.push("run barred"), "barred") }),
    tool({ name: "quick", run: () => (order.push("run quick"), quickIsDone.open(), "quick") }),
  ];
  engine.hooks.on(
    "preToolCall",
    ({ toolName }) => (order.push(`decide ${toolName}`), toolName === "barred" ? cancel("not you") : undefined),
    { name: "door" },
  );
  const { messages } = await runOnce(engine, { tools });
  expect(order).toEqual(["decide slow", "decide barred", "decide quick", "run slow", "run quick"]);
  expectWhole(messages);
  expect(await lastHeard(prompts)).toContain(
    ["slow", "blocked by door: not you", "quick"].map((one) => `<tool_response>\n${one}\n</tool_response>`).join("\n"),
  );
});

test("pure helpers decide without an engine: the first block wins, replacements chain, observers receive the result", () => {
  const asked: string[] = [];
  const set = (name: string, reason?: string): HookSet =>
    defineHooks(name, {
      preToolCall: () => (asked.push(name), reason === undefined ? undefined : cancel(reason)),
      preGenerate: ({ messages }) => ({ messages: [...messages, { role: "user", content: name }] }),
      loopEnd: ({ response }) => void asked.push(`${name} saw ${response}`),
    });
  const sets = [set("lax"), set("strict", "not on Sundays"), set("stricter", "never")];
  expect(decideToolCall(sets, { toolName: "orig", args: {} })).toMatchObject({
    outcome: "cancelled",
    by: "strict",
    reason: "not on Sundays",
  });
  const { event } = decideMessages(sets, { messages: [{ role: "user", content: "Hello" }] });
  expect(event.messages.map(({ content }) => content)).toEqual(["Hello", "lax", "strict", "stricter"]);
  const { event: result } = decideToolResult([adds("1"), adds("2")], { toolName: "orig", result: "orig" });
  expect(result.result).toBe("orig +1 +2");
  notify(sets, "loopEnd", { response: "I see." });
  expect(asked).toEqual(["lax", "strict", "lax saw I see.", "strict saw I see.", "stricter saw I see."]);
});

test("decisions: unchanged with the original, or changed with those who acted in their order; an equal value is not an answer, in the engine alike", async () => {
  const same = defineHooks("same", { postToolCall: ({ result }) => ({ result }) });
  const whole = defineHooks("whole", { postToolCall: (event) => ({ ...event }) });
  const given = { toolName: "orig", result: "orig" };
  expect(decideToolResult([same, whole], given)).toMatchObject({ outcome: "unchanged", event: given });
  const sets = [adds("2"), same, adds("1"), whole];
  const decided = decideToolResult(sets, given);
  expect(decided).toMatchObject({ outcome: "changed", by: ["2", "1"], event: { result: "orig +2 +1" } });
  const engine = await openOrig();
  engine.hooks.use(sets);
  const { decisions, toolCalls } = await runOnce(engine, { tools: [orig] });
  const outcomes = ({ hooks }: Decision): string[] => hooks.map(({ name, outcome }) => `${name} ${outcome}`);
  expect(outcomes(decided.decision)).toEqual(["2 modified", "same proceed", "1 modified", "whole proceed"]);
  expect(decisions.filter(({ point }) => point === "postToolCall").map(outcomes)).toEqual([outcomes(decided.decision)]);
  expect(toolCalls).toMatchObject([{ result: decided.event.result }]);
});

test("sets for one session and for one run, beside the engine's; once is the first call alone", async () => {
  const engine = await openEngine([calls("orig"), "One.", calls("orig"), "Two.", calls("orig"), "Three."]);
  engine.hooks.use(adds("engine"));
  const [mine, other] = [1, 2].map(() => engine.session({ tools: [orig], temperature: 0 }));
  mine?.hooks.use(adds("session"));
  mine?.hooks.on("postToolCall", ({ result }) => ({ result: `${result} +once` }), { once: true });
  const results = [
    await mine?.run("Hello", { hooks: adds("run") }),
    await mine?.run("Again"),
    await other?.run("Hello"),
  ].map((run) => run?.toolCalls[0]?.result);
  expect(results).toEqual(["orig +engine +session +once +run", "orig +engine +session", "orig +engine"]);
});

test("theirs fails, ours not: a replaced result reaches the model", async () => {
  const engine = await openEngine([asks("Oslo"), "I see.", "Still."]);
  const prompts = listen(engine);
  engine.hooks.use(defineHooks("mask", { postToolCall: () => ({ result: "[masked]" }) }));
  const session = engine.session({ tools: [weather], temperature: 0 });
  await session.run("Hello");
  await session.run("And?");
  const [, second, third] = await prompts();
  for (const prompt of [second, third]) {
    expect(prompt).toContain("<tool_response>\n[masked]\n</tool_response>");
    expect(prompt).not.toContain("4 degrees");
  }
});

test("theirs fails, ours not: session hooks are called, when a session is closed with its engine, too", async () => {
  const engine = await openEngine(["One."]);
  const seen: string[] = [];
  engine.hooks.on("sessionStart", () => void seen.push("start"));
  engine.hooks.on("sessionEnd", ({ history }) => void seen.push(`end ${history.length}`));
  await engine.session({ temperature: 0 }).run("Hello");
  await engine.close();
  expect(seen).toEqual(["start", "end 2"]);
});

test("theirs fails, ours not: hooks stay when a session is restored, forked, or its model loaded again", async () => {
  const engine = await openEngine([calls("orig"), "One.", calls("orig"), "Two."]);
  const prompts = listen(engine);
  engine.hooks.use(adds("hook"));
  const options = { tools: [orig], temperature: 0 };
  const session = engine.session(options);
  await session.run("Hello");
  const file = path.join(await tempDir(), "session.json");
  await session.save(file);
  const { path: model } = engine.models.describe("default");
  await engine.models.unload("default");
  await engine.models.load("default", { path: model, threads: 1 });
  for (const one of [session.fork(), engine.restoreSession(file, options), session]) {
    await one.run("Again");
    const prompt = await lastHeard(prompts);
    expect(prompt.split("<tool_response>\norig +hook\n</tool_response>").length).toBe(3);
  }
});

test("theirs fails, ours not: a set that throws takes no other with it", async () => {
  const engine = await openOrig();
  const prompts = listen(engine);
  const errors: string[] = [];
  const broken = () => {
    throw new Error("broken");
  };
  engine.hooks.use([
    adds("before"),
    defineHooks("broken", { preGenerate: broken, preToolCall: broken, postToolCall: broken, loopEnd: broken }),
    adds("after"),
    defineHooks("errors", { error: ({ code, where }) => void errors.push(`${code} ${where}`) }),
  ]);
  const { finishReason, text } = await runOnce(engine, { tools: [orig, clock] });
  expect([finishReason, text]).toEqual(["complete", "I see."]);
  expect(await lastHeard(prompts)).toContain("\norig +before +after\n");
  expect(new Set(errors)).toEqual(
    new Set(
      ["preGenerate", "preToolCall", "postToolCall", "loopEnd"].map((point) => `HOOK_FAILED hook:broken@${point}`),
    ),
  );
});
