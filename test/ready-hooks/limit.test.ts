// limit() of llama-hooks/hooks, in runs on script models.
import { expect, test } from "vitest";
import { z } from "zod";
import { type AnyHookEvent, cancel, tool, type Tool, type RunResult } from "../../src/index.js";
import { approve, limit } from "../../src/ready-hooks/index.js";
import { openEngine } from "../support/engine.js";
import { asks, calls, directs, runOnce, resultTexts, tools } from "../support/sessions.js";

const kinds = ({ toolCalls }: RunResult): string[] => toolCalls.map(({ resultKind }) => resultKind);

test("limit(): calls beyond it are refused, those that other hooks refuse do not count, children count", async () => {
  const engine = await openEngine({
    replies: [asks("Oslo", "Nowhere"), calls("delegate", { tier: "coder", task: "Look." }), asks("Rome"), "Done."],
    scripts: [{ when: "You are coder.", replies: [asks("Bonn"), "Seen."] }],
  });
  engine.hooks.use(limit({ toolCalls: 3 }));
  engine.hooks.on("preToolCall", ({ args }) => (args["city"] === "Nowhere" ? cancel("where?") : undefined), {
    name: "map",
  });
  const options = { controlTools: ["delegate" as const], tiers: { coder: { system: "You are coder." } } };
  const result = await runOnce(engine, options);
  expect(resultTexts(result)).toEqual([
    "Oslo: 4 degrees",
    "blocked by map: where?",
    "Seen.\n[conversation coder-1]",
    "blocked by limit: no more than 3 tool calls a run",
  ]);
  // Oslo, delegate and Bonn; the next run has its own.
  expect(kinds(await runOnce(engine, options)).at(-1)).toBe("rejected_hook");
});

const even: Tool = tool({
  name: "even",
  parameters: z.object({ n: z.number().refine((n) => n % 2 === 0, "is odd") }),
  run: ({ n }) => `${n} is even`,
}) as Tool;

test("limit(): what guards, rules, schemas and people refuse does not count, and no question is asked in vain", async () => {
  const engine = await openEngine([
    asks("Rome", "Oslo"),
    calls("even", { n: 1 }),
    calls("clock"),
    asks("Bonn", "Bern"),
    "Done.",
  ]);
  const asked: unknown[] = [];
  engine.hooks.use([limit({ toolCalls: 2 }), approve({ ask: ({ args }) => (asked.push(args["city"]), true) })]);
  engine.hooks.guard("preToolCall", ({ args }) => (args["city"] === "Rome" ? cancel("no") : undefined), {
    name: "map",
  });
  const result = await runOnce(engine, { tools: [...tools, even], permissions: [{ deny: "clock" }, { ask: "*" }] });
  expect(kinds(result)).toEqual([
    "rejected_hook",
    "ok",
    "rejected_schema",
    "rejected_permission",
    "ok",
    "rejected_hook",
  ]);
  expect(asked).toEqual(["Oslo", "Bonn"]);
});

test("limit(): a model call without a run counts for no run, and nothing of it is kept", () => {
  const { handlers } = limit({ totalTokens: 1 });
  const meta = { runId: "r", parentRunId: null, sessionId: "s" };
  const event = { meta, usage: { promptTokens: 5, completionTokens: 5 }, status: "running" } as never;
  expect(handlers.postGenerate?.(event)).toBeUndefined();
  expect([handlers.loopStart?.(event), handlers.iterationEnd?.(event)]).toEqual([undefined, undefined]);
  expect(handlers.postGenerate?.(event)).toBeUndefined();
  expect(handlers.iterationEnd?.(event)).toMatchObject({ reason: "10 tokens, of 1 a run" });
});

