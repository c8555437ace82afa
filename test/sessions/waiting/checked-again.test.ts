// A call that waited is checked again, against the tool, the rules and the guards at the moment at which it continues,
// and permissions from a file are asked for again.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { cancel, type Engine, type Session, type SessionOptions, tool, type Tool } from "../../../src/index.js";
import { openEngine, tempDir } from "../../support/engine.js";
import { calls, notAllowed, resultTexts } from "../../support/sessions.js";

const two = { toolCalls: [...calls("count", { n: 99 }).toolCalls, ...calls("count", { n: 1 }).toolCalls] };

function counter(maximum: number, ran: number[] = []): { count: Tool; ran: number[] } {
  const parameters = { type: "object", properties: { n: { type: "integer", maximum } }, required: ["n"] } as const;
  return { count: tool({ name: "count", parameters, run: ({ n }) => (ran.push(n), `counted ${n}`) }) as Tool, ran };
}

/** Defers each call whose n is at least `from`, until it has an answer. */
const defers = (session: Session, from = 0) =>
  session.hooks.on("permissionCheck", ({ args, answered }) =>
    answered === undefined && Number(args["n"]) >= from ? { defer: true, waitsFor: "Ada" } : undefined,
  );

/** A session whose calls with an n of at least `from` wait. */
async function waiting(
  options: SessionOptions = {},
  from = 0,
): Promise<{ engine: Engine; session: Session; ran: number[] }> {
  const engine = await openEngine([two, "Well."]);
  const { count, ran } = counter(100);
  const session = engine.session({ tools: [count], temperature: 0, ...options }) as Session;
  defers(session, from);
  expect(await session.run("Go")).toMatchObject({ finishReason: "waiting" });
  return { engine, session, ran };
}

const all = (session: Session): Record<string, "allow"> =>
  Object.fromEntries(session.waiting.map(({ id }) => [id, "allow" as const]));

const tooLarge = /^invalid arguments: .*n/;

test("a schema that setTools() has narrowed refuses the call that waited", async () => {
  const { session } = await waiting();
  const { count, ran } = counter(10);
  session.setTools([count]);
  expect(resultTexts(await session.resume(all(session)))).toEqual([expect.stringMatching(tooLarge), "counted 1"]);
  expect(ran).toEqual([1]);
});

test("and so is a sibling that was allowed before, and only waited for the others", async () => {
  const { session } = await waiting();
  const [large = "", small = ""] = session.waiting.map(({ id }) => id);
  await session.resume({ [large]: "allow" });
  const { count, ran } = counter(10);
  session.setTools([count]);
  expect(resultTexts(await session.resume({ [small]: "allow" }))).toEqual([
    expect.stringMatching(tooLarge),
    "counted 1",
  ]);
  expect(ran).toEqual([1]);
});

test("guards judge each call again, those that were allowed before included", async () => {
  const { session, ran } = await waiting({}, 50);
  session.hooks.guard("preToolCall", ({ args }) => (args["n"] === 1 ? cancel("closed") : undefined), { name: "door" });
  expect(resultTexts(await session.resume(all(session)))).toEqual(["counted 99", "blocked by door: closed"]);
  expect(ran).toEqual([99]);
});

test("a hook at permissionCheck gets each answer, and may deny what was allowed", async () => {
  const { session } = await waiting();
  const [large = "", small = ""] = session.waiting.map(({ id }) => id);
  const seen: unknown[] = [];
  session.hooks.on("permissionCheck", ({ permission, rule, args, answered }) => {
    seen.push({ permission, rule, args, answered });
    return args["n"] === 5 ? { permission: "deny", reason: "five is too many" } : undefined;
  });
  const result = await session.resume({ [large]: { args: { n: 5 }, by: "Bob" }, [small]: { deny: "no" } });
  expect(resultTexts(result)).toEqual(["denied: five is too many", "denied: no"]);
  expect(result.toolCalls[1]?.decidedBy).toBe("Ada");
  const answered = { permission: "allow", by: "Bob", reason: null, args: { n: 5 } };
  expect(seen).toEqual([
    { permission: "allow", rule: null, args: { n: 5 }, answered },
    {
      permission: "deny",
      rule: null,
      args: { n: 1 },
      answered: { permission: "deny", by: "Ada", reason: "no", args: null },
    },
  ]);
});

test("a session that is restored with other tools checks the call against them", async () => {
  const { engine, session } = await waiting();
  const file = path.join(await tempDir(), "session.json");
  await session.save(file);
  const { count, ran } = counter(10);
  const restored = engine.restoreSession(file, { tools: [count], temperature: 0 }) as Session;
  expect(resultTexts(await restored.resume(all(restored)))).toEqual([expect.stringMatching(tooLarge), "counted 1"]);
  expect(ran).toEqual([1]);
});

