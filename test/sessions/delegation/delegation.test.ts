import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { type Engine, type HookMeta, type RunEvent, type SessionTool, tool } from "../../../src/index.js";
import { recordHooks } from "../../../src/testing/index.js";
import { openEngine, rejection, scriptModel, tempDir } from "../../support/engine.js";
import { gate } from "../../support/gate.js";
import { calls, clock, hangs, runOnce, resultTexts, weather } from "../../support/sessions.js";

const delegates = (tier: string, task = "Do it.", resume?: string) => ({
  toolCalls: [{ name: "delegate", args: { tier, task, ...(resume !== undefined && { resume }) } }],
});

const tiers = {
  lead: { system: "You are lead." },
  coder: { description: "writes code", system: "You are coder." },
  tester: { system: "You are tester." },
} as const;
const options = { tools: [weather, clock], tier: "lead", tiers, controlTools: ["delegate"] } as const;

type Replies = readonly (string | { toolCalls: { name: string; args: object }[] })[];

/** A model that answers as each tier, by its system prompt. */
function crew(replies: { lead?: Replies; coder?: Replies; tester?: Replies }): Promise<Engine> {
  const scripts = Object.entries(replies).map(([name, of]) => ({ when: `You are ${name}.`, replies: of }));
  return openEngine({ replies: ["Who am I?"], scripts: scripts as never });
}

test("a tier does a task in a separate conversation, and its answer is the result", async () => {
  const engine = await crew({ lead: [delegates("coder"), "Done."], coder: [calls("clock"), "Written at noon."] });
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ messages, meta: { depth, tier, runId, parentRunId } }) => {
    seen.push([depth, tier, parentRunId === null ? runId === firstRun() : parentRunId === firstRun(), messages.length]);
  });
  const runs: string[] = [];
  const firstRun = (): string | undefined => runs[0];
  engine.hooks.on("loopStart", ({ meta }) => void runs.push(meta.runId as string));
  const result = await runOnce(engine, options);
  expect(resultTexts(result)).toEqual(["Written at noon.\n[conversation coder-1]"]);
  expect(result).toMatchObject({ text: "Done.", finishReason: "complete", iterations: 2 });
  expect(result.messages.length).toBe(4);
  expect(seen).toEqual([
    [0, "lead", true, 2],
    [1, "coder", true, 2],
    [1, "coder", true, 4],
    [0, "lead", true, 4],
  ]);
  expect(new Set(runs).size).toBe(2);
});

test("a delegated run fires the points of a run, in this order", async () => {
  const engine = await crew({ lead: [delegates("coder"), "Done."], coder: ["Written."] });
  const recording = recordHooks(engine);
  const whose: string[] = [];
  for (const point of ["loopStart", "loopEnd", "bootstrap", "iterationEnd"] as const)
    engine.hooks.on(point, (event: { readonly meta: HookMeta }) => void whose.push(`${point} ${event.meta.depth}`));
  await runOnce(engine, options);
  const names = recording.names().filter((name) => name !== "streamToken" && name !== "promptProgress");
  const call = ["contextAssemble", "contextBudget", "preGenerate", "postGenerate"];
  const enter = ["stateChange", "loopStart", "stateChange", "loopIteration", "bootstrap", ...call];
  const leave = ["iterationEnd", "stateChange", "loopEnd", "stateChange"];
  const decided = ["stateChange", "preToolCall", "toolValidation", "permissionCheck", "stateChange", "delegate"];
  const concluded = [
    "delegateComplete",
    "stateChange",
    "postToolCall",
    "toolResultPersist",
    "stateChange",
    "iterationEnd",
  ];
  const parts = [
    ["sessionStart", "userMessage"],
    enter,
    decided,
    enter,
    leave,
    concluded,
    ["loopIteration"],
    call,
    leave,
  ];
  expect(names).toEqual([...parts.flat(), "sessionEnd"]);
  const within = ["loopStart 1", "bootstrap 1", "iterationEnd 1", "loopEnd 1"];
  expect(whose).toEqual(["loopStart 0", "bootstrap 0", ...within, "iterationEnd 0", "iterationEnd 0", "loopEnd 0"]);
});

