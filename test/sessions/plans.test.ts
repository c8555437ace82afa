import { expect, test } from "vitest";
import { cancel, type Engine, type Plan, type SessionOptions, tool } from "../../src/index.js";
import { recordHooks } from "../../src/testing/index.js";
import { openEngine, rejection } from "../support/engine.js";
import { calls, clock, fails, hangs, resultTexts, weather } from "../support/sessions.js";

const echo = tool({
  name: "echo",
  parameters: { type: "object", properties: { text: { type: "string" } } },
  run: ({ text }) => text,
});
const tools = [weather, clock, fails, echo];
const tiers = { coder: { system: "You code." }, tester: { system: "You test." } };
const options = { tools, tiers, temperature: 0 } satisfies SessionOptions;

const open = (): Promise<Engine> =>
  openEngine({
    replies: ["I see."],
    scripts: [
      { when: "You code.", replies: ["Code."] },
      { when: "You test.", replies: ["Tested."] },
    ],
  });

/** The text that the model receives about a plan that the caller gives. */
async function outcome(plan: Plan, engine?: Engine): Promise<string> {
  const session = (engine ?? (await open())).session(options);
  const { messages, text } = await session.run("Go.", { plan });
  expect(text).toBe("I see.");
  const last = messages[1];
  expect(last?.role).toBe("user");
  return last?.content ?? "";
}

const weatherIn = (city: string) => ({ name: city, tool: "weather", args: { city } });

test.each<[string, Plan, string]>([
  [
    "a sequence",
    { flow: "sequence", steps: [weatherIn("Oslo"), { tool: "clock" }] },
    "[plan succeeded: 2 of 2 steps\n[Oslo: done]\nOslo: 4 degrees\n[2: done]\nnoon]",
  ],
  [
    "a sequence that stops at its first failure",
    { flow: "sequence", steps: [weatherIn("Oslo"), { tool: "fails" }, { tool: "clock" }] },
    "[plan failed: 1 of 3 steps\n[Oslo: done]\nOslo: 4 degrees\n[2: failed]\nerror: no\n[3: not run]]",
  ],
  [
    "a fallback, which takes the first success",
    { flow: "fallback", steps: [{ tool: "fails" }, { tool: "clock" }, weatherIn("Oslo")] },
    "[plan succeeded: 1 of 3 steps\n[1: failed]\nerror: no\n[2: done]\nnoon\n[Oslo: not run]]",
  ],
  [
    "a fallback without any success",
    { flow: "fallback", steps: [{ tool: "fails" }, { tool: "axe" }] },
    "[plan failed: 0 of 2 steps\n[1: failed]\nerror: no\n[2: failed]\nunknown tool axe; there are: weather, clock, fails, echo]",
  ],
  [
    "parallel steps with a majority",
    { flow: "parallel", steps: [{ tool: "fails" }, { tool: "clock" }, weatherIn("Oslo")] },
    "[plan succeeded: 2 of 3 steps\n[1: failed]\nerror: no\n[2: done]\nnoon\n[Oslo: done]\nOslo: 4 degrees]",
  ],
  [
    "parallel steps with a tie, which fail",
    { flow: "parallel", steps: [{ tool: "fails" }, { tool: "clock" }] },
    "[plan failed: 1 of 2 steps\n[1: failed]\nerror: no\n[2: done]\nnoon]",
  ],
  [
    "tasks for tiers at once",
    {
      flow: "parallel",
      steps: [{ tier: "coder", task: "Write." }, { tier: "tester", task: "Test." }, { tool: "clock" }],
    },
    "[plan succeeded: 3 of 3 steps\n[1: done]\nCode.\n[2: done]\nTested.\n[3: done]\nnoon]",
  ],
  [
    "a plan within",
    {
      flow: "sequence",
      steps: [{ name: "inner", flow: "fallback", steps: [{ tool: "fails" }, { tool: "clock" }] }, { tool: "clock" }],
    },
    "[plan succeeded: 2 of 2 steps\n[inner: done]\nplan succeeded: 1 of 2 steps\n[1: failed]\nerror: no\n[2: done]\nnoon\n[2: done]\nnoon]",
  ],
  [
    "what an earlier step gave",
    {
      flow: "sequence",
      steps: [
        weatherIn("Oslo"),
        { name: "say", tool: "echo", args: { text: "It says: ${Oslo}" } },
        { tier: "coder", task: "Use ${say}" },
      ],
    },
    "[plan succeeded: 3 of 3 steps\n[Oslo: done]\nOslo: 4 degrees\n[say: done]\nIt says: Oslo: 4 degrees\n[3: done]\nCode.]",
  ],
])("%s", async (_, plan, expected) => {
  expect(await outcome(plan)).toBe(expected);
});

