// Calute's HookRunner, line by line. Must not: judge by what an event said where the model can be asked what it received.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { cancel, type Engine, pointNames, tool } from "../../src/index.js";
import { openEngine, tempDir } from "../support/engine.js";
import { lastHeard, listen } from "../support/prompts.js";
import { asks, calls, fails, runOnce, resultTexts, weather } from "../support/sessions.js";

const echo = tool({
  name: "echo",
  parameters: {
    type: "object",
    properties: { text: { type: "string", maxLength: 20 } },
    required: ["text"],
    additionalProperties: false,
  },
  run: ({ text }) => `echo:${String(text)}`,
});
const says = (text: string) => calls("echo", { text });
const nothing = (() => undefined) as never;
const openEcho = (): Promise<Engine> => openEngine([says("hi"), "I see.", "Still."]);

test("register: a hook point that there is not is an error that lists those that there are", async () => {
  const engine = await openEngine([], { models: {} });
  const add = () => engine.hooks.on("before_tool_call" as never, nothing);
  expect(add).toThrow(TypeError);
  expect(add).toThrow(/no hook point "before_tool_call"/);
  expect(() => engine.hooks.on(-1 as never, nothing)).toThrow(pointNames.join(", "));
  expect(engine.hooks.list()).toEqual([]);
});

test("unregister: a registration is removed by its own identity, and says whether it was there", async () => {
  const engine = await openEcho();
  const shout = ({ result }: { result: string }) => ({ result: `${result}!` });
  const [first, second] = [engine.hooks.on("postToolCall", shout), engine.hooks.on("postToolCall", shout)];
  expect([first.removed, second.removed]).toEqual([false, false]);
  first.dispose();
  expect([first.removed, second.removed]).toEqual([true, false]);
  first.dispose();
  expect(resultTexts(await runOnce(engine, { tools: [echo] }))).toEqual(["echo:hi!"]);
});

test("clear and has: one point or all of them; a name that there is not is an error", async () => {
  const engine = await openEcho();
  engine.hooks.on("preToolCall", () => cancel("no"));
  engine.hooks.on("postToolCall", () => ({ result: "changed" }));
  engine.hooks.clear("preToolCall");
  expect([engine.hooks.has("preToolCall"), engine.hooks.has("postToolCall")]).toEqual([false, true]);
  expect(resultTexts(await runOnce(engine, { tools: [echo] }))).toEqual(["changed"]);
  engine.hooks.clear();
  expect(engine.hooks.list()).toEqual([]);
  expect(resultTexts(await runOnce(engine, { tools: [echo] }))).toEqual(["echo:hi"]);
  expect(() => engine.hooks.clear("tool_result_persist" as never)).toThrow(/no hook point "tool_result_persist"/);
  expect(() => engine.hooks.has("on_turn_end" as never)).toThrow(/no hook point "on_turn_end"/);
});

test("mutation points chain, and a hook that returns nothing keeps the value", async () => {
  const engine = await openEcho();
  const prompts = listen(engine);
  engine.hooks.on("preToolCall", ({ args }) => ({ args: { text: `${String(args["text"])}1` } }));
  engine.hooks.on("preToolCall", () => undefined);
  engine.hooks.on("preToolCall", ({ args }) => ({ args: { text: `${String(args["text"])}2` } }));
  engine.hooks.on("postToolCall", ({ result }) => ({ result: `${result}+3` }));
  engine.hooks.on("postToolCall", () => undefined);
  engine.hooks.on("postToolCall", ({ result }) => ({ result: `${result}+4` }));
  await runOnce(engine, { tools: [echo] });
  expect(await lastHeard(prompts)).toContain("\necho:hi12+3+4\n");
});

