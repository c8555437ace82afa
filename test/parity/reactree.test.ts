// ReAcTree's hooks, line by line: observers of an execution, and the decisions beside them. Must not: judge by what an event
// said where the model can be asked what it received.
import { expect, test } from "vitest";
import { cancel, defineHooks, type Engine, type Plan, tool, type Tool } from "../../src/index.js";
import { estimateBudget, estimateTokens } from "../../src/ready-hooks/index.js";
import { openEngine, rejection } from "../support/engine.js";
import { lastHeard, listen } from "../support/prompts.js";
import { asks, calls, clock, fails, reads, runOnce, story, tools, weather } from "../support/sessions.js";

const aside = (decision: string, monologue = "Hm.") => JSON.stringify({ monologue, decision });
const judged = (decision: string, reason = "Hm.") => JSON.stringify({ reason, decision });

test("iteration start: the goal, the iteration from 1, the maximum", async () => {
  const engine = await openEngine([asks("Oslo"), "It is cold."]);
  const seen: unknown[] = [];
  engine.hooks.on("loopIteration", ({ goal, iteration, maxIterations }) => {
    seen.push([goal, iteration, maxIterations]);
  });
  await runOnce(engine, { tools, maxIterations: 7 }, "How is Oslo?");
  expect(seen).toEqual([
    ["How is Oslo?", 1, 7],
    ["How is Oslo?", 2, 7],
  ]);
});

test("iteration end: status, the tool calls of this iteration, whether the task is completed, the output", async () => {
  const engine = await openEngine([asks("Oslo", "Rome"), asks("Paris"), "It is cold."]);
  const seen: unknown[] = [];
  engine.hooks.on("iterationEnd", ({ status, toolCallCounts, taskCompleted, output }) => {
    seen.push([status, toolCallCounts, taskCompleted, output]);
  });
  await runOnce(engine);
  expect(seen).toEqual([
    ["running", { weather: 2 }, false, "One moment."],
    ["running", { weather: 1 }, false, "One moment."],
    ["success", {}, true, "It is cold."],
  ]);
});

test("iteration end comes also when the iteration has failed", async () => {
  const engine = await openEngine([asks("Oslo"), "It is cold."]);
  const seen: unknown[] = [];
  engine.hooks.on("iterationEnd", ({ iteration, status, taskCompleted }) => {
    seen.push([iteration, status, taskCompleted]);
  });
  engine.hooks.on("preGenerate", ({ iteration }) =>
    iteration === 2 ? { params: { grammar: "root ::=" } } : undefined,
  );
  const session = engine.session({ tools, temperature: 0 });
  expect(await rejection(session.run("Hello"))).toMatchObject({ code: "INVALID_ARGUMENT" }); // not beside tools
  expect(seen).toEqual([
    [1, "running", false],
    [2, "failure", false],
  ]);
});

test("reflection: the reflector decides, the hook observes, and its answer is refused", async () => {
  const engine = await openEngine({
    replies: [asks("Oslo"), "It is cold."],
    scripts: [{ when: "Look at what was done", replies: [aside("PROCEED"), aside("PROCEED", "So far, so good.")] }],
  });
  const prompts = listen(engine);
  const seen: unknown[] = [];
  const errors: string[] = [];
  engine.hooks.on("reflection", ({ iteration, monologue, shouldProceed }) => {
    seen.push([iteration, monologue, shouldProceed]);
  });
  engine.hooks.on("reflection", () => ({ shouldProceed: false }) as never, { name: "meddler" });
  engine.hooks.on("error", ({ code }) => void errors.push(code));
  expect((await runOnce(engine, { tools, reflect: true })).text).toBe("It is cold.");
  expect(seen).toEqual([[1, "So far, so good.", true]]);
  expect(errors).toEqual(["HOOK_BAD_ANSWER"]);
  const [, asked, next] = await prompts();
  expect(asked).toContain("Look at what was done so far");
  expect(next).not.toContain("Look at what was done so far");
});

test("reflection: HALT stops the run with a failure that says why", async () => {
  const engine = await openEngine({
    replies: [asks("Oslo"), "It is cold."],
    scripts: [{ when: "Look at what was done", replies: ["", aside("HALT", "It goes in circles.")] }],
  });
  const prompts = listen(engine);
  const ends: unknown[] = [];
  engine.hooks.on("iterationEnd", ({ status, taskCompleted }) => void ends.push([status, taskCompleted]));
  const result = await runOnce(engine, { tools, reflect: true });
  expect(result).toMatchObject({ finishReason: "halted", halt: { by: "reflection", reason: "It goes in circles." } });
  expect(ends).toEqual([["failure", false]]);
  expect((await prompts()).length).toBe(2); // the call and the reflection: the model is not asked again
});

