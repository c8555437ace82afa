import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import {
  type HookAnswerOf,
  type PermissionRule,
  type RunResult,
  type SessionOptions,
  tool,
} from "../../../src/index.js";
import { openEngine, tempDir } from "../../support/engine.js";
import { asks, notAllowed, resultTexts, runOnce, tools } from "../../support/sessions.js";

const read = tool({
  name: "fs_read",
  parameters: { type: "object", properties: { path: {}, deep: {}, list: {} } },
  run: () => "read",
});

async function ask(args: Record<string, unknown>, permissions: PermissionRule[]): Promise<RunResult> {
  const engine = await openEngine([{ toolCalls: [{ name: "fs_read", args: {} }] }, "Done."]);
  engine.hooks.on("preToolCall", () => ({ args }));
  return runOnce(engine, { tools: [read], permissions });
}

const data = { "args.path": "data/**" };
const dataPath = { "args.path": { path: "data/**" } };

test.each([
  ["no rule", [], "a", "read"],
  ["allowed", [{ allow: "fs_*" }], "a", "read"],
  ["another tool's rule", [{ allow: "net_*" }], "a", notAllowed],
  ["asked, and no hook there", [{ ask: "fs_?ead" }], "a", notAllowed],
  ["denied", [{ deny: "fs_*" }], "a", "denied: the rule deny fs_*"],
  ["deny before allow", [{ allow: "**" }, { deny: "*read" }], "a", "denied: the rule deny *read"],
  ["ask before allow", [{ allow: "**" }, { ask: "fs_read" }], "a", notAllowed],
  ["where it may", [{ allow: "fs_*", when: data }], "data/deep/er.txt", "read"],
  ["elsewhere", [{ allow: "fs_*", when: data }], "etc/passwd", notAllowed],
  ["out by the back", [{ allow: "fs_*", when: data }], "data/../etc/passwd", notAllowed],
  ["in by the back", [{ allow: "fs_*", when: dataPath }], "./x/../data/a", "read"],
  ["with the whole path", [{ allow: "fs_*", when: dataPath }], `${process.cwd()}/data/a`, "read"],
  [
    "a forbidden name",
    [{ allow: "**" }, { deny: "**", when: { "args.path": "secret*" } }],
    "./secrets",
    /^denied: the rule/,
  ],
  ["one level only", [{ allow: "**", when: { "args.path": "data/*" } }], "data/a/b", notAllowed],
  ["one character of several bytes", [{ allow: "**", when: { "args.path": "d/?☂.txt" } }], "d/é☂.txt", "read"],
  ["not half of one", [{ allow: "**", when: { "args.path": "??.txt" } }], "é.txt", notAllowed],
  ["after a star", [{ allow: "**", when: { "args.path": "*?é" } }], "éaé", "read"],
  ["an address", [{ allow: "**", when: { "args.path": "https://a.example/**" } }], "https://a.example/x", "read"],
  ["no such argument", [{ allow: "**", when: { "args.other": "**" } }], "a", notAllowed],
] as const)("rules: %s", async (_, permissions, path, text) => {
  const result = await ask({ path }, permissions as unknown as PermissionRule[]);
  if (typeof text === "string") expect(resultTexts(result)).toEqual([text]);
  else expect(resultTexts(result)[0]).toMatch(text);
  expect(result.toolCalls[0]?.resultKind).toBe(resultTexts(result)[0] === "read" ? "ok" : "rejected_permission");
});

const here = process.cwd();
const toRoot = here.replace(/[^/]+/g, "..").slice(1);

test.each([
  ["/etc/**", `${toRoot}/etc/passwd`],
  ["/etc/**", "/etc/x/../passwd"],
  [`${here}/secret`, "secret"],
  [`${here}/secret`, "./secret"],
  ["secret", `../${path.basename(here)}/secret`],
  ["secret", "secret/"],
  ["secret", "secret/."],
  ["secret", "x/../secret/"],
  ["secret/", "secret"],
])("what the pattern %s forbids is forbidden as %s", async (pattern, spelled) => {
  const rules = [{ allow: "**" }, { deny: "**", when: { "args.path": pattern } }];
  expect(resultTexts(await ask({ path: spelled }, rules))).toEqual([
    `denied: the rule deny ** when args.path is ${pattern}`,
  ]);
});

test("a whole path allows what is written from the current folder on, and no more", async () => {
  const rules = [{ allow: "**", when: { "args.path": { path: `${here}/data/**` } } }];
  expect(resultTexts(await ask({ path: "data/a" }, rules))).toEqual(["read"]);
  for (const outside of ["data/../a", `${here}/data/../a`, "/data/a"])
    expect(resultTexts(await ask({ path: outside }, rules))).toEqual([notAllowed]);
});