test("steps pass the hooks that they have anyway, and their calls are in the result", async () => {
  const engine = await open();
  const recording = recordHooks(engine);
  const tasks: string[] = [];
  engine.hooks.on("delegate", ({ task, flow }) => void tasks.push(`${flow}: ${task}`));
  const session = engine.session(options);
  const plan = { flow: "sequence", steps: [weatherIn("Oslo"), { tier: "coder", task: "Use ${Oslo}" }] } as const;
  const { toolCalls } = await session.run("Go.", { plan });
  expect(toolCalls).toMatchObject([{ name: "weather", result: "Oslo: 4 degrees" }]);
  expect(tasks).toEqual(["plan: Use Oslo: 4 degrees"]);
  const names = recording.names();
  for (const name of [
    "planExecution",
    "preToolCall",
    "permissionCheck",
    "postToolCall",
    "delegate",
    "delegateComplete",
  ] as const)
    expect(names.filter((one) => one === name).length, name).toBe(name === "permissionCheck" ? 2 : 1);
  expect(names.indexOf("planExecution")).toBeGreaterThan(names.indexOf("loopIteration"));
});

test("tiers work at once: each waits for the other", async () => {
  const arrived: (() => void)[] = [];
  const meet = tool({
    name: "meet",
    run: () =>
      new Promise<string>((resolve) => {
        arrived.push(() => resolve("met"));
        if (arrived.length === 2) for (const go of arrived) go();
      }),
  });
  const engine = await openEngine({
    replies: ["I see."],
    scripts: [{ when: "You code.", replies: [calls("meet"), "Met."] }],
  });
  const session = engine.session({ tools: [meet], tiers: { coder: { system: "You code." } } });
  const runs = new Set<string | null>();
  engine.hooks.on("postToolCall", ({ meta }) => void runs.add(meta.runId));
  const steps = [1, 2].map((n) => ({ tier: "coder", task: `Meet ${n}.` }));
  const { messages, usage } = await session.run("Go.", { plan: { flow: "parallel", steps } });
  expect(messages[1]?.content).toBe("[plan succeeded: 2 of 2 steps\n[1: done]\nMet.\n[2: done]\nMet.]");
  expect(runs.size).toBe(2);
  expect(usage.completionTokens).toBeGreaterThan(8);
});

test("a run that is cancelled within a plan ends, its tiers with it", async () => {
  const engine = await openEngine({
    replies: ["I see."],
    scripts: [{ when: "You code.", replies: [calls("hangs"), "Done."] }],
  });
  const session = engine.session({ tools: [hangs], tiers: { coder: { system: "You code." } } });
  const recording = recordHooks(engine);
  const stop = new AbortController();
  let waiting = 0;
  engine.hooks.on(
    "permissionCheck",
    () => void (++waiting === 2 && setTimeout(() => stop.abort(new Error("enough")), 10)),
  );
  const steps = [1, 2].map((n) => ({ tier: "coder", task: `Hang ${n}.` }));
  const run = session.run("Go.", { plan: { flow: "parallel", steps }, signal: stop.signal });
  expect(await run).toMatchObject({ finishReason: "cancelled", cancel: { by: "signal", reason: "enough" } });
  expect(recording.names().filter((name) => name === "loopEnd").length).toBe(3);
});

/** A step of plans within plans. */
const nested = (levels: number): object =>
  levels === 0 ? { name: "x", tool: "clock" } : { name: "x", flow: "sequence", steps: [nested(levels - 1)] };

