import { expect, test } from "vitest";
import { approve, audit, cache, limit, redact } from "../../../src/ready-hooks/index.js";
import { decideMessages, defineHooks, pointNames, POINTS, type PointName } from "../../../src/index.js";
import { nativeAddon } from "../../../src/native/addon.js";
import { toSnake } from "../../../src/base/wire.js";
import { openEngine } from "../../support/engine.js";
import { calls, runOnce, tools } from "../../support/sessions.js";

const common = ["meta", "point"];
const keys = (event: object): string[] => Object.keys(event).toSorted();

test("a hook's event has the fields that it names, and no others", async () => {
  const engine = await openEngine(["Yes."]);
  const seen: Record<string, string[]> = {};
  const note = (name: string) => (event: object) => void (seen[name] = keys(event));
  engine.hooks.on("preGenerate", note("some"), { fields: ["params", "iteration"] });
  engine.hooks.on("preGenerate", note("none"), { fields: [] });
  engine.hooks.on("preGenerate", note("meta"), { fields: ["meta" as "params"] });
  engine.hooks.on("loopStart", note("observer"), { fields: ["messageCount"], observe: true });
  engine.hooks.guard("contextAssemble", note("guard"), { fields: ["limit"] });
  engine.hooks.on("contextAssemble", note("all"));
  await runOnce(engine);
  expect(seen).toEqual({
    some: ["iteration", ...common, "params"].toSorted(),
    none: common,
    meta: common,
    observer: [...common, "messageCount"].toSorted(),
    guard: ["limit", ...common],
    all: ["budget", "estimated", "limit", "messages", ...common, "tokenCount"].toSorted(),
  });
});

test("an answer may change fields that its hook does not read, and later hooks see the change", async () => {
  const engine = await openEngine(["Yes."]);
  const said: unknown[] = [];
  engine.hooks.on("preGenerate", () => ({ messages: [{ role: "user", content: "changed" }] }), { fields: ["params"] });
  engine.hooks.on("preGenerate", ({ messages }) => void said.push(messages), { fields: ["messages"] });
  engine.hooks.on("preGenerate", ({ messages }) => void said.push(messages.length), {
    fields: ["messages"],
    originalContext: true,
  });
  engine.hooks.on("preGenerate", (event) => void said.push(keys(event).length), { priority: 1 });
  await engine.generate([
    { role: "system", content: "Be short." },
    { role: "user", content: "Hello" },
  ]);
  expect(said).toEqual([[{ role: "user", content: "changed" }], 2, 7]);
});

test.each([true, false])("an answer is judged by what its own hook was shown (others read all: %s)", async (others) => {
  const engine = await openEngine(["Yes."]);
  if (others) engine.hooks.on("preGenerate", () => undefined);
  const answers = [{ messages: null }, { tools: null }, { tools: [] }] as const;
  for (const answer of answers)
    engine.hooks.on("preGenerate", () => answer as never, { fields: ["params"], name: Object.keys(answer).join() });
  engine.hooks.on("postGenerate", () => ({ content: "Yes." }), { fields: [], name: "repeats" });
  engine.hooks.on("error", () => undefined);
  const { decisions } = await engine.generate("Hello");
  const outcomes = decisions.flatMap(({ hooks }) => hooks.map(({ name, outcome, fields }) => [name, outcome, fields]));
  expect(outcomes.filter(([name]) => !String(name).startsWith("hook "))).toEqual([
    ["messages", "failed", []],
    ["tools", "failed", []],
    ["tools", "modified", ["tools"]],
    ["repeats", "modified", ["content"]],
  ]);
});

