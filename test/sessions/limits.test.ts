import { expect, test } from "vitest";
import { type SessionOptions, tool, type Tool } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { bare, asks, runOnce, resultTexts, tools } from "../support/sessions.js";

async function runAway(replies: object[], options: SessionOptions) {
  const engine = await openEngine([...replies, "Done."] as never);
  return runOnce(engine, options);
}

test("a run takes maxIterations model calls, and says that they were not enough", async () => {
  const engine = await openEngine({ replies: [asks("Oslo")], afterLast: "repeat" });
  const reasons: unknown[] = [];
  engine.hooks.on("loopEnd", ({ reason, finalState }) => void reasons.push([reason, finalState]));
  const result = await runOnce(engine, { maxIterations: 2 });
  expect(result).toMatchObject({ finishReason: "limit", limit: "maxIterations", iterations: 2 });
  expect(result.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "tool"]);
  expect(reasons).toEqual([["max_iterations", "INTERRUPTED"]]);
});

test("the 101st call is refused, with maxToolCalls as the number says", async () => {
  const cities = Array.from({ length: 6 }, (_, i) => `City ${i}`);
  const result = await runAway([asks(...cities)], { maxToolCalls: 4 });
  expect(resultTexts(result).slice(3)).toEqual([
    "City 3: 4 degrees",
    "limit reached: 4 tool calls in this run",
    "limit reached: 4 tool calls in this run",
  ]);
  expect(result.toolCalls.map(({ resultKind }) => resultKind).slice(3)).toEqual([
    "ok",
    "rejected_limit",
    "rejected_limit",
  ]);
});

test("one tool over and over is a warning two calls before maxCallsInARow, and refused after it", async () => {
  const cities = Array.from({ length: 9 }, (_, i) => asks(`City ${i}`));
  const result = await runAway(cities, {});
  expect(resultTexts(result)[3]).toBe("City 3: 4 degrees");
  expect(resultTexts(result)[4]).toBe("City 4: 4 degrees\n[weather was called 5 times in a row; 7 is the limit]");
  expect(resultTexts(result)[6]).toBe("City 6: 4 degrees");
  expect(resultTexts(result)[7]).toBe("limit reached: 7 calls of weather in a row; do something else");
  const mixed = [...cities.slice(0, 6), { toolCalls: [{ name: "clock", args: {} }] }, ...cities.slice(6)];
  expect((await runAway(mixed, {})).toolCalls.every(({ resultKind }) => resultKind === "ok")).toBe(true);
});

test("a call with the same arguments, in whatever order, gets its last result again after maxIdenticalCalls", async () => {
  const reply = { toolCalls: [{ name: "weather", args: { city: "Oslo", days: 1 } }] };
  const engine = await openEngine([reply, reply, reply, "Done."]);
  let turned = false;
  engine.hooks.on("preToolCall", () => {
    turned = !turned;
    return { args: turned ? { days: 1, city: "Oslo" } : { city: "Oslo", days: 1 } };
  });
  const result = await runOnce(engine, { maxIdenticalCalls: 2 });
  expect(resultTexts(result)[2]).toBe("already called with the same arguments; its result was: Oslo: 4 degrees");
  expect(result.toolCalls.map(({ resultKind }) => resultKind)).toEqual(["ok", "ok", "rejected_duplicate"]);
  const batch = await runAway([asks("Oslo", "Oslo")], { maxIdenticalCalls: 1 });
  expect(resultTexts(batch)[1]).toBe("already called with the same arguments in this message");
});

test.each(["postToolCall", "toolResultPersist"] as const)(
  "what a %s hook gives is cut to maxResultBytes, too",
  async (point) => {
    const engine = await openEngine([asks("Oslo"), "Done."]);
    engine.hooks.on(point, () => ({ result: "x".repeat(1000) }));
    expect(resultTexts(await runOnce(engine, { maxResultBytes: 300 }))).toEqual([
      `${"x".repeat(300)}\n[shortened: 300 of 1000 bytes]`,
    ]);
  },
);

test("an answer that is cut off ends the run with the limit", async () => {
  const engine = await openEngine(["A long answer that goes on."]);
  expect(await runOnce(engine, { maxTokens: 2 })).toMatchObject({ finishReason: "limit", limit: "maxTokens" });
});