test("what observation points return is collected in order, and is an empty list where there is nothing", async () => {
  const engine = await openEngine(["One.", "Two."]);
  const prompts = listen(engine);
  const seen: unknown[] = [];
  const last = engine.hooks.on("bootstrap", ({ parts }) => void seen.push(parts), { priority: 9 });
  await runOnce(engine, { system: "Be brief.", tools: [] });
  engine.hooks.on("bootstrap", () => ({ parts: ["first", "second"] }));
  engine.hooks.on("bootstrap", () => undefined);
  engine.hooks.on("bootstrap", () => ({ parts: ["third"] }));
  await runOnce(engine, { system: "Be brief.", tools: [] });
  last.dispose();
  expect(seen).toEqual([[], ["first", "second", "third"]]);
  const [without, withParts] = await prompts();
  expect(without).toContain("Be brief.<|im_end|>");
  expect(withParts).toContain("Be brief.\n\nfirst\n\nsecond\n\nthird<|im_end|>");
});

test("before_tool_call: changed arguments are what the tool gets", async () => {
  const engine = await openEcho();
  const prompts = listen(engine);
  engine.hooks.on("preToolCall", () => ({ args: { text: "bye" } }));
  await runOnce(engine, { tools: [echo] });
  expect(await lastHeard(prompts)).toContain("\necho:bye\n");
  expect(await lastHeard(prompts)).not.toContain("hi");
});

test("changed arguments are checked again: schema, permission, duplicate", async () => {
  const schema = await openEcho();
  schema.hooks.on("preToolCall", () => ({ args: { txt: "bye" } }));
  expect(resultTexts(await runOnce(schema, { tools: [echo] }))[0]).toMatch(/^invalid arguments: .*'text'/);

  const permission = await openEcho();
  permission.hooks.on("preToolCall", () => ({ args: { text: "secret" } }));
  const permissions = [{ deny: "echo", when: { "args.text": "secret" } }, { allow: "echo" }];
  expect(resultTexts(await runOnce(permission, { tools: [echo], permissions }))[0]).toMatch(/^denied: /);

  const duplicate = await openEngine([says("one"), says("two"), "I see."]);
  duplicate.hooks.on("preToolCall", () => ({ args: { text: "same" } }));
  expect(resultTexts(await runOnce(duplicate, { tools: [echo], maxIdenticalCalls: 1 }))).toEqual([
    "echo:same",
    "already called with the same arguments; its result was: echo:same",
  ]);
});

test("after_tool_call: the result, also of a call that failed", async () => {
  const engine = await openEngine([calls("fails"), "I see."]);
  const prompts = listen(engine);
  engine.hooks.on("postToolCall", ({ result, isError }) => ({ result: `${result} (${isError})` }));
  await runOnce(engine, { tools: [fails] });
  expect(await lastHeard(prompts)).toContain("\nerror: no (true)\n");
});

test("tool_result_persist: what is stored, in the history and in the saved session alike", async () => {
  const engine = await openEcho();
  engine.hooks.on("toolResultPersist", ({ toolName }) => ({ result: `[${toolName}, cleaned]` }));
  const session = engine.session({ tools: [echo], temperature: 0 });
  await session.run("Hello");
  expect(session.history()[2]).toMatchObject({ role: "tool", content: "[echo, cleaned]" });
  const file = path.join(await tempDir(), "session.json");
  await session.save(file);
  expect(await readFile(file, "utf8")).toContain("[echo, cleaned]");
  expect(await readFile(file, "utf8")).not.toContain("echo:hi");
});

test("bootstrap_files: strings for the system prompt, known by tier", async () => {
  const engine = await openEngine(["One."]);
  const prompts = listen(engine);
  engine.hooks.on("bootstrap", ({ tier }) => ({ parts: [`Files of ${tier}: a.txt`] }));
  await runOnce(engine, { system: "Be brief.", tier: "lead", tools: [] });
  expect(await lastHeard(prompts)).toContain("system\nBe brief.\n\nFiles of lead: a.txt<|im_end|>");
});

test("turn start and turn end, also of a turn that failed, and the error", async () => {
  const engine = await openEcho();
  const seen: unknown[] = [];
  engine.hooks.on("loopStart", ({ messages, tier }) => void seen.push([tier, messages.at(-1)?.content]));
  engine.hooks.on("loopEnd", ({ finalState, response }) => void seen.push([finalState, response]));
  engine.hooks.on("error", ({ code }) => void seen.push(code));
  const session = engine.session({ tools: [echo], tier: "lead", temperature: 0, injectionReserve: 0 });
  await session.run("Hello");
  engine.hooks.on("contextAssemble", () => ({ inject: [{ content: "More than there is room for." }] }));
  await expect(session.run("Again")).rejects.toMatchObject({ code: "INJECTION_OVERFLOW" });
  expect(seen).toEqual([
    ["lead", "Hello"],
    ["COMPLETE", "I see."],
    ["lead", "Again"],
    "INJECTION_OVERFLOW",
    ["ERROR", ""],
  ]);
});

