// Questions that tools ask the user: who answers, the content's schema, deadlines, and the ends of calls and runs.
import { expect, test } from "vitest";
import { z } from "zod";
import { tool, type ToolContext } from "../../../src/index.js";
import { openEngine, rejection } from "../../support/engine.js";
import { gate } from "../../support/gate.js";
import { asksUser, calls, runOnce, resultTexts } from "../../support/sessions.js";

const works = (run: (context: ToolContext) => unknown, deadlineMs?: number) =>
  tool({ name: "work", run: (_, context) => run(context), ...(deadlineMs !== undefined && { deadlineMs }) });

test("a zod schema gives its output, typed; an answer that breaks its own rules is declined and reported", async () => {
  const engine = await openEngine([calls("work"), calls("work"), "Done."]);
  const errors: unknown[] = [];
  engine.hooks.on("error", ({ code, message, where, meta }) => void errors.push({ code, message, where, meta }));
  const dates = ["2026-02-30", "2026-02-28"];
  engine.hooks.on("elicitation", () => ({ action: "accept", content: { day: dates.shift() } }), { name: "form" });
  const schema = z.object({
    day: z.string().refine((day) => !day.endsWith("30"), "no such day"),
    nights: z.number().default(2),
  });
  const book = works(async ({ elicit }) => {
    const answer = await elicit({ message: "When?", schema });
    if (answer.action !== "accept") return `${answer.action}: ${answer.reason ?? ""}`;
    const { day, nights }: { day: string; nights: number } = answer.content;
    return `${day}, ${nights} nights, by ${answer.by}`;
  });
  const result = await runOnce(engine, { tools: [book] });
  const why = "the content does not fit the schema: /day no such day";
  expect(resultTexts(result)).toEqual([`decline: ${why}`, "2026-02-28, 2 nights, by form"]);
  const { runId } = result;
  const message = `the hook form answered a question of work, and ${why}`;
  expect(errors).toMatchObject([
    { code: "HOOK_BAD_ANSWER", message, where: "tool:work", meta: { runId, iteration: 1 } },
  ]);
});

test("rules of JSON Schema that the engine does not know hold, too", async () => {
  const engine = await openEngine([calls("asks_user"), "Thanks."]);
  engine.hooks.on("elicitation", () => ({ action: "accept", content: { city: "x".repeat(21) } }));
  expect(resultTexts(await runOnce(engine, { tools: [asksUser] }))).toEqual([
    expect.stringMatching(/^decline the content does not fit the schema: .*20 characters/),
  ]);
});

test("the deadline stands still while the user is asked, and counts anew from the answer", async () => {
  const engine = await openEngine([calls("work"), "Done."]);
  const deadlineMs = 2000; // long enough for a busy machine to ask before it
  let [begun, asked] = [0, 0];
  engine.hooks.on("elicitation", async () => {
    const left = begun + 1.2 * deadlineMs - performance.now();
    await new Promise((resolve) => setTimeout(resolve, left));
    return { action: "accept" };
  });
  const work = works(async ({ elicit, signal }) => {
    begun = performance.now();
    await elicit({ message: "Go on?" });
    asked = performance.now();
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
  }, deadlineMs);
  const { toolCalls } = await runOnce(engine, { tools: [work] });
  expect(toolCalls).toMatchObject([{ resultKind: "timeout" }]);
  expect(asked - begun).toBeGreaterThan(deadlineMs);
  expect(performance.now() - asked).toBeGreaterThan(0.9 * deadlineMs);
});