test.each(["maxTokens", "maxRunTokens"] as const)("a call whose message %s cuts off does not run", async (limit) => {
  const engine = await openEngine([{ toolCalls: [...asks("Oslo").toolCalls, ...asks("Rome").toolCalls] }, "Done."]);
  const lengths: number[] = [];
  engine.hooks.on("postGenerate", ({ usage }) => void lengths.push(usage.completionTokens));
  await runOnce(engine);
  const [whole = 0] = lengths;
  const result = await runOnce(engine, { [limit]: whole - 1 });
  expect(result).toMatchObject({ finishReason: "limit", limit, iterations: 1 });
  expect(resultTexts(result)).toEqual(["not run: the message was cut off", "not run: the message was cut off"]);
  expect(result.toolCalls[1]).toMatchObject({ args: { city: "Rome" }, resultKind: "rejected_limit", isError: true });
});

test("maxRunTokens cuts off the message that would be longer, and the session continues", async () => {
  const engine = await openEngine({
    replies: [asks("Oslo"), { pieces: ["One", " two", " three", " four"] }],
    afterLast: "repeat",
  });
  const session = engine.session({ tools, temperature: 0 });
  const whole = await session.run("Hello");
  await session.close();
  const all = whole.usage.completionTokens;
  const short = await runOnce(engine, { maxRunTokens: all - 3 });
  expect(short).toMatchObject({ finishReason: "limit", limit: "maxRunTokens", iterations: 2, text: "One" });
  expect(short.usage.completionTokens).toBe(all - 3);
  expect(await runOnce(engine, { maxRunTokens: all + 1 })).toMatchObject({ finishReason: "complete", limit: null });
  const first = await runOnce(engine, { maxRunTokens: 5 });
  expect(first).toMatchObject({ finishReason: "limit", limit: "maxRunTokens", iterations: 1 });
  expect(resultTexts(first)).toEqual([]);
});

test("maxRunMs cancels what is under way: a tool, a hook, a pause, a generation; each run ends as a limit", async () => {
  const engine = await openEngine({
    replies: [asks("Oslo")],
    scripts: [{ when: "ENDLESS", replies: [{ text: "on and on", endless: true }] }],
  });
  const never = (): Promise<never> => new Promise(() => undefined);
  const ends: unknown[] = [];
  engine.hooks.on("loopEnd", ({ finalState, reason }) => void ends.push([finalState, reason]));
  const limited = { finishReason: "limit", limit: "maxRunMs" };

  const asleep = { ...tools[0], run: never } as unknown as Tool;
  const inTool = await runOnce(engine, { tools: [asleep], maxRunMs: 2000 }); // enough for the call to be made
  expect(inTool).toMatchObject(limited);
  expect(resultTexts(inTool)).toEqual(["cancelled: the limit of 2000 ms a run is reached"]);

  expect(await runOnce(engine, { maxRunMs: 50 }, "ENDLESS")).toMatchObject(limited);

  const hook = engine.hooks.on("preGenerate", never, { deadlineMs: 0 });
  const session = engine.session({ tools, temperature: 0, maxRunMs: 50 });
  expect(await session.run("Hello")).toMatchObject(limited);
  hook.dispose();
  session.pause();
  expect(await session.run("Hello")).toMatchObject(limited);
  expect(ends).toEqual(Array.from({ length: 4 }, () => ["INTERRUPTED", "max_run_ms"]));
  await session.close();
  expect(await runOnce(engine, { maxRunMs: 0, maxIterations: 1 })).toMatchObject({ limit: "maxIterations" });
});