test("the worked chain: the next prompt and the saved session hold exactly ECHO:HOOKED-HI:AFTER", async () => {
  const engine = await openEcho();
  const prompts = listen(engine);
  engine.hooks.on("preToolCall", ({ args }) => ({ args: { text: `HOOKED-${String(args["text"])}` } }));
  engine.hooks.on("postToolCall", ({ result }) => ({ result: `${result}:after` }));
  engine.hooks.on("toolResultPersist", ({ result }) => ({ result: result.toUpperCase() }));
  const session = engine.session({ tools: [echo], temperature: 0 });
  await session.run("Hello");
  expect(await lastHeard(prompts)).toContain("<tool_response>\nECHO:HOOKED-HI:AFTER\n</tool_response>");
  const file = path.join(await tempDir(), "session.json");
  await session.save(file);
  const saved = await readFile(file, "utf8");
  expect(saved).toContain('"ECHO:HOOKED-HI:AFTER"');
  expect(saved).not.toMatch(/echo:|:after/);
  const restored = engine.restoreSession(file, { tools: [echo], temperature: 0 });
  await restored.run("And now?");
  expect(await lastHeard(prompts)).toContain("<tool_response>\nECHO:HOOKED-HI:AFTER\n</tool_response>");
});

test("theirs fails, ours not: a guard that throws keeps the call from running", async () => {
  const engine = await openEcho();
  let ran = 0;
  engine.hooks.guard("preToolCall", () => Promise.reject(new Error("no rules")), { name: "rules" });
  const prompts = listen(engine);
  await runOnce(engine, { tools: [tool({ ...echo, run: () => ++ran })] });
  expect(ran).toBe(0);
  expect(await lastHeard(prompts)).toContain("blocked by rules: ");
});

test("theirs fails, ours not: arguments that a hook has changed do not slip past the schema", async () => {
  const engine = await openEcho();
  let ran = 0;
  engine.hooks.on("preToolCall", () => ({ args: { text: "x".repeat(21) } }));
  const prompts = listen(engine);
  await runOnce(engine, { tools: [tool({ ...echo, run: () => ++ran })] });
  expect(ran).toBe(0);
  expect(await lastHeard(prompts)).toMatch(/invalid arguments: \/text /);
});

test("theirs fails, ours not: the session's record has what was sanitised, and nothing else", async () => {
  const engine = await openEngine([asks("Oslo"), "I see."]);
  engine.hooks.on("toolResultPersist", () => ({ result: "[kept back]" }));
  const session = engine.session({ tools: [weather], temperature: 0 });
  const result = await session.run("Hello");
  const file = path.join(await tempDir(), "session.json");
  await session.save(file);
  const everything = [result, session.history({ compacted: false }), await readFile(file, "utf8")];
  for (const one of everything) expect(JSON.stringify(one)).not.toContain("4 degrees");
});

test("theirs fails, ours not: a handler of the wrong make is refused, or fails where everybody sees it", async () => {
  const engine = await openEcho();
  expect(() => engine.hooks.on("preToolCall", "guard" as never)).toThrow(/handler of preToolCall must be a function/);
  const errors: string[] = [];
  engine.hooks.on("error", ({ code, message }) => void errors.push(`${code} ${message}`));
  // Theirs takes (tool_name, arguments, agent_id) and returns the arguments: here that is a failure, and said.
  const theirs = (_name: unknown, args: { text: string }) => ({ ...args, text: "x" });
  engine.hooks.on("preToolCall", theirs as never, { name: "old" });
  expect(resultTexts(await runOnce(engine, { tools: [echo] }))).toEqual(["echo:hi"]);
  expect(errors).toEqual([expect.stringMatching(/^HOOK_BAD_ANSWER .*old.*preToolCall.*"text"/)]);
});