test("events say which run they are of, and where one begins that does a task", async () => {
  const engine = await crew({ lead: [delegates("coder"), "Done."], coder: ["Written."] });
  const session = engine.session(options);
  const events: Exclude<RunEvent, { type: "end" }>[] = [];
  for await (const event of session.run("Go")) if (event.type !== "end") events.push(event);
  const texts = [0, 1].map((depth) =>
    events.flatMap((event) => (event.type === "token" && event.depth === depth ? [event.text] : [])).join(""),
  );
  expect(texts[0]).toMatch(/Done\.$/);
  expect(texts[1]).toBe("Written.");
  expect(events.every(({ runId }) => runId.startsWith("run-"))).toBe(true);
  expect(new Set(events.map(({ runId, depth }) => `${depth} ${runId}`)).size).toBe(2);
  const delegation = events.find(({ type }) => type === "delegation");
  expect(delegation).toMatchObject({ tier: "coder", task: "Do it.", child: "coder-1", depth: 0 });
});

test("usage is summed with that of the tier, and its decisions are with the run's", async () => {
  const engine = await crew({ lead: [delegates("coder"), "Done."], coder: ["Written."] });
  engine.hooks.on("preGenerate", () => ({ params: { seed: 7 } }), { name: "seeder" });
  let child = 0;
  engine.hooks.on("delegateComplete", ({ usage }) => void (child = usage.completionTokens));
  let all = 0;
  engine.hooks.on("postGenerate", ({ usage }) => void (all += usage.completionTokens));
  const { usage, decisions } = await runOnce(engine, options);
  expect(child).toBeGreaterThan(0);
  expect(usage.completionTokens).toBe(all);
  expect(decisions.filter(({ point }) => point === "preGenerate").length).toBe(3);
});

test("a result has the calls of its run and, apart, those of the runs below it, run by run as they ended", async () => {
  const engine = await crew({
    lead: [delegates("coder"), calls("clock"), "Done."],
    coder: [delegates("tester"), calls("weather", { city: "Oslo" }), "Written."],
    tester: [calls("clock"), "Tested."],
  });
  const run = engine.session(options).run("Go.");
  const events: unknown[] = [];
  for await (const event of run) if (event.type === "toolCall") events.push([event.depth, event.name]);
  const { toolCalls, childToolCalls } = await run;
  const named = (records: typeof toolCalls): string[] => records.map(({ name, result }) => `${name}: ${result}`);
  expect(named(toolCalls)).toEqual(["delegate: Written.\n[conversation coder-1]", "clock: noon"]);
  expect(named(childToolCalls)).toEqual([
    "clock: noon",
    "delegate: Tested.\n[conversation tester-2]",
    "weather: Oslo: 4 degrees",
  ]);
  expect(events).toEqual([
    [0, "delegate"],
    [1, "delegate"],
    [2, "clock"],
    [1, "weather"],
    [0, "clock"],
  ]);
});

test("a conversation with a tier can be resumed by its name", async () => {
  const lead = [delegates("coder", "Write."), delegates("coder", "Mend.", "coder-1"), "Done."];
  const engine = await crew({ lead, coder: ["Written.", "Mended."] });
  const result = await runOnce(engine, options);
  expect(resultTexts(result)).toEqual(["Written.\n[conversation coder-1]", "Mended.\n[conversation coder-1]"]);
});