test("a slash at the end of a text that is not a path widens nothing", async () => {
  const rules = [{ allow: "**", when: { "args.path": "rm -rf *" } }];
  expect(resultTexts(await ask({ path: "rm -rf a" }, rules))).toEqual(["read"]);
  expect(resultTexts(await ask({ path: "rm -rf /" }, rules))).toEqual([notAllowed]);
});

test.each([
  ["5", "5.0"],
  ["5", "5e0"],
  ["5", "50e-1"],
  ["5.0", "5"],
  ["10000000000000000", "1e16"],
])("the number %s is forbidden as %s", async (pattern, spelled) => {
  const call = `<tool_call>\n{"name": "fs_read", "arguments": {"path": ${spelled}}}\n</tool_call>`;
  const engine = await openEngine([call, "Done."]);
  const rules = [{ allow: "**" }, { deny: "**", when: { "args.path": pattern } }];
  expect(resultTexts(await runOnce(engine, { tools: [read], permissions: rules }))).toEqual([
    `denied: the rule deny ** when args.path is ${pattern}`,
  ]);
});

test("deep values, members of lists and values that are no text are found by their path", async () => {
  const when = { "args.deep.er": "yes", "args.list.1": "2", "args.path": "true" };
  const args = { deep: { er: "yes" }, list: [1, 2], path: true };
  expect(resultTexts(await ask(args, [{ allow: "**", when }]))).toEqual(["read"]);
  expect(resultTexts(await ask({ ...args, list: [2, 1] }, [{ allow: "**", when }]))).toEqual([notAllowed]);
});

test("a hook may answer what is asked, by waiting for a person too; a deny by rule stays", async () => {
  const engine = await openEngine([asks("Oslo", "Rome", "Bern"), "Done."]);
  const errors: string[] = [];
  engine.hooks.on("error", ({ message }) => void errors.push(message));
  const seen: unknown[] = [];
  engine.hooks.on(
    "permissionCheck",
    async ({ args, permission, rule }) => {
      seen.push([permission, rule]);
      await new Promise((resolve) => setTimeout(resolve, 5));
      return args["city"] === "Rome" ? undefined : { permission: "allow" };
    },
    { name: "person" },
  );
  const result = await runOnce(engine, {
    permissions: [{ deny: "weather", when: { "args.city": "Bern" } }, { ask: "*" }],
  });
  expect(resultTexts(result)).toEqual([
    "Oslo: 4 degrees",
    notAllowed,
    "denied: the rule deny weather when args.city is Bern",
  ]);
  expect(seen).toEqual([
    ["ask", "ask *"],
    ["ask", "ask *"],
    ["deny", "deny weather when args.city is Bern"],
  ]);
  expect(errors).toEqual([expect.stringMatching(/person answered allow .* a rule denies; it stays denied/)]);
});

test("what was permitted is what runs: a call that a hook changed is judged as changed", async () => {
  const engine = await openEngine([asks("Oslo"), "Done."]);
  engine.hooks.on("preToolCall", () => ({ args: { city: "Bern" } }));
  const result = await runOnce(engine, { permissions: [{ allow: "weather", when: { "args.city": "Oslo" } }] });
  expect(resultTexts(result)).toEqual([notAllowed]);
});

test("a call that was denied does not count, and wrong rules are named at once", async () => {
  const engine = await openEngine([asks("Oslo"), asks("Oslo"), "Done."]);
  let allowed = false;
  engine.hooks.on("permissionCheck", () => (allowed ? { permission: "allow" as const } : void (allowed = true)));
  const result = await runOnce(engine, { permissions: [{ ask: "*" }], maxToolCalls: 1, maxIdenticalCalls: 1 });
  expect(resultTexts(result)).toEqual([notAllowed, "Oslo: 4 degrees"]);
  for (const rule of [
    {},
    { allow: "a", deny: "b" },
    { allow: 7 },
    { allow: "" },
    { allow: "a", when: { path: "x" } },
    { allow: "a", when: { "args.a": 7 } },
    { allow: "a", when: { "args.a": {} } },
    { allow: "a", when: { "args.a": { pth: "x" } } },
    { allow: "a", when: { "args.a": { path: "x", text: "x" } } },
    { allow: "a", when: { "args.a": { text: 7 } } },
    { allow: "a", when: { "args.a": { url: "good.com/**" } } },
    { allow: "a", when: { "args.a": { url: "https://me@good.com/**" } } },
    { allow: "a", when: { "args.a": { number: "5" } } },
    { allow: "a", when: { "args.a": { number: {} } } },
    { allow: "a", when: { "args.a": { number: { min: 5, max: 1 } } } },
    { allow: "a", when: { "args.a": { number: { least: 5 } } } },
    { alow: "a" },
  ])
    expect(() => engine.session({ permissions: [rule as unknown as PermissionRule] })).toThrow(TypeError);
});