test("tests of `when` see fields that the hook does not read", async () => {
  const engine = await openEngine(["Yes."]);
  const seen: string[] = [];
  engine.hooks.on("postGenerate", () => void seen.push("engine"), { when: { content: /^Yes/ }, fields: ["usage"] });
  engine.hooks.on("postGenerate", () => void seen.push("no"), { when: { content: "No." }, fields: ["usage"] });
  const long = (text: string): boolean => text.length === 4;
  engine.hooks.on("postGenerate", () => void seen.push("function"), { when: { content: long }, fields: ["usage"] });
  const first = { when: { content: long }, fields: ["usage"], once: true } as const;
  engine.hooks.on("postGenerate", () => void seen.push("once"), first);
  await engine.generate("Hello");
  await engine.generate("Hello");
  expect(seen).toEqual(["engine", "function", "once", "engine", "function"]);
});

test("a change by one hook is tested by the `when` of the next, whatever both read", async () => {
  const engine = await openEngine(["Yes."]);
  const seen: string[] = [];
  engine.hooks.on("postGenerate", () => ({ content: "No." }), { fields: [] });
  engine.hooks.on("postGenerate", ({ usage }) => void seen.push(typeof usage), {
    when: { content: "No." },
    fields: ["usage"],
  });
  expect((await engine.generate("Hello")).text).toBe("No.");
  expect(seen).toEqual(["object"]);
});

test("parallel hooks and hooks of one tool name their fields, too", async () => {
  const engine = await openEngine([calls("clock"), "Done."]);
  const seen: string[][] = [];
  const note = (event: object): undefined => void seen.push(keys(event));
  engine.hooks.on("postToolCall", note, { parallel: true, fields: ["toolName"] });
  engine.hooks.on("postToolCall", note, { parallel: true, fields: ["isError", "result"] });
  engine.hooks.on("postToolCall", note, { tool: { name: "clock" }, fields: ["args"] });
  engine.hooks.on("postToolCall", note, { tool: { name: "weather" }, fields: ["args"] });
  await engine.session({ tools }).run("What time is it?");
  expect(seen).toEqual([
    [...common, "toolName"].toSorted(),
    ["isError", ...common, "result"].toSorted(),
    ["args", ...common].toSorted(),
  ]);
});

test("fields that do not exist are refused by name, and the list shows those that do", async () => {
  const engine = await openEngine(["Yes."]);
  const add = (fields: unknown): unknown =>
    engine.hooks.on("preGenerate", () => undefined, { fields: fields as never });
  expect(() => add(["param"])).toThrow(/preGenerate has no field "param"; did you mean "params"/);
  expect(() => add(["params", 3])).toThrow(/fields\[1\]/);
  expect(() => add("params")).toThrow(/a list of fields/);
  expect(engine.hooks.list()).toEqual([]);
  engine.hooks.on("preGenerate", () => undefined, { fields: ["params"] });
  engine.hooks.on("postToolCall", () => undefined, { fields: ["toolCallId"], when: { args: () => true } });
  engine.hooks.on("preToolCall", () => undefined);
  const listed = engine.hooks.list().map(({ point, fields }) => [point, fields]);
  expect(Object.fromEntries(listed)).toEqual({
    preGenerate: ["params"],
    postToolCall: ["toolCallId", "args"],
    preToolCall: null,
  });
});

test("each handler of a set names its fields, in any spelling of its point", async () => {
  const engine = await openEngine(["Yes."]);
  const seen: Record<string, string[]> = {};
  const note = (event: { point: string }): undefined => void (seen[event.point] = keys(event));
  const set = defineHooks(
    "some",
    { preGenerate: note, POST_GENERATE: note, loopStart: note, contextAssemble: note },
    { fields: { PRE_GENERATE: ["params"], postGenerate: ["usage", "content"], loopStart: [], delegate: ["task"] } },
  );
  engine.hooks.use([set, { ...set, name: "by hand" }]);
  await runOnce(engine);
  expect(seen).toEqual({
    preGenerate: [...common, "params"].toSorted(),
    postGenerate: ["content", ...common, "usage"].toSorted(),
    loopStart: common,
    contextAssemble: ["budget", "estimated", "limit", "messages", ...common, "tokenCount"].toSorted(),
  });
  const listed = engine.hooks.list().map(({ name, point, fields }) => [name, point, fields]);
  expect(listed).toContainEqual(["some", "postGenerate", ["usage", "content"]]);
  expect(listed).toContainEqual(["by hand", "loopStart", []]);
  expect(listed).toContainEqual(["by hand", "contextAssemble", null]);
});

