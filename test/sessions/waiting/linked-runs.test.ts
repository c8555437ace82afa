// A run that continues another names the first, and limits and records of ready hooks stay valid over the wait.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import type { Engine, RunResult, Session } from "../../../src/index.js";
import { audit, limit, type LimitOptions } from "../../../src/ready-hooks/index.js";
import { openEngine, tempDir } from "../../support/engine.js";
import { asks, calls, resultTexts, tools } from "../../support/sessions.js";
import { traced } from "../../support/trace.js";

const cities = ["Oslo", "Rome", "Bonn", "Bern", "Riga", "Lima", "Paris", "Kyiv"];

function open(engine: Engine, options: object = {}): Session {
  const session = engine.session({
    tools,
    temperature: 0,
    maxIterations: 50,
    maxToolCalls: 100,
    ...options,
  }) as Session;
  session.hooks.on("permissionCheck", ({ answered, toolName }) =>
    answered === undefined && toolName === "weather" ? { defer: true, waitsFor: "Ada" } : undefined,
  );
  return session;
}

async function allowAll(session: Session, input = "Go"): Promise<RunResult[]> {
  const results = [await session.run(input)];
  while (results.at(-1)?.finishReason === "waiting")
    results.push(await session.resume(Object.fromEntries(session.waiting.map(({ id }) => [id, "allow" as const]))));
  return results as RunResult[];
}

test("each run that continues names the first, in hooks and in the trace; the first and others name none", async () => {
  const engine = await openEngine([asks("Oslo"), asks("Rome"), "Cold."]);
  const session = open(engine);
  const seen: unknown[] = [];
  session.hooks.on("loopStart", ({ meta }) => void seen.push(meta.resumes));
  let first: string | undefined;
  const events = await traced(engine, async () => {
    const runs = await allowAll(session);
    first = runs[0]?.runId;
    await session.run("And now?");
  });
  expect(seen).toEqual([undefined, first, first, undefined]);
  const started = events.flatMap((event) =>
    event.type === "lifecycle" && event.event === "runStarted" ? [event.resumes] : [],
  );
  expect(started).toEqual(seen);
});

test("the link is saved with the session", async () => {
  const engine = await openEngine([asks("Oslo"), "Cold."]);
  const session = open(engine);
  const { runId } = await session.run("Go");
  const file = path.join(await tempDir(), "session.json");
  await session.save(file);
  const restored = engine.restoreSession(file, { tools, temperature: 0 });
  const seen: unknown[] = [];
  restored.hooks.on("loopStart", ({ meta }) => void seen.push(meta.resumes));
  await restored.resume({ [session.waiting[0]?.id ?? ""]: "allow" });
  expect(seen).toEqual([runId]);
});

const one = cities.map((city) => asks(city));
const together = [asks(...cities)];

test.each<[string, ReturnType<typeof asks>[]]>([
  ["one after the other", one],
  ["in one message", together],
])("limit({ toolCalls: 3 }) holds of calls that wait %s", async (_, replies) => {
  const engine = await openEngine([...replies, "Cold."]);
  engine.hooks.use(limit({ toolCalls: 3 }));
  const results = await allowAll(open(engine));
  const texts = results.flatMap(resultTexts);
  expect(texts.filter((text) => text.endsWith("4 degrees"))).toHaveLength(3);
  expect(texts.filter((text) => text.includes("no more than 3 tool calls a run"))).toHaveLength(cities.length - 3);
});

test("a call that was denied while it waited does not count, and one that waited counts once", async () => {
  const engine = await openEngine([asks("Oslo"), asks("Rome"), calls("clock"), "Cold."]);
  engine.hooks.use(limit({ toolCalls: 2 }));
  const session = open(engine);
  await session.run("Go");
  await session.resume({ [session.waiting[0]?.id ?? ""]: "deny" });
  const result = await session.resume({ [session.waiting[0]?.id ?? ""]: "allow" });
  expect(resultTexts(result)).toEqual(["Rome: 4 degrees", "noon"]);
});

