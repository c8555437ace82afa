import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import { defineHooks, POINTS, tool } from "../../src/index.js";
import { hookFlags } from "../../src/generated/flags.js";
import { nativeAddon } from "../../src/native/addon.js";
import { findAddon } from "../../src/native/find-addon.js";
import { literalPattern } from "../../src/hooks/matcher.js";
import { openEngine, scriptModel } from "../support/engine.js";
import { calls, runOnce, resultTexts, tools } from "../support/sessions.js";

test("what the engine decides itself never reaches JavaScript", async () => {
  let asked = 0;
  const engine = nativeAddon().createEngine(
    JSON.stringify({ libraries: findAddon().libraries, gpu: false }),
    () => void asked++ as never,
    () => undefined,
    () => undefined,
    () => 0,
    () => undefined,
    () => undefined,
  );
  const ended = (start: (onEnd: (status: number, json: string) => void) => unknown): Promise<string> =>
    new Promise((resolve, reject) => start((status, json) => (status === 0 ? resolve(json) : reject(new Error(json)))));
  onTestFinished(async () => void (await ended((onEnd) => engine.close(onEnd))));
  const path = await scriptModel(["one two three"]);
  await ended((onEnd) => engine.loadModel("m", JSON.stringify({ path, threads: 1 }), () => undefined, onEnd, false));
  const plain = { name: "", priority: 0, deadlineMs: 0, flags: hookFlags.jsonResult };
  const add = (point: number, when: object): number =>
    engine.addHook(0, point, { ...plain, when: JSON.stringify(when) });
  const hooks = [
    add(POINTS.preGenerate.number, { tier: "lead" }),
    add(POINTS.streamToken.number, { kind: "reasoning" }),
    add(POINTS.streamToken.number, { text: [{ starts_with: "zzz" }, "yyy"], token_index: 0 }),
    add(POINTS.postGenerate.number, { depth: [1, 2] }),
  ];
  const messages = [{ role: "user", content: "hi" }];
  const request = JSON.stringify({ messages, tier: "coder" });
  await ended((onEnd) => engine.generate(request, () => undefined, onEnd, false, 0));
  expect(asked).toBe(0);
  const listed = JSON.parse(engine.listHooks(0)) as { id: number; calls: number }[];
  expect(new Map(listed.map(({ id, calls: count }) => [id, count]))).toEqual(new Map(hooks.map((id) => [id, 0])));
});

test("a hook may be there for some tools, some tiers, some depths", async () => {
  const engine = await openEngine([
    { toolCalls: [...calls("clock").toolCalls, ...calls("weather", { city: "Oslo" }).toolCalls] },
    "Done.",
  ]);
  const seen: string[] = [];
  const note = (name: string) => (): undefined => void seen.push(name);
  engine.hooks.on("preToolCall", note("clock"), { when: { toolName: "clock" } });
  engine.hooks.on("preToolCall", note("w*"), { when: { toolName: /^wea/ } });
  engine.hooks.on("preToolCall", note("both"), { when: { toolName: /^(?:weather|clock)$/ } });
  engine.hooks.on("preToolCall", note("none"), { when: { toolName: /^(?:weath|clocks)$/ } });
  engine.hooks.on("preToolCall", note("function"), { when: { toolName: (name) => name.length === 5 } });
  engine.hooks.on("preToolCall", note("class"), { when: { toolName: /^[cw]/, depth: 0 } });
  engine.hooks.on("preToolCall", note("deeper"), { when: { depth: 1 } });
  engine.hooks.on("preToolCall", note("no tier"), { when: { tier: null, iteration: 1, modelId: "default" } });
  await runOnce(engine);
  const always = ["class", "no tier"];
  expect(seen).toEqual(["clock", "both", "function", ...always, "w*", "both", ...always]);
});