test.each([
  [
    "a tier that there is not",
    delegates("coder"),
    "writer",
    "unknown tier writer; there are: lead, coder, tester",
    "rejected_schema",
  ],
  ["itself", delegates("coder"), "lead", "limit reached: a cycle of tiers, lead > lead", "rejected_limit"],
  [
    "a conversation that there is not",
    delegates("coder", "Go on.", "coder-7"),
    "coder",
    "unknown conversation coder-7 with coder",
    "rejected_schema",
  ],
])(
  "a delegation to %s is refused, the model learns it, and delegateComplete fires",
  async (_, call, tier, why, resultKind) => {
    const engine = await crew({ lead: [call, "I see."] });
    // The schema of the tool has the names; a hook may still give another.
    engine.hooks.on("delegate", () => ({ targetTier: tier }));
    const ended: unknown[] = [];
    engine.hooks.on("delegateComplete", ({ success, summary }) => void ended.push({ success, summary }));
    const result = await runOnce(engine, options);
    expect(resultTexts(result)).toEqual([why]);
    expect(result.toolCalls).toMatchObject([{ resultKind, isError: true }]);
    expect(ended).toEqual([{ success: false, summary: why }]);
  },
);

test("a tier that comes round again is refused, however long the way", async () => {
  const engine = await crew({
    lead: [delegates("coder"), "Done."],
    coder: [delegates("tester"), "Written."],
    tester: [delegates("lead"), "Tested."],
  });
  const results: string[] = [];
  engine.hooks.on("postToolCall", ({ result }) => void results.push(result));
  await runOnce(engine, options);
  expect(results).toEqual([
    "limit reached: a cycle of tiers, lead > coder > tester > lead",
    "Tested.\n[conversation tester-2]",
    "Written.\n[conversation coder-1]",
  ]);
});

test("maxDelegationDepth and maxFailedDelegations reach the model", async () => {
  const deep = await crew({ lead: [delegates("coder"), "Done."], coder: [delegates("tester"), "Alone."] });
  const results: string[] = [];
  deep.hooks.on("postToolCall", ({ result }) => void results.push(result));
  await runOnce(deep, { ...options, maxDelegationDepth: 1 });
  expect(results[0]).toBe("limit reached: delegation 1 deep");

  const failing = await crew({
    lead: [delegates("coder", "a"), delegates("coder", "b"), delegates("coder", "c"), "So."],
  });
  const errors: unknown[] = [];
  failing.hooks.on("error", ({ code, message, where }) => void errors.push([code, message, where]));
  failing.hooks.on("postGenerate", ({ tier }) => (tier === "coder" ? { halt: "no" } : undefined), { name: "brake" });
  const result = await runOnce(failing, options);
  const why = "delegation failed: halted by brake: no";
  expect(resultTexts(result)).toEqual([
    `${why}\n[conversation coder-1]`,
    `${why}\n[conversation coder-2]`,
    "limit reached: 2 failed delegations",
  ]);
  expect(result.toolCalls.map(({ resultKind }) => resultKind)).toEqual([
    "delegation_failed",
    "delegation_failed",
    "rejected_limit",
  ]);
  expect(errors).toEqual([1, 2].map(() => ["DELEGATION_FAILED", `coder: ${why}`, "delegate:coder"]));
});

test("a pipeline hands each stage what the one before has made, and stops at the first failure", async () => {
  const pipeline = calls("pipeline", {
    task: "Ship it.",
    stages: [{ tier: "coder" }, { tier: "tester", task: "Be strict." }],
  });
  const engine = await crew({ lead: [pipeline, "Shipped."], coder: ["Code."], tester: ["Tested."] });
  const tasks: string[] = [];
  engine.hooks.on("delegate", ({ task, flow }) => void tasks.push(`${flow}: ${task}`));
  const session = { ...options, controlTools: ["pipeline"] } as const;
  expect(resultTexts(await runOnce(engine, session))).toEqual(["Tested."]);
  expect(tasks).toEqual(["pipeline: Ship it.", "pipeline: Ship it.\n\nBe strict.\n\n[output of coder]\nCode."]);
  engine.hooks.on("postGenerate", ({ tier }) => (tier === "coder" ? { halt: "no" } : undefined), { name: "brake" });
  expect(resultTexts(await runOnce(engine, session))).toEqual(["stage 1 of 2: delegation failed: halted by brake: no"]);
  expect(tasks.length).toBe(3);
});

