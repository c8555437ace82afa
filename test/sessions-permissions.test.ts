import { expect, test } from "vitest";
import { type PermissionRule, type RunResult, tool } from "../src/index.js";
import { openEngine } from "./support/engine.js";
import { asks, runOnce, told } from "./support/sessions.js";

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

test.each([
  ["no rule", [], "a", "read"],
  ["allowed", [{ allow: "fs_*" }], "a", "read"],
  ["another tool's rule", [{ allow: "net_*" }], "a", "denied: nobody has allowed it"],
  ["asked, and nobody there", [{ ask: "fs_?ead" }], "a", "denied: nobody has allowed it"],
  ["denied", [{ deny: "fs_*" }], "a", "denied: the rule deny fs_*"],
  ["deny before allow", [{ allow: "**" }, { deny: "*read" }], "a", "denied: the rule deny *read"],
  ["ask before allow", [{ allow: "**" }, { ask: "fs_read" }], "a", "denied: nobody has allowed it"],
  ["where it may", [{ allow: "fs_*", when: data }], "data/deep/er.txt", "read"],
  ["elsewhere", [{ allow: "fs_*", when: data }], "etc/passwd", "denied: nobody has allowed it"],
  ["out by the back", [{ allow: "fs_*", when: data }], "data/../etc/passwd", "denied: nobody has allowed it"],
  ["in by the back", [{ allow: "fs_*", when: data }], "./x/../data/a", "read"],
  ["with the whole path", [{ allow: "fs_*", when: data }], `${process.cwd()}/data/a`, "read"],
  [
    "a forbidden name",
    [{ allow: "**" }, { deny: "**", when: { "args.path": "secret*" } }],
    "./secrets",
    /^denied: the rule/,
  ],
  ["one level only", [{ allow: "**", when: { "args.path": "data/*" } }], "data/a/b", "denied: nobody has allowed it"],
  ["an address", [{ allow: "**", when: { "args.path": "https://a.example/**" } }], "https://a.example/x", "read"],
  ["no such argument", [{ allow: "**", when: { "args.other": "**" } }], "a", "denied: nobody has allowed it"],
] as const)("rules: %s", async (_, permissions, path, text) => {
  const result = await ask({ path }, permissions as unknown as PermissionRule[]);
  if (typeof text === "string") expect(told(result)).toEqual([text]);
  else expect(told(result)[0]).toMatch(text);
  expect(result.toolCalls[0]?.resultKind).toBe(told(result)[0] === "read" ? "ok" : "rejected_permission");
});

test("deep values, members of lists and values that are no text are found by their path", async () => {
  const when = { "args.deep.er": "yes", "args.list.1": "2", "args.path": "true" };
  const args = { deep: { er: "yes" }, list: [1, 2], path: true };
  expect(told(await ask(args, [{ allow: "**", when }]))).toEqual(["read"]);
  expect(told(await ask({ ...args, list: [2, 1] }, [{ allow: "**", when }]))).toEqual([
    "denied: nobody has allowed it",
  ]);
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
  expect(told(result)).toEqual([
    "Oslo: 4 degrees",
    "denied: nobody has allowed it",
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
  expect(told(result)).toEqual(["denied: nobody has allowed it"]);
});

test("a call that was denied does not count, and wrong rules are named at once", async () => {
  const engine = await openEngine([asks("Oslo"), asks("Oslo"), "Done."]);
  let allowed = false;
  engine.hooks.on("permissionCheck", () => (allowed ? { permission: "allow" as const } : void (allowed = true)));
  const result = await runOnce(engine, { permissions: [{ ask: "*" }], maxToolCalls: 1, maxIdenticalCalls: 1 });
  expect(told(result)).toEqual(["denied: nobody has allowed it", "Oslo: 4 degrees"]);
  for (const rule of [
    {},
    { allow: "a", deny: "b" },
    { allow: 7 },
    { allow: "" },
    { allow: "a", when: { path: "x" } },
    { alow: "a" },
  ])
    expect(() => engine.session({ permissions: [rule as PermissionRule] })).toThrow(TypeError);
});