test("arguments that an edited file brings are checked, and must be those that were allowed", async () => {
  const { engine, session } = await waiting();
  const file = path.join(await tempDir(), "session.json");
  await session.save(file);
  await writeFile(file, (await readFile(file, "utf8")).replaceAll('"n":99', '"n":101'));
  const { count, ran } = counter(100);
  const restored = engine.restoreSession(file, { tools: [count], temperature: 0 }) as Session;
  expect(resultTexts(await restored.resume(all(restored)))).toEqual([expect.stringMatching(tooLarge), "counted 1"]);
  expect(ran).toEqual([1]);
});

test("a default that is another now is not what was allowed: the call does not run", async () => {
  const engine = await openEngine([calls("remove"), "Well."]);
  const ran: unknown[] = [];
  const remove = (force: boolean): Tool =>
    tool({
      name: "remove",
      parameters: z.object({ force: z.boolean().default(force) }),
      run: (args) => (ran.push(args), "removed"),
    }) as Tool;
  const session = engine.session({ tools: [remove(false)], temperature: 0 }) as Session;
  defers(session, Number.NEGATIVE_INFINITY);
  session.hooks.on("permissionCheck", ({ answered }) => (answered === undefined ? { defer: true } : undefined));
  await session.run("Go");
  expect(session.waiting.map(({ args }) => args)).toEqual([{ force: false }]);
  session.setTools([remove(true)]);
  expect(resultTexts(await session.resume(all(session)))[0]).toMatch(
    /^invalid arguments: .*was allowed \{"force":false\}/,
  );
  expect(ran).toEqual([]);
});

test("a default that is another each time is what was allowed, as long as the tool is the same", async () => {
  const engine = await openEngine([calls("make"), "Well.", calls("make"), "Well."]);
  let next = 0;
  const ran: unknown[] = [];
  const make = (): Tool =>
    tool({
      name: "make",
      parameters: z.object({ id: z.number().default(() => ++next) }),
      run: (args) => (ran.push(args), "made"),
    }) as Tool;
  const session = engine.session({ tools: [make()], temperature: 0 }) as Session;
  session.hooks.on("permissionCheck", ({ answered }) => (answered === undefined ? { defer: true } : undefined));
  await session.run("Go");
  const allowed = session.waiting[0]?.args;
  const fork = session.fork() as Session;
  expect(resultTexts(await session.resume(all(session)))).toEqual(["made"]);
  expect(ran).toEqual([allowed]);
  fork.hooks.on("permissionCheck", ({ answered }) => (answered === undefined ? { defer: true } : undefined));
  expect(resultTexts(await fork.resume(all(fork)))).toEqual(["made"]);
  expect(ran).toEqual([allowed, allowed]);

  await session.run("Go");
  session.setTools([make()]);
  expect(resultTexts(await session.resume(all(session)))[0]).toMatch(/^invalid arguments: the tool would get/);
  expect(ran).toHaveLength(2);
});

test("a sibling that a hook has allowed is allowed again by it after a restore, or not", async () => {
  const engine = await openEngine([two, "Well."]);
  const options = { temperature: 0, permissions: [{ ask: "count" }] } satisfies SessionOptions;
  const fresh = engine.session({ ...options, tools: [counter(100).count] }) as Session;
  defers(fresh, 50);
  const allows = (of: Session) =>
    of.hooks.on("preToolCall", ({ args }) => (args["n"] === 1 ? { permission: "allow" } : undefined));
  allows(fresh);
  await fresh.run("Go");
  const file = path.join(await tempDir(), "session.json");
  await fresh.save(file);
  const { count, ran } = counter(100);
  const restore = (id: string): Session => engine.restoreSession(file, { ...options, tools: [count], id }) as Session;
  const again = restore("again");
  allows(again);
  expect(resultTexts(await again.resume(all(again)))).toEqual(["counted 99", "counted 1"]);
  expect(ran.sort()).toEqual([1, 99]);
  const other = restore("other");
  expect(resultTexts(await other.resume(all(other)))).toEqual(["counted 99", notAllowed]);
});

test("conversions of a call that waits are made once, also in another process", async () => {
  const engine = await openEngine([calls("say", { words: "a b c" }), "Well."]);
  const parameters = z.object({ words: z.string().transform((text) => text.split(" ").length) });
  const ran: unknown[] = [];
  const say = tool({ name: "say", parameters, run: (args) => (ran.push(args), "said") }) as Tool;
  const session = engine.session({ tools: [say], temperature: 0 }) as Session;
  session.hooks.on("permissionCheck", ({ answered }) => (answered === undefined ? { defer: true } : undefined));
  await session.run("Go");
  const file = path.join(await tempDir(), "session.json");
  await session.save(file);
  const restored = engine.restoreSession(file, { tools: [say], temperature: 0 }) as Session;
  expect(restored.waiting.map(({ args }) => args)).toEqual([{ words: 3 }]);
  expect(resultTexts(await restored.resume(all(restored)))).toEqual(["said"]);
  expect(ran).toEqual([{ words: 3 }]);
  expect(restored.history()[1]?.toolCalls?.[0]?.args).toEqual({ words: "a b c" });
});