test("sets of a session, of a call, of observers and of guards name their fields, too, and those run by hand", async () => {
  const engine = await openEngine(["Yes."]);
  const seen: string[][] = [];
  const note = (event: object): undefined => void seen.push(keys(event));
  const fields = { preGenerate: ["iteration"] } as const;
  const session = engine.session();
  session.hooks.use(defineHooks("session", { preGenerate: note }, { fields, observe: true }));
  await session.run("Hello", { hooks: defineHooks("call", { preGenerate: note }, { fields, guard: true }) });
  expect(decideMessages(defineHooks("hand", { preGenerate: note }, { fields }), { messages: [] }).outcome).toBe(
    "unchanged",
  );
  const each = ["iteration", ...common];
  expect(seen).toEqual([each, each, each]);
});

test("fields of a set that are wrong are refused, with the set and the point", () => {
  const define = (fields: unknown) => () => defineHooks("mine", {}, { fields: fields as object });
  expect(define({ preGenerate: ["param"] })).toThrow(/preGenerate has no field "param"; did you mean "params"/);
  expect(define({ preGenerate: "params" })).toThrow(/"mine"\.fields\.preGenerate must be a list of fields/);
  expect(define({ preGenerate: ["params", 3] })).toThrow(/"mine"\.fields\.preGenerate\[1\]/);
  expect(define({ preGenerat: ["params"] })).toThrow(/no hook point "preGenerat"/);
  expect(define({ preGenerate: [], PRE_GENERATE: [] })).toThrow(/"mine" has two lists of fields for preGenerate/);
  expect(define(["preGenerate"])).toThrow(/"mine"\.fields must be an object of lists of fields by point/);
  expect(define(null)).toThrow(/"mine"\.fields/);
});

test("sets of the package have no messages made that they do not read", async () => {
  const engine = await openEngine(["Yes."]);
  engine.hooks.use([
    limit({ toolCalls: 1 }),
    redact("secret"),
    audit("/dev/null"),
    cache(new Map()),
    approve({ ask: () => true }),
  ]);
  const grows = new Set(["messages", "history", "systemPrompt", "toolContext"]);
  const made = engine.hooks.list().flatMap(({ name, point, fields }) => {
    const read = fields ?? POINTS[point].fields;
    return read.filter((field) => grows.has(field)).map((field) => [name, point, field]);
  });
  expect(made).toEqual([["redact", "preGenerate", "messages"]]);
});

test("at every point, each field can be had alone", () => {
  const { dispatchPlainly } = nativeAddon();
  const shown = (name: PointName, fields: readonly string[] | null): string[] => {
    const context = Object.fromEntries(POINTS[name].fields.map((field, index) => [toSnake(field), `, "${index}"}`]));
    let got: object = {};
    const options = { name: "", priority: 0, deadlineMs: 0, flags: 0, when: null };
    const hook = { ...options, fields: fields && JSON.stringify(fields.map((field) => toSnake(field))) };
    dispatchPlainly(POINTS[name].number, [hook], JSON.stringify(context), (_hook, _call, json) => {
      got = JSON.parse(json) as object;
      return [0, null];
    });
    for (const [field, value] of Object.entries(got)) if (field !== "meta") expect(value).toBe(context[field]);
    return Object.keys(got);
  };
  for (const name of pointNames) {
    const all = POINTS[name].fields.map((field) => toSnake(field));
    expect(shown(name, null)).toEqual(["meta", ...all]);
    expect(shown(name, [])).toEqual(["meta"]);
    expect(shown(name, POINTS[name].fields.toReversed())).toEqual(["meta", ...all]);
    for (const field of POINTS[name].fields) expect(shown(name, [field])).toEqual(["meta", toSnake(field)]);
  }
});