test("a tier has its own tools, sampling and model; what it leaves out is the session's", async () => {
  const other = await scriptModel(["From the other model."]);
  const main = await scriptModel({ replies: [delegates("coder"), "Done."], scripts: [] });
  const engine = await openEngine([], { models: { main, other } });
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ tools, params, meta }) => {
    seen.push([meta.modelId, tools.map(({ name }) => name), params.seed, params.temperature]);
  });
  const coder = { model: "other", tools: ["clock"], seed: 5 };
  const result = await runOnce(engine, {
    ...options,
    model: "main",
    temperature: 0,
    seed: 1,
    tiers: { boss: {}, coder },
    tier: "boss",
  });
  expect(resultTexts(result)).toEqual(["From the other model.\n[conversation coder-1]"]);
  expect(seen).toEqual([
    ["main", ["weather", "clock", "delegate"], 1, 0],
    ["other", ["clock"], 5, 0],
    ["main", ["weather", "clock", "delegate"], 1, 0],
  ]);
});

test("a model that a delegated run uses cannot be unloaded from its hooks; afterwards it can", async () => {
  const other = await scriptModel(["Other."]);
  const main = await scriptModel([delegates("coder"), "Done."]);
  const engine = await openEngine([], { models: { main, other } });
  const outcomes: unknown[] = [];
  engine.hooks.on("postGenerate", async ({ meta }) => {
    if (meta.modelId === "other") outcomes.push(await rejection(engine.models.unload("other")));
  });
  engine.hooks.on("delegateComplete", async () => void outcomes.push(await engine.models.unload("other")));
  await runOnce(engine, { ...options, model: "main", tiers: { boss: {}, coder: { model: "other" } }, tier: "boss" });
  expect(outcomes).toMatchObject([{ code: "REENTRANT" }, { modelId: "other" }]);
  expect(engine.models.list().map(({ modelId }) => modelId)).toEqual(["main"]);
});

test("a tier whose model is not loaded fails, and the model learns it", async () => {
  const engine = await crew({ lead: [delegates("coder"), "So."] });
  const result = await runOnce(engine, { ...options, tiers: { ...tiers, coder: { model: "gone" } } });
  expect(resultTexts(result)).toEqual(['delegation failed: no model named "gone" is loaded; loaded: "default"']);
});

test("of all rules that hold the one that allows least decides: a tier's own, and those of the run that delegates", async () => {
  const engine = await crew({
    lead: [delegates("coder"), "Done."],
    coder: [calls("clock"), calls("weather", { city: "Oslo" }), "So."],
  });
  const results: unknown[] = [];
  engine.hooks.on(
    "postToolCall",
    ({ toolName, result, meta }) => void (meta.depth === 1 && results.push([toolName, result])),
  );
  const permissions = [{ allow: "*" }, { deny: "weather" }];
  await runOnce(engine, {
    ...options,
    permissions,
    tiers: { ...tiers, coder: { ...tiers.coder, permissions: [{ deny: "clock" }, { allow: "*" }] } },
  });
  expect(results).toEqual([
    ["clock", "denied: the rule deny clock"],
    ["weather", "denied: the rule deny weather"],
  ]);
});

test("what delegated runs call counts as the run's own", async () => {
  const engine = await crew({
    lead: [delegates("coder"), calls("clock"), "Done."],
    coder: [calls("clock"), calls("clock"), "So."],
  });
  const results: unknown[] = [];
  engine.hooks.on("postToolCall", ({ toolName, result }) => void results.push([toolName, result]));
  await runOnce(engine, { ...options, maxToolCalls: 2 });
  expect(results).toEqual([
    ["clock", "noon"],
    ["clock", "limit reached: 2 tool calls in this run"],
    ["delegate", "So.\n[conversation coder-1]"],
    ["clock", "limit reached: 2 tool calls in this run"],
  ]);
});