test.each<[string, unknown, string, string?]>([
  ["no steps", { flow: "sequence", steps: [] }, "plan.steps must be an array of steps"],
  [
    "a step of no kind",
    { flow: "sequence", steps: [{ name: "x" }] },
    "plan.steps[0] must have one of tool, tier and flow",
  ],
  [
    "a step of two kinds",
    { flow: "sequence", steps: [{ name: "x", tool: "clock", tier: "coder", task: "x" }] },
    "plan.steps[0] must have one of tool, tier and flow",
  ],
  [
    "a task that is missing",
    { flow: "sequence", steps: [{ name: "x", tier: "coder" }] },
    "plan.steps[0].task is missing",
  ],
  [
    "a name twice",
    {
      flow: "sequence",
      steps: [
        { name: "a", tool: "clock" },
        { name: "a", tool: "clock" },
      ],
    },
    'plan.steps has two steps named "a"',
  ],
  [
    "65 steps",
    { flow: "sequence", steps: Array.from({ length: 65 }, (_, n) => ({ name: `s${n}`, tool: "clock" })) },
    "plan.steps has more than 64 steps",
  ],
  [
    "a completion",
    { flow: "sequence", steps: [{ name: "x", tool: "complete" }] },
    "plan.steps[0].tool must not be complete",
  ],
  [
    "a plan as a tool",
    { flow: "sequence", steps: [{ name: "x", tool: "plan" }] },
    "plan.steps[0].tool must not be plan",
  ],
  [
    "an unknown key",
    { flow: "sequence", steps: [{ name: "x", tool: "clock", when: 1 }] },
    "plan.steps[0].when",
    "steps[0].when not a known field",
  ],
  [
    "plans without end",
    { flow: "sequence", steps: [nested(11)] },
    "is nested deeper than 8 plans",
    "steps[0].steps[0].flow not a known field",
  ],
])(
  "a plan with %s is INVALID_ARGUMENT for the caller, and an error for the model",
  async (_, plan, why, toModel = why) => {
    const anything = { flow: "sequence", steps: [{ name: "a", tool: "clock" }] };
    const engine = await openEngine([calls("plan", anything), "I see."]);
    engine.hooks.on("preToolCall", () => ({ args: plan as Record<string, unknown> })); // what the grammar keeps a model from
    const session = engine.session({ ...options, controlTools: ["plan"] });
    expect(await rejection(session.run("Go.", { plan: plan as Plan }))).toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining(why) as string,
    });
    expect(resultTexts(await session.run("Go."))).toEqual([`invalid arguments: ${toModel}`]);
  },
);

test("a plan is checked where it is given", async () => {
  const session = (await open()).session(options);
  const run = (plan: unknown): unknown => session.run("Go.", { plan: plan as Plan });
  expect(() => run({ steps: [] })).toThrow(/plan\.flow must be/);
  expect(() => run({ flow: "circle", steps: [] })).toThrow(/plan\.flow must be/);
  expect(() => run({ flow: "sequence" })).toThrow(/plan\.steps must be an array/);
  expect(() => run({ flow: "sequence", steps: [], more: 1 })).toThrow(/plan has no key "more"/);
});

test("a dry run answers every tool without running it, also those of tiers and plans, and says so at its end", async () => {
  let ran = 0;
  const counts = tool({ name: "counts", run: () => ++ran });
  const replies = [
    {
      toolCalls: [
        { name: "counts", args: {} },
        { name: "delegate", args: { tier: "coder", task: "x" } },
      ],
    },
    calls("plan", { flow: "sequence", steps: [{ name: "a", tool: "counts" }] }),
    calls("complete", { summary: "That is the plan." }),
  ];
  const engine = await openEngine(replies);
  const seen: unknown[] = [];
  engine.hooks.on("dryRun", ({ plannedSteps, toolsUsed }) => void seen.push([plannedSteps, toolsUsed]));
  engine.hooks.on("loopEnd", () => void seen.push("loopEnd"));
  const session = engine.session({ tools: [counts], tiers, controlTools: ["delegate", "plan", "complete"] });
  const result = await session.run("Go.", { dryRun: true });
  expect(result).toMatchObject({ finishReason: "complete", text: "That is the plan." });
  expect(resultTexts(result)).toEqual([
    "dry run: counts was not run",
    "dry run: delegate was not run",
    "dry run: the plan was not run",
    "completed",
  ]);
  expect(seen).toEqual([[3, ["counts", "delegate", "plan", "complete"]], "loopEnd"]);
  expect(ran).toBe(0);
});

test("a dry run still refuses what it would refuse", async () => {
  const engine = await openEngine([
    {
      toolCalls: [
        { name: "weather", args: { city: "Oslo" } },
        { name: "clock", args: {} },
      ],
    },
    "I see.",
  ]);
  engine.hooks.on("preToolCall", ({ toolName }) => (toolName === "weather" ? { args: { city: 7 } } : undefined));
  const session = engine.session({ ...options, permissions: [{ deny: "clock" }] });
  const result = await session.run("Go.", { dryRun: true });
  expect(resultTexts(result)).toEqual([expect.stringMatching(/^invalid arguments: /), "denied: the rule deny clock"]);
});