test("a matcher looks at what earlier hooks have made of the call, and with originalContext at what it was", async () => {
  const engine = await openEngine([calls("clock"), "Done."]);
  const seen: string[] = [];
  engine.hooks.on("preToolCall", () => ({ toolName: "weather", args: { city: "Oslo" } }));
  engine.hooks.on("preToolCall", () => void seen.push("weather"), { when: { toolName: "weather" } });
  engine.hooks.on("preToolCall", () => void seen.push("clock"), { when: { toolName: "clock" } });
  engine.hooks.on("preToolCall", () => void seen.push("was clock"), {
    when: { toolName: "clock" },
    originalContext: true,
  });
  expect(resultTexts(await runOnce(engine))).toEqual(["Oslo: 4 degrees"]);
  expect(seen).toEqual(["weather", "was clock"]);
});

const patterns = [
  /a/,
  /^a/,
  /a$/,
  /^a$/,
  /^ab|ba$/,
  /^(?:a|ab)$/,
  /^(a|b)/,
  /(b|c)$/,
  /\./,
  /^\./,
  /\$$/,
  /a\$/,
  /\\$/,
  /a\|b/,
  /é/,
  /^😀/u,
  /(?:)/,
  /^$/,
  /\//g,
  /^a/dgsu,
  new RegExp("b$", "v"),
];

/** The texts that a hook with that matcher is called for, and all that there were. */
async function matched(pattern: RegExp): Promise<[seen: string[], all: string[]]> {
  const pieces = ["a", "ab", "ba", "b.", ".a", "$", "a$", "\\", "a|b", "é", "😀x", "x😀", "/", "-", "c", " a", "ba ab"];
  const more = ["A", "a\nb", "aa", "a1", "É", "read", "xread", "read", "\n"];
  const engine = await openEngine([{ pieces: [...pieces, ...more] }]);
  const seen: string[] = [];
  const all: string[] = [];
  engine.hooks.on("streamToken", ({ text }) => void all.push(text));
  engine.hooks.on("streamToken", ({ text }) => void seen.push(text), { when: { text: pattern } });
  await engine.generate("hi");
  expect(new Set(all).size).toBeGreaterThan(20);
  return [seen, all];
}

/** The answer of a fresh copy of the pattern, which has no `lastIndex` from an earlier test. */
const says = (pattern: RegExp) => (text: string) => new RegExp(pattern).test(text);

test.each(patterns)("%s means to the engine what it means to JavaScript", async (pattern) => {
  expect(literalPattern(pattern)).toBeDefined();
  const [seen, all] = await matched(pattern);
  expect(seen).toEqual(all.filter(says(pattern)));
});

const asked = [
  /a/i,
  /^a/m,
  /a.b/,
  /a.b/s,
  /a*/,
  /[ab]/,
  /a{2}/,
  /(?=a)/,
  /^(a)(b)$/,
  /\d/,
  /\n/,
  /(?:a|(b))/,
  /a\b/,
  /\ud83d/,
  /read/y,
  /-/y,
  /ad/y,
  /[a-z]+/gy,
  /^é$/iu,
  /(?<=x)r/,
  /(?<!x)read/,
  /(?<one>a)\k<one>/,
  /(a)\1/,
  /^\p{Lu}$/u,
  /^.x/u,
  new RegExp("[[a-c]--b]", "v"),
];

test.each(asked)("%s is left to JavaScript, and means what it means there", async (pattern) => {
  expect(literalPattern(pattern)).toBeUndefined();
  const [seen, all] = await matched(pattern);
  expect(seen).toEqual(all.filter(says(pattern)));
});

test("what a pattern found before, here or elsewhere, has no effect", async () => {
  for (const pattern of [/read/g, /read/y, /[r]ead/g]) {
    pattern.lastIndex = 3;
    const [seen] = await matched(pattern);
    expect([pattern.source, seen]).toEqual([
      pattern.source,
      pattern.sticky ? ["read", "read"] : ["read", "xread", "read"],
    ]);
    expect(pattern.lastIndex).toBe(3);
  }
});

test("a RegExp with its own exec() is asked itself; one of another realm is one", async () => {
  class Not extends RegExp {
    override test(text: string): boolean {
      return !super.test(text);
    }
  }
  const [others, all] = await matched(new Not("^a"));
  expect(others).toEqual(all.filter((text) => !text.startsWith("a")));
  const own = Object.assign(/^a/, { test: (text: string) => text === "c" });
  expect((await matched(own))[0]).toEqual(["c"]);
  for (const foreign of ["/^rea/", "/[r]ead/y"])
    expect((await matched(runInNewContext(foreign) as RegExp))[0]).toEqual(["read", "read"]);
  expect((await matched(Object.freeze(/[r]ead/)))[0]).toEqual(["read", "xread", "read"]);
});