test("reflection: a reflector that fails means proceed", async () => {
  const engine = await openEngine({
    replies: [asks("Oslo"), "It is cold."],
    scripts: [{ when: "Look at what was done", replies: ["", "?"] }],
  });
  engine.hooks.on("preGenerate", ({ messages }) =>
    messages.at(-1)?.content.startsWith("Look at") ? cancel("no time") : undefined,
  );
  expect((await runOnce(engine, { tools, reflect: true })).text).toBe("It is cold.");
});

test("tool validation: schema and critic, each with its verdict and its reason, and the model receives them", async () => {
  const engine = await openEngine({
    replies: [asks("Oslo"), "I see."],
    scripts: [{ when: "Is it needed?", replies: [judged("DENY", "not needed")] }],
  });
  const prompts = listen(engine);
  const seen: unknown[] = [];
  engine.hooks.on("toolValidation", ({ toolName, validator, allowed, reason }) => {
    seen.push([toolName, validator, allowed, reason]);
  });
  await runOnce(engine, { tools, criticPrompt: "Is it needed?" });
  expect(await lastHeard(prompts)).toContain("<tool_response>\nrejected by the critic: not needed\n");
  engine.hooks.on("preToolCall", () => ({ args: { town: "Oslo" } }));
  await runOnce(engine);
  expect(await lastHeard(prompts)).toContain("<tool_response>\ninvalid arguments: ");
  expect(seen).toEqual([
    ["weather", "schema", true, null],
    ["weather", "critic", false, "not needed"],
    ["weather", "schema", false, expect.stringContaining("'city'")],
  ]);
});

/** A dry run of a model that calls these tools, a message each; and those that have run. */
async function dry(...messages: readonly (readonly string[])[]) {
  const replies = messages.map((names) => ({ toolCalls: names.map((name) => ({ name, args: {} })) }));
  const engine = await openEngine([...replies, "That would be it."]);
  const prompts = listen(engine);
  const ran: string[] = [];
  const names = [...new Set(messages.flat())];
  const made = names.map((name) => tool({ name, run: () => void ran.push(name) }) as Tool);
  const seen: unknown[] = [];
  engine.hooks.on("dryRun", ({ plannedSteps, toolsUsed, estimatedCost }) => {
    seen.push([plannedSteps, toolsUsed, estimatedCost]);
  });
  await engine.session({ tools: made, temperature: 0 }).run("Go", { dryRun: true });
  return { ran, seen, last: await lastHeard(prompts) };
}

test("dry run: tools are answered without running; planned steps, and tools used once each", async () => {
  const { ran, seen, last } = await dry(["a", "b"], ["a"]);
  expect(ran).toEqual([]);
  expect(seen).toEqual([[3, ["a", "b"], "low"]]);
  expect(last.split("dry run: a was not run").length).toBe(3);
});

test("dry run: the cost is low, medium above 5 tools or 3 iterations, high above 10 or 5", async () => {
  const names = "abcdefghijk".split("");
  const costs = async (...messages: string[][]) => (await dry(...messages)).seen.map((one) => (one as unknown[])[2]);
  const many = (iterations: number): string[][] => Array.from({ length: iterations - 1 }, () => ["a"]);
  expect(await costs(names.slice(0, 5))).toEqual(["low"]);
  expect(await costs(names.slice(0, 6))).toEqual(["medium"]);
  expect(await costs(names.slice(0, 10))).toEqual(["medium"]);
  expect(await costs(names)).toEqual(["high"]);
  expect(await costs(...many(3))).toEqual(["low"]);
  expect(await costs(...many(4))).toEqual(["medium"]);
  expect(await costs(...many(5))).toEqual(["medium"]);
  expect(await costs(...many(6))).toEqual(["high"]);
});

/** The text that the model receives about a plan, and the event that planExecution was shown. */
async function planned(plan: Plan) {
  const engine = await openEngine(["I see."]);
  const prompts = listen(engine);
  const shown: unknown[] = [];
  engine.hooks.on("planExecution", ({ flow, stepCount, stepNames }) => void shown.push([flow, stepCount, stepNames]));
  await engine.session({ tools: [clock, fails, weather], temperature: 0 }).run("Go.", { plan });
  return { shown, prompt: await lastHeard(prompts) };
}
const good = (name: string) => ({ name, tool: "clock" });
const bad = (name: string) => ({ name, tool: "fails" });