test.each<[LimitOptions, string]>([
  [{ totalTokens: 1 }, "tokens"],
  [{ ms: 0 }, "ms"],
])("limit(%j) ends the run that continues after its iteration", async (limits, unit) => {
  const engine = await openEngine([asks("Oslo"), asks("Rome"), "Cold."]);
  engine.hooks.use(limit(limits));
  const results = await allowAll(open(engine));
  expect(results).toHaveLength(2);
  expect(results[1]).toMatchObject({ finishReason: "halted", halt: { by: "limit" } });
  expect(results[1]?.halt?.reason).toContain(` ${unit}, of `);
});

test("limit({ totalTokens }) counts those of the runs before", async () => {
  const engine = await openEngine([asks("Oslo"), asks("Rome"), asks("Bonn"), "Cold."]);
  const spent: number[] = [];
  engine.hooks.on("postGenerate", ({ usage }) => void spent.push(usage.promptTokens + usage.completionTokens));
  const session = open(engine);
  await session.run("Go");
  const [first = 0] = spent;
  const other = await openEngine([asks("Oslo"), asks("Rome"), asks("Bonn"), "Cold."]);
  other.hooks.use(limit({ totalTokens: first + 1 }));
  const results = await allowAll(open(other));
  expect(results.at(-1)).toMatchObject({ finishReason: "halted", halt: { by: "limit" } });
  expect(results).toHaveLength(3);
});

test("audit() has a line for the answer that a waiting call got: who gave it, and what it changed", async () => {
  const engine = await openEngine([asks("Oslo"), "Cold."]);
  const file = path.join(await tempDir(), "audit.jsonl");
  engine.hooks.use(audit(file));
  const session = open(engine);
  const { runId } = await session.run("Go");
  const id = session.waiting[0]?.id ?? "";
  await session.resume({ [id]: { args: { city: "Rome" }, by: "Bob" } });
  const lines = (await readFile(file, "utf8"))
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as object);
  expect(lines).toContainEqual(
    expect.objectContaining({
      point: "permissionCheck",
      resumes: runId,
      args: { city: "Rome" },
      permission: "allow",
      answered: { permission: "allow", by: "Bob", reason: null, args: { city: "Rome" } },
    }),
  );
});

test.each([
  ["deny", { deny: "not today", by: "Bob" }, { permission: "deny", by: "Bob", reason: "not today" }],
  ["cancel", { cancel: true, by: "Bob" }, { permission: "cancel", by: "Bob" }],
  ["allow", "allow", { permission: "allow" }],
] as const)("audit() has a line for the answer %s", async (_, answer, answered) => {
  const engine = await openEngine([asks("Oslo"), "Cold."]);
  const file = path.join(await tempDir(), "audit.jsonl");
  engine.hooks.use(audit(file));
  const session = open(engine);
  const { runId } = await session.run("Go");
  const id = session.waiting[0]?.id ?? "";
  await session.resume({ [id]: answer });
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  const entries = lines.map((line) => JSON.parse(line) as { point: string; resumes?: string; answered?: object });
  expect(entries.filter((line) => line.answered !== undefined)).toMatchObject([
    { point: "permissionCheck", resumes: runId, toolName: "weather", toolCallId: id, answered },
  ]);
});

test("a cancel is reported, too", async () => {
  const engine = await openEngine([asks("Oslo", "Rome"), "Cold."]);
  const session = open(engine);
  await session.run("Go");
  const seen: unknown[] = [];
  session.hooks.on("permissionCheck", ({ answered }) => void seen.push([answered?.permission, answered?.by]));
  const [first = ""] = session.waiting.map(({ id }) => id);
  const result = await session.resume({ [first]: { cancel: true, by: "Bob" } });
  expect(result.finishReason).toBe("cancelled");
  expect(seen).toEqual([["cancel", "Bob"]]);
  expect(resultTexts(result)).toEqual(Array(2).fill("not run: a call of the message was cancelled"));
});