test("questions of one run are asked one at a time, and hold up no other tool", async () => {
  const names = ["one", "two", "three"] as const;
  const engine = await openEngine([{ toolCalls: names.map((name) => ({ name, args: {} })) }, "Done."]);
  const free = gate();
  let now = 0;
  let most = 0;
  engine.hooks.on("elicitation", async ({ message }) => {
    most = Math.max(most, ++now);
    await free.passed;
    now--;
    return { action: "accept", content: { said: message } };
  });
  const asking = (name: string) =>
    tool({ name, run: async (_, { elicit }) => JSON.stringify(await elicit({ message: `${name}?` })) });
  const last = tool({ name: "three", run: () => (free.open(), "ran") });
  const result = await runOnce(engine, { tools: [asking("one"), asking("two"), last] });
  expect(resultTexts(result).map((text) => /"said":"(\w+\?)"/.exec(text)?.[1] ?? text)).toEqual([
    "one?",
    "two?",
    "ran",
  ]);
  expect(most).toBe(1);
});

test("a call that is over takes its question along: the hook's signal aborts, and the tool gets cancel", async () => {
  const engine = await openEngine([calls("work"), "Done."]);
  const [asked, aborted] = [gate(), gate()];
  engine.hooks.on("elicitation", ({ signal }) => {
    signal.addEventListener("abort", () => aborted.open());
    asked.open();
    return new Promise<undefined>(() => undefined);
  });
  let answer: Promise<unknown> = Promise.resolve();
  let again: Promise<unknown> = Promise.resolve();
  const work = works(async ({ elicit }) => {
    answer = elicit({ message: "Still there?" });
    again = answer.then(() => elicit({ message: "And now?" }));
    await asked.passed;
    return "gone";
  });
  const result = await runOnce(engine, { tools: [work] });
  expect(resultTexts(result)).toEqual(["gone"]);
  const over = { action: "cancel", reason: "the call of the tool is over" };
  expect(await answer).toEqual(over);
  expect(await again).toEqual(over);
  await aborted.passed;
});

test.each(["the run is cancelled", "the session is closed", "the engine is closed"])(
  "when %s, a question ends at once",
  async (how) => {
    const engine = await openEngine([calls("work"), "Done."]);
    const asked = gate();
    engine.hooks.on("elicitation", () => (asked.open(), new Promise<undefined>(() => undefined)));
    let answer: unknown;
    const work = works(async ({ elicit }) => {
      answer = await elicit({ message: "Still there?" });
      return "ended";
    });
    const session = engine.session({ tools: [work] });
    const run = session.run("Go");
    await asked.passed;
    if (how === "the run is cancelled") run.cancel("enough");
    else if (how === "the session is closed") await session.close();
    else await engine.close();
    const ended = await run.catch((error: unknown) => error);
    expect(ended).toMatchObject(how === "the engine is closed" ? {} : { finishReason: "cancelled" });
    await expect.poll(() => answer).toMatchObject({ action: "cancel" });
  },
);

test("a hook at elicitation may not wait for the run that waits for it", async () => {
  const engine = await openEngine([calls("work"), "Done."]);
  const session = engine.session({ tools: [works(({ elicit }) => elicit({ message: "Close?" }))] });
  let failure: unknown;
  engine.hooks.on("elicitation", async () => {
    failure = await rejection(session.close());
    return { action: "accept" };
  });
  const result = await session.run("Go");
  expect(failure).toMatchObject({ code: "REENTRANT" });
  expect(resultTexts(result)).toEqual([expect.stringContaining('"accept"')]);
});

test("a hook at elicitation may not ask on, which would wait for its own turn", async () => {
  const engine = await openEngine([calls("work"), "Done."]);
  let failure: unknown;
  let ask: ToolContext["elicit"] | undefined;
  engine.hooks.on("elicitation", async () => {
    failure = await rejection(Promise.resolve(ask?.({ message: "And?" })));
    return { action: "accept" };
  });
  const work = works(async ({ elicit }) => ((ask = elicit), JSON.stringify(await elicit({ message: "Well?" }))));
  const result = await runOnce(engine, { tools: [work] });
  expect(failure).toMatchObject({ code: "REENTRANT" });
  expect(resultTexts(result)).toEqual([expect.stringContaining('"accept"')]);
});