test("plan: a sequence stops at its first failure", async () => {
  const { shown, prompt } = await planned({ flow: "sequence", steps: [good("a"), bad("b"), good("c")] });
  expect(shown).toEqual([["sequence", 3, ["a", "b", "c"]]]);
  expect(prompt).toContain("[plan failed: 1 of 3 steps\n[a: done]\nnoon\n[b: failed]\nerror: no\n[c: not run]]");
});

test("plan: parallel steps are joined, and need a strict majority", async () => {
  const win = await planned({ flow: "parallel", steps: [good("a"), bad("b"), good("c")] });
  expect(win.prompt).toContain("[plan succeeded: 2 of 3 steps");
  const tie = await planned({ flow: "parallel", steps: [good("a"), bad("b")] });
  expect(tie.prompt).toContain("[plan failed: 1 of 2 steps\n[a: done]\nnoon\n[b: failed]\nerror: no]");
});

test("plan: a fallback takes the first success", async () => {
  const { shown, prompt } = await planned({ flow: "fallback", steps: [bad("a"), good("b"), good("c")] });
  expect(shown).toEqual([["fallback", 3, ["a", "b", "c"]]]);
  expect(prompt).toContain("[plan succeeded: 1 of 3 steps\n[a: failed]\nerror: no\n[b: done]\nnoon\n[c: not run]]");
});

test("plan: an empty one is an error", async () => {
  const engine = await openEngine(["I see."]);
  const run = engine.session({ tools: [clock] }).run("Go.", { plan: { flow: "sequence", steps: [] } });
  expect(await rejection(run)).toMatchObject({ code: "INVALID_ARGUMENT", message: expect.stringContaining("steps") });
});

test("context budget: before each model call, as the model will count", async () => {
  const engine = await openEngine([asks("Oslo"), "It is cold."]);
  const prompts = listen(engine);
  const seen: { totalTokens: number; parts: number; maxTokens: number; utilization: number }[] = [];
  const order: string[] = [];
  engine.hooks.on("contextBudget", ({ personaTokens, toolSchemaTokens, historyTokens, ...rest }) => {
    order.push("budget");
    seen.push({ ...rest, parts: personaTokens + toolSchemaTokens + historyTokens });
  });
  engine.hooks.on("preGenerate", () => void order.push("call"));
  await runOnce(engine, { tools, system: "Be brief." });
  expect(order).toEqual(["budget", "call", "budget", "call"]);
  for (const [index, prompt] of (await prompts()).entries()) {
    const counted = (await engine.models.tokenize(undefined, prompt, { parseSpecial: true })).length;
    expect(seen[index]).toMatchObject({ totalTokens: counted, parts: counted, maxTokens: 4096 });
    expect(seen[index]?.utilization).toBeCloseTo(counted / 4096, 6);
  }
});

test("budget helper: bytes by four, rounded down part by part; the total is the sum; over budget strictly above 0.85", () => {
  expect(["", "abc", "abcd", "äöüß", "abcdefg"].map(estimateTokens)).toEqual([0, 0, 1, 2, 1]);
  const budget = estimateBudget({ persona: "1234567", tools: "1234567", history: "12345" }, 3);
  expect(budget).toEqual({
    personaTokens: 1,
    toolSchemaTokens: 1,
    historyTokens: 1, // 19 bytes as one text would be 4
    totalTokens: 3,
    maxTokens: 3,
    utilization: 1,
    overBudget: true,
    estimated: true,
  });
  const of100 = (tokens: number) => estimateBudget({ history: "x".repeat(4 * tokens) }, 100).overBudget;
  expect([of100(85), of100(86)]).toEqual([false, true]);
});

test("compaction miss: a tool asked again for what was compacted away; the boost keeps more of its next result", async () => {
  const engine = await openEngine([calls("reads"), "Read.", calls("reads"), "Again.", "Once more."]);
  const prompts = listen(engine);
  const misses: unknown[] = [];
  engine.hooks.on("compactionMiss", ({ toolName, originalSize, compressedSize, boost }) => {
    expect(compressedSize).toBeLessThan(originalSize);
    misses.push([toolName, originalSize, boost]);
  });
  const session = engine.session({ tools: [reads], temperature: 0 });
  await session.run("Read it.");
  await session.compact({ strategy: "tool-results" });
  await session.run("Read it again.");
  expect(misses).toEqual([["reads", story.length, 2]]);
  await session.compact({ strategy: "tool-results" });
  await session.run("And?");
  // The first stays shortened; the second, asked for anew, is kept.
  const last = await lastHeard(prompts);
  expect(last).toContain("[result of reads, ");
  expect(last.split(story).length).toBe(2);
});

