// Arguments are prepared once, with the defaults and conversions of a schema object: the tool runs with the arguments
// that hooks, rules and people judged.
import { expect, test } from "vitest";
import { z } from "zod";
import { cancel, type HookEventOf, type PermissionRule, tool, type Tool } from "../../../src/index.js";
import { openEngine } from "../../support/engine.js";
import { calls, runOnce, resultTexts } from "../../support/sessions.js";

interface Removal {
  readonly path: string;
  readonly force: boolean;
}

/** A tool that removes by force by default, and that counts how often its arguments are validated. */
function remover() {
  const ran: Removal[] = [];
  let validated = 0;
  const parameters = z
    .object({ path: z.string().transform((path) => path.trim()), force: z.boolean().default(true) })
    .refine(() => ++validated > 0);
  const remove = tool({ name: "remove", parameters, run: (args) => (ran.push(args), "removed") });
  return { remove: remove as Tool, ran, validated: () => validated };
}

const leftOut = calls("remove", { path: " a " });

test("every point that judges sees the defaults, and the tool gets the same; the arguments are validated once", async () => {
  const engine = await openEngine([leftOut, "Well."]);
  const { remove, ran, validated } = remover();
  const seen: unknown[] = [];
  engine.hooks.on("preToolCall", ({ point, args }) => void seen.push([point, args]));
  engine.hooks.guard("preToolCall", ({ args }) => void seen.push(["guard", args]));
  engine.hooks.on("toolValidation", ({ point, args }) => void seen.push([point, args]));
  engine.hooks.on("permissionCheck", ({ point, args }) => void seen.push([point, args]));
  engine.hooks.on("postToolCall", ({ point, args }) => void seen.push([point, args]));
  const result = await runOnce(engine, { tools: [remove] });
  const whole = { path: "a", force: true };
  const points = ["preToolCall", "guard", "toolValidation", "permissionCheck", "postToolCall"];
  expect(seen).toEqual(points.map((point) => [point, whole]));
  expect([ran, validated()]).toEqual([[whole], 1]);
  // The history keeps what the model wrote: its next prompt begins as this one did.
  expect(result.toolCalls[0]?.args).toEqual({ path: " a " });
  expect(result.messages[1]?.toolCalls?.[0]?.args).toEqual({ path: " a " });
});

test.each<[string, PermissionRule[]]>([
  ["a rule that denies", [{ allow: "*" }, { deny: "remove", when: { "args.force": true } }]],
  ["a rule that allows something else", [{ allow: "remove", when: { "args.force": false } }]],
  ["a rule about a converted value", [{ allow: "*" }, { deny: "remove", when: { "args.path": { text: "a" } } }]],
])("%s holds of a value that the model left to the schema", async (_, permissions) => {
  const { remove, ran } = remover();
  const result = await runOnce(await openEngine([leftOut, "Well."]), { tools: [remove], permissions });
  expect(resultTexts(result)[0]).toMatch(/^denied/);
  expect(ran).toEqual([]);
});

test("a remembered answer holds for the call that runs, not for another spelling of it", async () => {
  const engine = await openEngine([leftOut, calls("remove", { path: "a", force: true }), "Well."]);
  const { remove } = remover();
  const rules: unknown[] = [];
  engine.hooks.on("permissionCheck", ({ rule }) => {
    rules.push(rule);
    return { permission: "allow", remember: "call" };
  });
  await runOnce(engine, { tools: [remove], permissions: [{ ask: "*" }] });
  expect(rules).toEqual(["ask *", "remembered: allow remove with these arguments"]);
});

test("a hook changes a field beside a converted one: what it left is converted once", async () => {
  const parameters = z.object({
    words: z.string().transform((text) => text.split(" ").length),
    loud: z.boolean().default(false),
  });
  const ran: unknown[] = [];
  const say = tool({ name: "say", parameters, run: (args) => (ran.push(args), "said") }) as Tool;
  const engine = await openEngine([calls("say", { words: "a b c" }), "Well."]);
  engine.hooks.on("preToolCall", ({ args }) => ({ args: { ...args, loud: true } }));
  const result = await runOnce(engine, { tools: [say] });
  expect(ran).toEqual([{ words: 3, loud: true }]);
  expect(result.toolCalls[0]?.args).toEqual({ words: "a b c", loud: true });
});

test("if the schema changes what a hook gave, guards judge that, too", async () => {
  const { remove, ran } = remover();
  const judged: unknown[] = [];
  const attempt = async (hook: (event: HookEventOf<"preToolCall">) => object): Promise<string | undefined> => {
    const engine = await openEngine([calls("remove", { path: "a", force: false }), "Well."]);
    engine.hooks.on("preToolCall", hook);
    engine.hooks.guard("preToolCall", ({ args }) => {
      judged.push(args["force"]);
      return args["force"] === true ? cancel("never by force") : undefined;
    });
    return resultTexts(await runOnce(engine, { tools: [remove] }))[0];
  };
  expect(await attempt(() => ({ args: { path: "b" } }))).toMatch(/never by force/);
  expect(judged).toEqual([undefined, true]);
  expect(await attempt(() => ({ args: { path: "b", force: false } }))).toBe("removed");
  expect(judged.slice(2)).toEqual([false]);
  expect(ran).toEqual([{ path: "b", force: false }]);
});