test("both limits count what a run delegates", async () => {
  const delegates = { toolCalls: [{ name: "delegate", args: { tier: "coder", task: "Write it." } }] };
  const script = {
    replies: [delegates, "The coder is done."],
    scripts: [{ when: "You write code.", replies: [{ text: "on and on", endless: true }] }],
    contextLength: 65_536,
  };
  // A context that is not full before the time is up, and time enough for the delegation to be made.
  const engine = await openEngine(script, { contextSize: 65_536, parallel: 2 });
  const options: SessionOptions = { controlTools: ["delegate"], tiers: { coder: { system: "You write code." } } };
  const tokens = await runOnce(engine, { ...options, maxRunTokens: 100 });
  expect(tokens).toMatchObject({ finishReason: "limit", limit: "maxRunTokens", iterations: 1 });
  expect(tokens.usage.completionTokens).toBe(100);
  expect(resultTexts(tokens)).toEqual([expect.stringMatching(/^limit reached: the run may generate no more tokens/)]);
  const time = await runOnce(engine, { ...options, maxRunMs: 1000 });
  expect(time).toMatchObject({ finishReason: "limit", limit: "maxRunMs" });
  expect(resultTexts(time)).toEqual([expect.stringMatching(/^cancelled: the limit of 1000 ms a run is reached/)]);
});

test("no hook and no retry gets around maxRunTokens, and what was cut is not a summary", async () => {
  const endless = await openEngine({ replies: [{ text: "on and on", endless: true }], afterLast: "repeat" });
  const free = endless.hooks.on("preGenerate", () => ({ params: { temperature: 0 } }));
  expect(await runOnce(endless, { maxRunTokens: 40 })).toMatchObject({
    limit: "maxRunTokens",
    usage: { completionTokens: 40 },
  });
  free.dispose();
  endless.hooks.on("postGenerate", () => ({ retry: "again" }));
  const again = await runOnce(endless, { maxTokens: 15, maxRunTokens: 40 });
  expect(again).toMatchObject({ limit: "maxRunTokens", usage: { completionTokens: 40 } });

  const engine = await openEngine({
    replies: [asks("Oslo"), "It is cold."],
    scripts: [{ when: "summary", replies: [{ text: "the user wants ", endless: true }] }],
  });
  const errors: string[] = [];
  engine.hooks.on("error", ({ message }) => void errors.push(message));
  const history = [
    { role: "user", content: "word ".repeat(300) },
    { role: "assistant", content: "Well." },
  ] as const;
  const session = engine.session({ tools, temperature: 0, history, compactAt: 0.05, maxRunTokens: 3 });
  const result = await session.run("Hello");
  expect(result).toMatchObject({ finishReason: "limit", limit: "maxRunTokens" });
  expect(bare(session.history().slice(0, 2))).toEqual(history);
  expect(errors).toEqual([expect.stringContaining("the run may generate no more tokens")]);
});

test("tiers at work at once share what a run may generate", async () => {
  const engine = await openEngine({
    replies: ["Done."],
    scripts: [{ when: "You write.", replies: [{ text: "on and on ", endless: true }] }],
  });
  const tiers = { a: { system: "You write." }, b: { system: "You write." }, c: { system: "You write." } };
  const steps = Object.keys(tiers).map((tier) => ({ tier, task: "Write it." }));
  const session = engine.session({ temperature: 0, tiers, maxRunTokens: 60 });
  const result = await session.run("Hello", { plan: { flow: "parallel", steps } });
  expect(result).toMatchObject({ finishReason: "limit", limit: "maxRunTokens", usage: { completionTokens: 60 } });
});

test("tools that run sessions may be nested 16 deep; the model of the last gets the error", async () => {
  const engine = await openEngine([{ toolCalls: [{ name: "dig", args: {} }] }, "Well."]);
  const results: string[] = [];
  const dig: Tool = tool({
    name: "dig",
    run: async () => {
      results.unshift(...resultTexts(await runOnce(engine, { tools: [dig] })));
      return "deeper";
    },
  }) as Tool;
  expect(resultTexts(await runOnce(engine, { tools: [dig] }))).toEqual(["deeper"]);
  expect(results.slice(0, -1)).toEqual(Array(15).fill("deeper"));
  expect(results.at(-1)).toMatch(/^error: .*nested deeper than 16 calls of hooks and tools$/);
});

test("a compaction between runs is not a run: maxRunTokens does not hold of it", async () => {
  const scripts = [{ when: "Summarise the conversation", replies: ["?", "They said hello, and all were well."] }];
  const engine = await openEngine({ replies: ["Hello."], scripts });
  const session = engine.session({ temperature: 0, maxRunTokens: 3 });
  await session.run("Hello");
  expect((await session.compact()).summary).toBe("They said hello, and all were well.");
});