test("a run that is cancelled while a tier works ends, and every call has its result", async () => {
  const engine = await crew({ lead: [delegates("coder"), "Done."], coder: [calls("hangs"), "So."] });
  const stop = new AbortController();
  const aborts: SessionTool = {
    ...hangs,
    run: () => {
      stop.abort(new Error("enough"));
      return new Promise(() => {});
    },
  };
  const session = engine.session({ ...options, tools: [aborts] });
  const recording = recordHooks(engine);
  const result = await session.run("Go", { signal: stop.signal });
  expect(result).toMatchObject({ finishReason: "cancelled", cancel: { by: "signal", reason: "enough" } });
  expect(resultTexts(result)).toEqual(["cancelled: enough\n[conversation coder-1]"]);
  expect(recording.names().filter((name) => name === "loopEnd").length).toBe(2);
  expect(session.history()).toEqual(result.messages);
});

test("parameters of a run are laid over those of the session and its tier, not over those of the tiers it delegates to", async () => {
  const engine = await crew({ lead: [delegates("coder"), "Done."], coder: ["Written."] });
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ params, tier }) => void seen.push([tier, params.seed, params.topK]));
  const session = engine.session({
    ...options,
    seed: 1,
    topK: 5,
    tiers: { ...tiers, lead: { ...tiers.lead, topK: 6 } },
  });
  await session.run("Go", { seed: 2 });
  expect(seen).toEqual([
    ["lead", 2, 6],
    ["coder", 1, 5],
    ["lead", 2, 6],
  ]);
});

test("what delegateComplete has replaced is nowhere, and what delegate has changed is what was called", async () => {
  const engine = await crew({ lead: [delegates("coder"), "Done."], coder: ["The key is hunter2."] });
  engine.hooks.on("delegate", ({ task }) => ({ task: `${task} Quietly.` }));
  engine.hooks.on("delegateComplete", ({ summary }) => ({ summary: summary.replace("hunter2", "[redacted]") }));
  const session = engine.session(options);
  const { toolCalls } = await session.run("Go");
  expect(toolCalls).toMatchObject([{ args: { tier: "coder", task: "Do it. Quietly." } }]);
  const file = path.join(await tempDir(), "session.json");
  await session.save(file);
  const text = await readFile(file, "utf8");
  expect(text).toContain("[redacted]");
  expect(text).not.toContain("hunter2");
});

test("a conversation that is under way cannot be resumed at the same time", async () => {
  const engine = await crew({
    lead: [delegates("coder"), "Done."],
    coder: ["First.", calls("hold"), "Second."],
    tester: [delegates("coder", "Again.", "coder-1"), "Tested."],
  });
  const refused = gate();
  const results: string[] = [];
  engine.hooks.on("postToolCall", ({ toolName, result, meta }) => {
    if (toolName !== "delegate" || meta.depth !== 1) return;
    results.push(result);
    refused.open();
  });
  const hold = tool({ name: "hold", run: () => refused.passed });
  const session = engine.session({ ...options, tools: [hold] });
  await session.run("Go");
  const steps = [1, 2].map(() => ({ tier: "tester", task: "Test." }));
  await session.run("Test.", { plan: { flow: "parallel", steps } });
  expect(results).toEqual(["limit reached: the conversation coder-1 is under way", "Second.\n[conversation coder-1]"]);
});

test("a tier that comes to maxIterations has failed", async () => {
  const engine = await crew({ lead: [delegates("coder"), "Done."], coder: [calls("clock"), calls("clock")] });
  expect(resultTexts(await runOnce(engine, { ...options, maxIterations: 2 }))).toEqual([
    "delegation failed: it came to the limit max_iterations\n[conversation coder-1]",
  ]);
});