test("what a step gave is text, whatever it says; a plan within sees the steps before it", async () => {
  const engine = await open();
  const marks = tool({ name: "marks", run: () => "${secret} ${b}" });
  const session = engine.session({ ...options, tools: [...tools, marks] });
  const plan = {
    flow: "sequence",
    steps: [
      { name: "secret", tool: "clock" },
      { name: "a", tool: "marks" },
      { name: "b", tool: "clock" },
      { name: "inner", flow: "sequence", steps: [{ name: "say", tool: "echo", args: { text: "${a} and ${b}" } }] },
    ],
  } as const;
  const { toolCalls } = await session.run("Go.", { plan });
  expect(toolCalls.at(-1)?.result).toBe("${secret} ${b} and noon");
});

test("a plan has 64 steps at most, and many tasks at once all come to an end", async () => {
  const steps = Array.from({ length: 20 }, (_, n) => ({ name: `s${n}`, tier: "coder", task: "Write." }));
  expect(await outcome({ flow: "parallel", steps })).toMatch(/^\[plan succeeded: 20 of 20 steps/);
  const session = (await open()).session(options);
  const more = Array.from({ length: 65 }, () => ({ tool: "clock" }));
  expect(await rejection(session.run("Go.", { plan: { flow: "sequence", steps: more } }))).toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining("more than 64 steps") as string,
  });
});

test("directives of a plan's tools are done: a completion ends the run, through complete hooks", async () => {
  const ends = tool({
    name: "ends",
    trusted: true,
    run: (_, { directive }) => (directive("complete", { summary: "All of it." }), "ok"),
  });
  const engine = await open();
  const summaries: string[] = [];
  engine.hooks.on("complete", ({ summary }) => void summaries.push(summary));
  const session = engine.session({ ...options, tools: [ends] });
  const result = await session.run("Go.", { plan: { flow: "sequence", steps: [{ tool: "ends" }] } });
  expect(result).toMatchObject({ finishReason: "complete", text: "All of it." });
  expect(summaries).toEqual(["All of it."]);
  expect(session.history().length).toBe(2);
});

test.each([
  ["complete", { summary: "x" }],
  ["plan", { flow: "sequence", steps: [{ name: "a", tool: "clock" }] }],
])("a hook cannot make a step of a plan a call of %s", async (toolName, args) => {
  const engine = await open();
  engine.hooks.on("preToolCall", () => ({ toolName, args }));
  const session = engine.session({ ...options, controlTools: ["complete", "plan"] });
  const { toolCalls, text } = await session.run("Go.", { plan: { flow: "sequence", steps: [{ tool: "clock" }] } });
  const result = `${toolName} cannot be a step of a plan`;
  expect(toolCalls).toMatchObject([{ result, resultKind: "rejected_schema" }]);
  expect(text).toBe("I see.");
});

test("what planExecution hooks make of the caller's plan is reported", async () => {
  const plan = { flow: "sequence", steps: [{ tool: "clock" }] } as const;
  const engine = await open();
  const wrong = engine.hooks.on("planExecution", () => ({ steps: [{ name: "x" }] }));
  expect(await outcome(plan, engine)).toBe(
    "[error: after hooks changed it: plan.steps[0] must have one of tool, tier and flow]",
  );
  wrong.dispose();
  engine.hooks.on("planExecution", () => cancel("one by one"), { name: "policy" });
  expect(await outcome(plan, engine)).toBe("[blocked by policy: one by one]");
});

test("a dry run of the caller's plan, and a plan where there is neither tool nor tier", async () => {
  const session = (await open()).session({ temperature: 0 });
  const steps = [{ tool: "axe" }, { tier: "coder", task: "Write." }];
  const plan = { flow: "parallel", steps } as const;
  const planText = async (dryRun: boolean): Promise<string | undefined> =>
    (await session.run("Go.", { plan, dryRun })).messages[1]?.content;
  expect(await planText(false)).toBe(
    "[plan failed: 0 of 2 steps\n[1: failed]\nunknown tool axe; there are: none\n" +
      "[2: failed]\nunknown tier coder; there are: none]",
  );
  expect(await planText(true)).toBe("[dry run: the plan was not run]");
});

test("a model may put a plan into its plan", async () => {
  const inner = { name: "both", flow: "parallel", steps: [weatherIn("Oslo"), weatherIn("Rome")] };
  const args = { flow: "sequence", steps: [inner, { name: "time", tool: "clock" }] };
  const engine = await openEngine([calls("plan", args), "I see."]);
  const result = await engine.session({ ...options, controlTools: ["plan"] }).run("Go.");
  expect(resultTexts(result)[0]).toContain("plan succeeded: 2 of 2 steps\n[both: done]\nplan succeeded: 2 of 2 steps");
});