test("a hook that redirects a call: the other tool's schema prepares it, and guards see that", async () => {
  const { remove, ran } = remover();
  const keep = tool({ name: "keep", parameters: z.object({ path: z.string() }), run: () => "kept" }) as Tool;
  const engine = await openEngine([calls("keep", { path: " a" }), "Well."]);
  const judged: unknown[] = [];
  engine.hooks.on("preToolCall", () => ({ toolName: "remove" }));
  engine.hooks.guard("preToolCall", ({ toolName, args }) => void judged.push([toolName, args]));
  await runOnce(engine, { tools: [remove, keep] });
  expect(judged.at(-1)).toEqual(["remove", { path: "a", force: true }]);
  expect(ran).toEqual([{ path: "a", force: true }]);
});

test("what a hook gives another tool, it gets, also what it left as the first tool's schema made it", async () => {
  const words = z.object({ words: z.string().transform((text) => text.split(" ").length) });
  const counts = tool({ name: "counts", parameters: words, run: () => "counted" }) as Tool;
  const ran: unknown[] = [];
  const parameters = { type: "object", properties: { words: { type: "integer" }, loud: { type: "boolean" } } } as const;
  const shows = tool({ name: "shows", parameters, run: (args) => (ran.push(args), "shown") }) as Tool;
  const engine = await openEngine([calls("counts", { words: "a b c" }), "Well."]);
  engine.hooks.on("preToolCall", ({ args }) => ({ toolName: "shows", args: { ...args, loud: true } }));
  expect(resultTexts(await runOnce(engine, { tools: [counts, shows] }))).toEqual(["shown"]);
  expect(ran).toEqual([{ words: 3, loud: true }]);
});

test("values that JSON does not have reach the tool as they are, and hooks see their JSON", async () => {
  const parameters = z.object({ at: z.iso.datetime().transform((text) => new Date(text)) });
  const ran: unknown[] = [];
  const wake = tool({ name: "wake", parameters, run: ({ at }) => (ran.push(at), "set") }) as Tool;
  const at = "2026-01-02T03:04:05.000Z";
  const engine = await openEngine([calls("wake", { at }), "Well."]);
  const seen: unknown[] = [];
  engine.hooks.on("preToolCall", ({ args }) => void seen.push(args));
  await runOnce(engine, { tools: [wake] });
  expect([seen, ran]).toEqual([[{ at }], [new Date(at)]]);
});

test("a schema that makes no object: hooks see what the model wrote, and the tool gets the value", async () => {
  const parameters = z.object({ n: z.number() }).transform(({ n }) => [n, 10n]);
  const ran: unknown[] = [];
  const add = tool({
    name: "add",
    parameters: parameters as never,
    run: (value: unknown) => (ran.push(value), "added"),
  });
  const engine = await openEngine([calls("add", { n: 1 }), "Well."]);
  const seen: unknown[] = [];
  engine.hooks.on("preToolCall", ({ args }) => void seen.push(args));
  expect(resultTexts(await runOnce(engine, { tools: [add as Tool] }))).toEqual(["added"]);
  expect([seen, ran]).toEqual([[{ n: 1 }], [[1, 10n]]]);
});

test("a default that differs each time is made once", async () => {
  let next = 0;
  const parameters = z.object({ id: z.number().default(() => ++next) });
  const ran: unknown[] = [];
  const make = tool({ name: "make", parameters, run: ({ id }) => (ran.push(id), "made") }) as Tool;
  const engine = await openEngine([calls("make"), "Well."]);
  const seen: unknown[] = [];
  engine.hooks.on("permissionCheck", ({ args }) => void seen.push(args["id"]));
  expect(resultTexts(await runOnce(engine, { tools: [make] }))).toEqual(["made"]);
  expect(seen).toEqual([next]);
  expect(ran).toEqual([next]);
});

test("hooks still see and mend arguments that do not fit, and answer in a tool's stead", async () => {
  const { remove, ran } = remover();
  const engine = await openEngine([calls("remove", { path: "a" }), "Well."]);
  const odd = tool({ name: "odd", parameters: z.object({ n: z.number().max(3) }), run: ({ n }) => `${n}` }) as Tool;
  const seen: unknown[] = [];
  engine.hooks.on("preToolCall", () => ({ toolName: "odd", args: { n: 7 } }), { priority: -1 });
  engine.hooks.on("preToolCall", ({ args }) => {
    seen.push(args);
    return { args: { n: 2 } };
  });
  expect(resultTexts(await runOnce(engine, { tools: [remove, odd] }))).toEqual(["2"]);
  expect([seen, ran]).toEqual([[{ n: 7 }], []]);
});