test("limit(): tokens and time halt a run between iterations, and never one that is done", async () => {
  const engine = await openEngine([asks("Oslo"), asks("Rome"), "Done."]);
  const set = engine.hooks.use(limit({ totalTokens: 1 }));
  const { finishReason, halt, iterations, messages } = await runOnce(engine);
  expect([finishReason, halt?.by, iterations, messages.length]).toEqual(["halted", "limit", 1, 3]);
  expect(halt?.reason).toMatch(/^\d+ tokens, of 1 a run$/);
  set.dispose();
  const timed = engine.hooks.use(limit({ ms: 0 }));
  expect((await runOnce(engine)).halt?.reason).toMatch(/^\d+ ms, of 0 a run$/);
  timed.dispose();
  engine.hooks.use(limit({ ms: 3_600_000, totalTokens: 1e9 }));
  expect((await runOnce(engine)).finishReason).toBe("complete");
  const short = await openEngine(["Done."]);
  short.hooks.use(limit({ totalTokens: 1, ms: 0 }));
  expect((await runOnce(short)).finishReason).toBe("complete");
});

test("limit() with nonsense is refused", () => {
  expect(() => limit({ toolCalls: -1 })).toThrow("limit() options: toolCalls must be an integer of at least 0, got -1");
  expect(() => limit({ tokens: 1 } as never)).toThrow("known: toolCalls, totalTokens, ms");
});

/** A tool that says how often it was called. */

test("limit(): a call that waits is counted once, also if the schema refuses another of its tool", async () => {
  const both = { toolCalls: [1, 2].map((n) => ({ name: "even", args: { n } })) };
  const engine = await openEngine([both, "Done."]);
  engine.hooks.use(limit({ toolCalls: 1 }));
  engine.hooks.on("permissionCheck", ({ answered }) => (answered === undefined ? { defer: true } : undefined));
  const session = engine.session({ tools: [even], temperature: 0 });
  expect((await session.run("Go")).finishReason).toBe("waiting");
  const answers = Object.fromEntries(session.waiting.map(({ id }) => [id, { allow: true as const }]));
  expect(resultTexts(await session.resume(answers)).at(-1)).toBe("2 is even");
});

test("each event of a tool call has its id, and that of a task that a directive hands on has none", async () => {
  const directive = { type: "delegate", params: { tier: "coder", task: "Look." } };
  const engine = await openEngine({
    replies: [asks("Oslo", "Rome"), calls("directs", { directives: [directive] }), "Done."],
    scripts: [{ when: "You are coder.", replies: ["Seen."] }],
  });
  const ids: Record<string, unknown[]> = {};
  const points = ["preToolCall", "toolValidation", "permissionCheck", "postToolCall", "toolResultPersist"] as const;
  for (const point of points)
    engine.hooks.on(point, (event: AnyHookEvent) => {
      if (event.meta.depth === 0 && "toolCallId" in event) (ids[point] ??= []).push(event.toolCallId);
    });
  const result = await runOnce(engine, { tools: [...tools, directs], tiers: { coder: { system: "You are coder." } } });
  const called = result.toolCalls.map(({ id }) => id);
  expect(called).toHaveLength(3);
  const { permissionCheck, ...others } = ids;
  expect(Object.values(others)).toEqual(Array(4).fill(called));
  expect(permissionCheck).toEqual([...called, null]);
});

test("limit(): one call that hands several tasks on is one call, and complete is none", async () => {
  const pipeline = calls("pipeline", { task: "Look.", stages: [{ tier: "coder" }, { tier: "coder" }] });
  const engine = await openEngine({
    replies: [pipeline, calls("weather", { city: "Oslo" }), calls("complete", { summary: "Looked." })],
    scripts: [{ when: "You are coder.", replies: ["Seen.", "Seen."] }],
  });
  engine.hooks.use(limit({ toolCalls: 2 }));
  const result = await runOnce(engine, {
    controlTools: ["pipeline", "complete"],
    tier: "lead",
    tiers: { lead: {}, coder: { system: "You are coder." } },
  });
  expect(kinds(result)).toEqual(["ok", "ok", "ok"]);
  expect(result).toMatchObject({ finishReason: "complete", text: "Looked." });
});