interface File {
  waiting: { calls: { state: string; deferred_by?: string; waits_for?: string }[] };
  remembered: object[];
}

async function edited(session: Session, edit: (json: File) => void): Promise<string> {
  const file = path.join(await tempDir(), "session.json");
  await session.save(file);
  const json = JSON.parse(await readFile(file, "utf8")) as File;
  edit(json);
  await writeFile(file, JSON.stringify(json));
  return file;
}

test.each([
  ["with the name of who deferred it", (call: File["waiting"]["calls"][0]) => (call.state = "approved")],
  [
    "as if no hook had deferred it",
    (call: File["waiting"]["calls"][0]) => {
      call.state = "approved";
      delete call.deferred_by;
      delete call.waits_for;
    },
  ],
])("a call that an edited file calls approved, %s, does not run unless it is allowed", async (_, edit) => {
  const { engine, session } = await waiting({ permissions: [{ ask: "*" }] });
  const file = await edited(
    session,
    ({
      waiting: {
        calls: [large],
      },
    }) => void (large && edit(large)),
  );
  const { count, ran } = counter(100);
  const options = { tools: [count], temperature: 0, permissions: [{ ask: "*" }] };
  const restored = engine.restoreSession(file, options) as Session;
  const small = session.waiting[1]?.id ?? "";
  const result = await restored.resume({ [small]: "allow" });
  if (result.finishReason === "waiting") expect(result.waiting?.map(({ args }) => args)).toEqual([{ n: 99 }]);
  else expect(resultTexts(result)).toEqual([notAllowed, "counted 1"]);
  expect(ran).not.toContain(99);

  const asked: unknown[] = [];
  const again = engine.restoreSession(file, { ...options, id: "again" }) as Session;
  again.hooks.on("permissionCheck", ({ permission, args }) => {
    asked.push([permission, args["n"]]);
    return { permission: "allow" };
  });
  expect(await again.resume(all(again))).toMatchObject({ finishReason: "complete" });
  expect(asked).toHaveLength(2);
  expect(ran.slice(-2).sort()).toEqual([1, 99]);
});

test("an answer that was given before the session was saved is asked for again", async () => {
  const { engine, session } = await waiting();
  const [large = "", small = ""] = session.waiting.map(({ id }) => id);
  await session.resume({ [large]: "allow" });
  expect(session.waiting.map(({ id }) => id)).toEqual([small]);
  const file = await edited(session, () => undefined);
  const { count, ran } = counter(100);
  const restored = engine.restoreSession(file, { tools: [count], temperature: 0 }) as Session;
  expect(restored.waiting).toMatchObject([
    { id: large, waitsFor: "Ada" },
    { id: small, waitsFor: "Ada" },
  ]);
  expect(await restored.resume(all(restored))).toMatchObject({ finishReason: "complete" });
  expect(ran.sort()).toEqual([1, 99]);
  expect(session.fork().waiting.map(({ id }) => id)).toEqual([small]); // nothing was written down in between
});

test("a remembered allow of a file is asked about again, with the rule that says so; a denial holds", async () => {
  const engine = await openEngine({ replies: [calls("count", { n: 1 })], afterLast: "repeat" });
  const { count, ran } = counter(100);
  const options = { tools: [count], temperature: 0, maxIterations: 1, permissions: [{ ask: "*" }] };
  const session = engine.session(options) as Session;
  const forged = await edited(session, ({ remembered }) => {
    remembered.push({ tier: "", tool: "count", permission: "allow" });
  });
  const restored = engine.restoreSession(forged, options) as Session;
  const rules: unknown[] = [];
  restored.hooks.on("permissionCheck", ({ permission, rule }) => void rules.push([permission, rule]));
  expect(resultTexts(await restored.run("Go"))).toEqual([notAllowed]);
  expect(resultTexts(await restored.fork().run("Go"))).toEqual([notAllowed]);
  expect(rules[0]).toEqual(["ask", "remembered before the session was saved: allow count"]);
  expect(ran).toEqual([]);
  restored.hooks.on("permissionCheck", () => ({ permission: "allow", remember: "tool" }), { once: true });
  expect(resultTexts(await restored.run("Go"))).toEqual(["counted 1"]);
  expect(resultTexts(await restored.run("Go"))).toEqual(["counted 1"]);
  expect(resultTexts(await restored.fork().run("Go"))).toEqual(["counted 1"]);
  const denied = await edited(session, ({ remembered }) => {
    remembered.push({ tier: "", tool: "count", permission: "deny" });
  });
  const careful = engine.restoreSession(denied, options) as Session;
  expect(resultTexts(await careful.run("Go"))).toEqual(["denied: by an earlier answer"]);
});