test("a remembered answer holds for the same call, or the same tool, of that tier; saved and forked with the session", async () => {
  const engine = await openEngine({ replies: [asks("Oslo", "Rome")], afterLast: "repeat" });
  const rules: unknown[] = [];
  let answer: HookAnswerOf<"permissionCheck"> | undefined = { permission: "allow", remember: "call" };
  engine.hooks.on("permissionCheck", ({ rule, args, permission }) => {
    rules.push(rule);
    return permission === "ask" && args["city"] === "Oslo" ? answer : undefined;
  });
  const options: SessionOptions = { tools, temperature: 0, permissions: [{ ask: "*" }], maxIterations: 1 };
  const session = engine.session(options);
  const heard = async (of = session): Promise<string[]> => resultTexts(await of.run("Hello"));
  const known = ["Oslo: 4 degrees", notAllowed];
  expect(await heard()).toEqual(known);
  answer = undefined;
  expect(await heard()).toEqual(known);
  expect(rules).toEqual(["ask *", "ask *", "remembered: allow weather with these arguments", "ask *"]);

  const file = path.join(await tempDir(), "session.json");
  await session.save(file);
  const unanswered = Array(2).fill(notAllowed); // the file must not be able to allow calls
  expect(await heard(engine.restoreSession(file, options))).toEqual(unanswered);
  expect(await heard(session.fork())).toEqual(known);
  const changed = (await readFile(file, "utf8")).replace('"permission":"allow"', '"permission":"always"');
  await writeFile(file, changed);
  expect(() => engine.restoreSession(file, options)).toThrow(/remembered\[0\].*permission/);
  const denied = engine.session({ ...options, permissions: [{ deny: "weather" }] });
  expect(await heard(denied)).toEqual(Array(2).fill("denied: the rule deny weather"));

  const other = engine.session(options);
  answer = { permission: "deny", reason: "never", remember: "tool" };
  expect(await heard(other)).toEqual(["denied: never", "denied: by an earlier answer"]);
  expect(await heard()).toEqual(known);
});

test("what is remembered is the answer of whoever decided, and narrows what is allowed anyway", async () => {
  const engine = await openEngine({ replies: [asks("Oslo")], afterLast: "repeat" });
  engine.hooks.on("permissionCheck", () => ({ permission: "allow", remember: "tool" }), { name: "hasty" });
  const strict = engine.hooks.on("permissionCheck", () => ({ permission: "deny" }), { name: "strict" });
  const session = engine.session({ tools, temperature: 0, permissions: [{ ask: "*" }], maxIterations: 1 });
  expect(resultTexts(await session.run("Hello"))).toEqual(["denied: by strict"]);
  strict.dispose();
  expect(resultTexts(await session.run("Hello"))).toEqual(["Oslo: 4 degrees"]);
  engine.hooks.clear("permissionCheck");
  expect(resultTexts(await session.run("Hello"))).toEqual(["Oslo: 4 degrees"]);

  const free = engine.session({ tools, temperature: 0, maxIterations: 1 });
  const once = engine.hooks.on("permissionCheck", () => ({ permission: "deny", remember: "call" }), { name: "no" });
  expect(resultTexts(await free.run("Hello"))).toEqual(["denied: by no"]);
  once.dispose();
  expect(resultTexts(await free.run("Hello"))).toEqual(["denied: by an earlier answer"]);
  const mind = engine.hooks.on("permissionCheck", () => ({ permission: "allow", remember: "call" }), {
    name: "changed",
  });
  expect(resultTexts(await free.run("Hello"))).toEqual(["Oslo: 4 degrees"]);
  mind.dispose();
  expect(resultTexts(await free.run("Hello"))).toEqual(["Oslo: 4 degrees"]);
});

test("an answer that is remembered for a call holds for it however its numbers are written", async () => {
  const parameters = { type: "object", properties: { at: { type: "number" } }, required: ["at"] } as const;
  const ring = tool({ name: "ring", parameters, run: () => "rung" });
  const call = (at: string): object => ({
    pieces: [`<tool_call>\n{"name": "ring", "arguments": {"at": ${at}}}\n</tool_call>`],
  });
  const engine = await openEngine([call("1"), "Well.", call("1.0"), "Well."] as never);
  const no = engine.hooks.on("permissionCheck", () => ({ permission: "deny", remember: "call" }), { name: "no" });
  const session = engine.session({ tools: [ring], temperature: 0, maxIterations: 2 });
  expect(resultTexts(await session.run("Hello"))).toEqual(["denied: by no"]);
  no.dispose();
  expect(resultTexts(await session.run("Hello"))).toEqual(["denied: by an earlier answer"]);
});