test("chains: all observers are called in order, null entries are skipped, an empty chain is fine, handlers are optional", async () => {
  const engine = await openEngine(["One."]);
  const seen: string[] = [];
  const observer = (name: string) => defineHooks(name, { loopIteration: () => void seen.push(name) });
  engine.hooks.use([
    observer("audit"),
    null,
    observer("telemetry"),
    undefined,
    defineHooks("idle", {}),
    observer("debug"),
  ]);
  engine.hooks.use([]);
  await runOnce(engine, { tools: [] });
  expect(seen).toEqual(["audit", "telemetry", "debug"]);
});

test("theirs fails, ours not: tool validation, dry run and plan execution fire", async () => {
  const engine = await openEngine([asks("Oslo"), "I see."]);
  const seen: string[] = [];
  for (const point of ["toolValidation", "planExecution", "dryRun"] as const)
    engine.hooks.on(point, () => void seen.push(point));
  const plan = { flow: "sequence", steps: [{ tool: "clock" }] } as const;
  await engine.session({ tools, temperature: 0 }).run("Go", { plan, dryRun: true });
  expect(new Set(seen)).toEqual(new Set(["planExecution", "toolValidation", "dryRun"]));
});

test("theirs fails, ours not: the budget comes before the call, whole, in time to act on", async () => {
  const engine = await openEngine(["One."], { contextSize: 512 });
  const order: string[] = [];
  let over: boolean | undefined;
  engine.hooks.on("contextBudget", (event) => {
    order.push("budget");
    over = event.overBudget;
    for (const part of [event.personaTokens, event.toolSchemaTokens, event.historyTokens])
      expect(part).toBeGreaterThan(0);
  });
  engine.hooks.on("preGenerate", () => (order.push("call"), over === true ? cancel("over budget") : undefined), {
    name: "budget",
  });
  const result = await runOnce(engine, { tools: [clock], system: "Be brief. ".repeat(20), compaction: "off" }, "Hi");
  expect([over, order]).toEqual([true, ["budget", "call"]]);
  expect(result).toMatchObject({ finishReason: "halted", halt: { by: "budget", reason: "over budget" } });
});

test("theirs fails, ours not: an observer gets a copy of the counts, which stays as it was and changes nothing", async () => {
  const engine = await openEngine([asks("Oslo"), asks("Rome", "Paris"), "I see."]);
  const kept: Record<string, number>[] = [];
  engine.hooks.on(
    "iterationEnd",
    ({ toolCallCounts }) => void ((toolCallCounts as Record<string, number>)["weather"] = 99),
  );
  engine.hooks.on("iterationEnd", ({ toolCallCounts }) => void kept.push(toolCallCounts as Record<string, number>));
  await runOnce(engine);
  expect(kept).toEqual([{ weather: 1 }, { weather: 2 }, {}]);
});

test("theirs fails, ours not: the boost acts: more of a result is kept after each miss", async () => {
  const long = Array.from({ length: 400 }, (_, line) => `line ${line}`).join("\n");
  const again = (n: number): Promise<Engine> =>
    openEngine(
      Array.from({ length: n }, () => [calls("reads"), "Read."])
        .flat()
        .concat("Done."),
      { contextSize: 16_384, parallel: 1 },
    );
  /** The length of the last result that the model is shown, after so many misses. */
  const shownAfter = async (misses: number): Promise<number> => {
    const engine = await again(misses + 1);
    const prompts = listen(engine);
    const session = engine.session({ tools: [tool({ ...reads, run: () => long })], temperature: 0 });
    for (let turn = 0; turn <= misses; turn++) {
      await session.run("Read.");
      await session.compact({ strategy: "tool-results" });
    }
    await session.run("And?");
    const result = (await lastHeard(prompts)).split("<tool_response>\n").at(-1) ?? "";
    return result.split("\n").filter((line) => line.startsWith("line ")).length;
  };
  const [none, one, two] = [await shownAfter(0), await shownAfter(1), await shownAfter(2)];
  expect(none).toBe(0);
  expect(one).toBeGreaterThan(none);
  expect(two).toBeGreaterThan(one);
});