test("texts that C would cut, or that have no UTF-8, are compared as they are", async () => {
  const engine = await openEngine([{ pieces: ["a\0b", "c"] }]);
  const seen: string[] = [];
  engine.hooks.on("streamToken", ({ text }) => void seen.push(text), { when: { text: "c" } });
  engine.hooks.on("streamToken", () => void seen.push("half"), { when: { text: "\ud83d" } });
  engine.hooks.on("streamToken", () => void seen.push("cut"), { when: { text: "c\0d" } });
  await engine.generate("hi");
  expect(seen).toEqual(["c"]);
});

test("wrong matchers are refused at once, by name", async () => {
  const engine = await openEngine([], { models: {} });
  const add = (when: unknown) => () => engine.hooks.on("preToolCall", () => undefined, { when } as never);
  expect(add({ toolname: "x" })).toThrow(/preToolCall has no field "toolname"; did you mean "toolName"\?/);
  expect(add({ depht: 1 })).toThrow(/no field "depht"; did you mean "depth"\?/);
  expect(add({ depth: NaN })).toThrow("when.depth must be a finite number, got NaN");
  expect(add({ toolName: ["a"] })).toThrow("when.toolName must be a value, a RegExp or a function, got an array of 1");
  expect(add("clock")).toThrow('when must be an object of fields, got "clock"');
  expect(engine.hooks.list()).toEqual([]);
});

test("a matcher that can never match is refused; a function may ask about anything", async () => {
  const engine = await openEngine([], { models: {} });
  const add = (point: "preGenerate" | "preToolCall", when: unknown) => () =>
    engine.hooks.on(point, () => undefined, { when } as never);
  expect(add("preGenerate", { messages: /secret/ })).toThrow(
    "when.messages would never match /secret/: it is of type array; a function can test it",
  );
  for (const when of [
    { meta: "x" },
    { args: /rm/ },
    { iteration: "1" },
    { toolName: 5 },
    { depth: /0/ },
    { tier: true },
  ])
    expect(add("preToolCall", when)).toThrow(/^when\.\w+ would never match/);
  expect(engine.hooks.list()).toEqual([]);
  add("preGenerate", { messages: () => true, tier: null, prompt: null, depth: 0, modelId: /^a/ })();
  add("preToolCall", { meta: () => true, args: () => true, response: "r", parentRunId: null })();
  expect(engine.hooks.list().length).toBe(2);
});

test("every field of every point is known by its type", async () => {
  const engine = await openEngine([], { models: {} });
  for (const [point, { fields }] of Object.entries(POINTS)) {
    for (const key of [...fields, "runId"]) {
      const of = (test: unknown) => (): unknown =>
        engine.hooks.on(point as "error", () => undefined, { when: { [key]: test } } as never).dispose();
      const taken = ["text", /text/, 1, true].filter((test) => {
        try {
          return of(test)() ?? true;
        } catch (error) {
          expect((error as Error).message).toMatch(/would never match .*: it is of type \w/);
          return false;
        }
      });
      expect([point, key, of(null)(), taken.length < 4]).toEqual([point, key, undefined, true]);
    }
  }
});

test("what a matcher keeps back costs the others nothing: it is in no decision and in no count", async () => {
  const echo = tool({ name: "echo", run: () => "said" });
  const engine = await openEngine([calls("echo"), "Done."]);
  engine.hooks.use(defineHooks("all", { preToolCall() {} }));
  engine.hooks.on("preToolCall", () => undefined, { name: "some", when: { toolName: "other" } });
  const result = await runOnce(engine, { tools: [...tools, echo] });
  const decided = result.decisions.filter(({ point }) => point === "preToolCall");
  expect(decided.flatMap(({ hooks }) => hooks.map(({ name }) => name))).toEqual(["all"]);
  expect(engine.hooks.stats().map(({ name, calls: count }) => [name, count])).toEqual([
    ["all", 1],
    ["some", 0],
  ]);
});