test("questions are asked in their order, and a call has at most 64", async () => {
  const engine = await openEngine([calls("work"), "Done."]);
  const asked: string[] = [];
  engine.hooks.on("elicitation", async ({ message }) => {
    asked.push(message);
    await new Promise((resolve) => setImmediate(resolve));
    return { action: "accept" };
  });
  const questions = Array.from({ length: 64 }, (_, i) => `${i}?`);
  let more: unknown;
  const work = works(async ({ elicit }) => {
    const answers = questions.map((message) => elicit({ message }));
    more = await rejection(elicit({ message: "more?" }));
    return (await Promise.all(answers)).every(({ action }) => action === "accept");
  });
  expect(resultTexts(await runOnce(engine, { tools: [work] }))).toEqual(["true"]);
  expect(asked).toEqual(questions);
  expect(more).toMatchObject({ code: "BUSY" });
});

test("a tool that asks after its engine was closed gets cancel", async () => {
  const engine = await openEngine([calls("work"), "Done."]);
  const [asked, closed] = [gate(), gate()];
  let answer: unknown;
  const work = works(async ({ elicit }) => {
    asked.open();
    await closed.passed;
    answer = await elicit({ message: "Still there?" });
  });
  const run = engine.session({ tools: [work] }).run("Go");
  await asked.passed;
  const closing = engine.close();
  closed.open();
  await expect.poll(() => answer).toEqual({ action: "cancel", reason: "the call of the tool is over" });
  await closing;
  await run.catch(() => undefined);
});

test("the hook that gave the content is named, also where a later one replaced it", async () => {
  const engine = await openEngine([calls("asks_user"), "Thanks."]);
  const errors: string[] = [];
  engine.hooks.on("error", ({ message }) => void errors.push(message));
  engine.hooks.on("elicitation", () => ({ action: "accept", content: { city: "Oslo" } }), { name: "first" });
  const second = (city: unknown) => engine.hooks.on("elicitation", () => ({ content: { city } }), { name: "second" });
  for (const city of [5, "x".repeat(21)]) {
    const hook = second(city);
    await runOnce(engine, { tools: [asksUser] });
    hook.dispose();
  }
  expect(errors).toEqual([
    expect.stringMatching(/^the hook second answered a question of asks_user, and the content does not fit/),
    expect.stringMatching(/^the hook second answered a question of asks_user, and the content does not fit/),
  ]);
});

test("a hook at elicitation may ask the model", async () => {
  const engine = await openEngine([calls("work"), "Done."]);
  engine.hooks.on("elicitation", async ({ message }) => {
    const { text } = await engine.generate(message, { maxTokens: 4, tools: [] });
    return { action: "accept", content: { text } };
  });
  const work = works(async ({ elicit }) => JSON.stringify(await elicit({ message: "Who?" })));
  expect(resultTexts(await runOnce(engine, { tools: [work] }))).toEqual([expect.stringContaining('"accept"')]);
});

test.each([
  ["Who?", TypeError, "The request of elicit()"],
  [{}, TypeError, "message of elicit()"],
  [{ message: "" }, TypeError, "message of elicit()"],
  [{ message: "?", schema: 5 }, TypeError, "schema of elicit()"],
  [{ message: "?", schema: { type: "string" } }, TypeError, "schema of elicit() must be the schema of an object"],
  [{ message: "?", kind: 1 }, TypeError, "kind"],
  [{ message: "?", schema: { properties: 5 } }, Error, "the schema of elicit() is no JSON Schema"],
])("%j is refused by name", async (request, type, name) => {
  const engine = await openEngine([calls("work"), "Done."]);
  let failure: unknown;
  const work = works(async ({ elicit }) => {
    failure = await rejection(Promise.resolve().then(() => elicit(request as { message: string })));
    return "ended";
  });
  expect(resultTexts(await runOnce(engine, { tools: [work] }))).toEqual(["ended"]);
  expect(failure).toBeInstanceOf(type);
  expect((failure as Error).message).toContain(name);
});
