// questions() of llama-hooks/hooks: who answers is elsewhere, and knows no more than the id of the question.
import { expect, onTestFinished, test } from "vitest";
import type { Engine, SessionOptions, SessionTool } from "../../src/index.js";
import { tool } from "../../src/index.js";
import { type Question, type QuestionEvent, questions, type Questions } from "../../src/ready-hooks/index.js";
import { openEngine } from "../support/engine.js";
import { asks, asksUser, calls, runOnce, resultTexts, tools } from "../support/sessions.js";

const rules: SessionOptions = { permissions: [{ ask: "*" }] };
const form: SessionOptions = { tools: [asksUser as SessionTool] };

/** The next questions of a list, in order. */
function next(list: Questions, count = 1): Promise<Question[]> {
  const got: Question[] = [];
  return new Promise((resolve) => {
    const following = list.on((event) => {
      if (event.type !== "asked" || got.push(event.question) < count) return;
      following.dispose();
      resolve(got);
    });
  });
}

const one = async (list: Questions): Promise<Question> => (await next(list))[0] as Question;

function use(engine: Engine, options?: Parameters<typeof questions>[0]): Questions {
  const list = questions(options);
  engine.hooks.use(list.hooks);
  return list;
}

test("a call waits in the list until somebody answers by its id", async () => {
  const engine = await openEngine([asks("Oslo"), asks("Rome"), "Done."]);
  const list = use(engine);
  const events: QuestionEvent[] = [];
  list.on((event) => events.push(event));
  const first = one(list);
  const run = runOnce(engine, rules);
  const question = await first;
  expect(list.open()).toEqual([question]);
  expect(question).toMatchObject({
    kind: "permission",
    toolName: "weather",
    args: { city: "Oslo" },
    rule: "ask *",
    tier: null,
    origin: null,
  });
  expect(question.id).toMatch(/^[\da-f-]{36}$/);
  expect(Date.now() - question.askedAt).toBeLessThan(60_000);
  const second = one(list);
  list.answer(question.id, true);
  list.answer((await second).id, { allow: false, reason: "not there" });
  const { runId, messages, ...result } = await run;
  expect(resultTexts({ runId, messages, ...result })).toEqual(["Oslo: 4 degrees", "denied: not there"]);
  expect(question.runId).toBe(runId);
  expect(list.open()).toEqual([]);
  expect(events.map((event) => (event.type === "asked" ? "asked" : event.by))).toEqual([
    "asked",
    "answer",
    "asked",
    "answer",
  ]);
});

test("calls of several sessions wait at the same time, and are answered in any order", async () => {
  const engine = await openEngine([asks("Oslo"), "Done."], { parallel: 3 });
  const list = use(engine);
  const all = next(list, 3);
  const sessions = [0, 1, 2].map(() => engine.session({ tools, ...rules, temperature: 0 }));
  const runs = Promise.all(sessions.map((session) => session.run("Hello")));
  await all;
  expect(list.open().length).toBe(3);
  const [denied] = list.open().slice(1) as [Question];
  for (const { id } of list.open().toReversed()) list.answer(id, id !== denied.id);
  const results = await runs;
  for (const [index, { id }] of sessions.entries())
    expect(resultTexts(results[index] as (typeof results)[number])).toEqual([
      denied.sessionId === id ? expect.stringContaining("denied") : "Oslo: 4 degrees",
    ]);
});

test("an answer may be remembered, and `also` asks about what the rules allow", async () => {
  const engine = await openEngine([asks("Oslo"), asks("Rome"), calls("clock"), "Done."]);
  const list = use(engine, { also: ({ toolName }) => toolName === "clock" });
  const asked: string[] = [];
  list.on((event) => {
    if (event.type !== "asked") return;
    asked.push(event.question.toolName);
    list.answer(event.question.id, { allow: true, remember: "tool" });
  });
  const permissions = [{ ask: "weather" }, { allow: "clock" }];
  expect(resultTexts(await runOnce(engine, { permissions }))).toEqual(["Oslo: 4 degrees", "Rome: 4 degrees", "noon"]);
  expect(asked).toEqual(["weather", "clock"]);
});

test("a rule that denies is not asked about", async () => {
  const engine = await openEngine([asks("Oslo"), "Done."]);
  const list = use(engine, { also: () => true });
  const asked: unknown[] = [];
  list.on((event) => asked.push(event));
  expect(resultTexts(await runOnce(engine, { permissions: [{ deny: "weather" }] }))).toEqual([
    expect.stringContaining("denied: the rule"),
  ]);
  expect(asked).toEqual([]);
});

test.each([
  [{ action: "accept", content: { city: "Oslo" } }, "accept Oslo"],
  [{ action: "decline" }, "decline"],
  [{ action: "cancel" }, "cancel"],
  [{ action: "cancel", reason: "no user is here" }, "cancel no user is here"],
] as const)("a tool's question for the user is answered with %j", async (answer, heard) => {
  const engine = await openEngine([calls("asks_user"), "Thanks."]);
  const list = use(engine);
  const asked = one(list);
  const run = runOnce(engine, form);
  const question = await asked;
  expect(question).toMatchObject({ kind: "input", toolName: "asks_user", message: "Which city?" });
  expect((question as { schema?: unknown }).schema).toMatchObject({ type: "object", required: ["city"] });
  list.answer(question.id, answer);
  expect(resultTexts(await run)).toEqual([heard]);
});

test("a tool's question that another hook has answered is not asked again", async () => {
  const engine = await openEngine([calls("asks_user"), "Thanks."]);
  engine.hooks.on("elicitation", () => ({ action: "accept", content: { city: "Bonn" } }));
  const list = use(engine);
  const asked: unknown[] = [];
  list.on((event) => asked.push(event));
  expect(resultTexts(await runOnce(engine, form))).toEqual(["accept Bonn"]);
  expect(asked).toEqual([]);
});

test("a wrong answer is refused, and the question stays open", async () => {
  const engine = await openEngine([calls("asks_user"), asks("Oslo"), "Thanks."]);
  const list = use(engine);
  const input = one(list);
  const run = runOnce(engine, { tools: [...tools, asksUser as SessionTool], permissions: [{ allow: "a*" }] });
  const { id } = await input;
  const wrong: [unknown, RegExp][] = [
    [true, /answer must be an object with an action/],
    [{}, /answer\.action must be "accept", "decline" or "cancel", got undefined/],
    [{ action: "yes" }, /answer\.action must be one of/],
    [{ allow: true }, /answer has no key "allow"/],
    [{ action: "accept" }, /does not fit the schema: .*city/],
    [{ action: "accept", content: { city: 5 } }, /does not fit the schema: \/city must be string/],
    [{ action: "accept", content: [] }, /answer\.content must be an object/],
    [{ action: "cancel", reason: 5 }, /answer\.reason must be a string/],
  ];
  for (const [answer, message] of wrong) {
    expect(() => list.answer(id, answer as never)).toThrow(TypeError);
    expect(() => list.answer(id, answer as never)).toThrow(message);
  }
  expect(list.open().map((question) => question.id)).toEqual([id]);
  const permission = one(list);
  list.answer(id, { action: "accept", content: { city: "Rome" } });
  const call = await permission;
  for (const answer of ["yes", undefined, null, {}, { allow: "yes" }, { action: "accept" }])
    expect(() => list.answer(call.id, answer as never)).toThrow(TypeError);
  list.answer(call.id, { allow: true });
  expect(resultTexts(await run)).toEqual(["accept Rome", "Oslo: 4 degrees"]);
});

test("an answer to a question that is not open is NOT_FOUND, also a second one", async () => {
  const engine = await openEngine([asks("Oslo"), "Done."]);
  const list = use(engine);
  const asked = one(list);
  const run = runOnce(engine, rules);
  const { id } = await asked;
  const notFound = expect.objectContaining({ code: "NOT_FOUND" }) as Error;
  for (const unknown of ["", "__proto__", id.toUpperCase()]) expect(() => list.answer(unknown, true)).toThrow(notFound);
  list.answer(id, false);
  expect(() => list.answer(id, true)).toThrow(notFound);
  expect(resultTexts(await run)).toEqual([expect.stringContaining("denied")]);
});

test.each(["the run is cancelled", "the session is closed", "the engine is closed"])(
  "when %s, its questions leave the list",
  async (how) => {
    const engine = await openEngine([asks("Oslo"), "Done."]);
    const list = use(engine);
    const session = engine.session({ tools, ...rules, temperature: 0 });
    const asked = one(list);
    const run = session.run("Hello");
    const ended = Promise.resolve(run).catch((error: unknown) => error);
    const { id } = await asked;
    const settled = new Promise<QuestionEvent>((resolve) => list.on(resolve));
    if (how === "the run is cancelled") run.cancel();
    else if (how === "the session is closed") await session.close();
    else await engine.close();
    expect(await settled).toMatchObject({ type: "settled", by: "abort", question: { id } });
    expect(list.open()).toEqual([]);
    await ended;
  },
);

test("a question without an answer in time is denied; a tool gets cancel", async () => {
  const engine = await openEngine([asks("Oslo"), calls("asks_user"), "Done."]);
  const list = use(engine, { deadlineMs: 20 });
  const ends: string[] = [];
  list.on((event) => void (event.type === "settled" && ends.push(event.by)));
  const result = await runOnce(engine, {
    tools: [...tools, asksUser as SessionTool],
    permissions: [{ allow: "a*" }],
  });
  expect(resultTexts(result)).toEqual([expect.stringContaining("denied"), expect.stringContaining("cancel")]);
  expect(ends).toEqual(["deadline", "deadline"]);
});

test("a list that is full denies and cancels, with the reason", async () => {
  const engine = await openEngine([asks("Oslo"), "Done."], { parallel: 2 });
  const list = use(engine, { limit: 1 });
  const session = engine.session({ tools, ...rules, temperature: 0 });
  const asked = one(list);
  const waiting = Promise.resolve(session.run("Hello"));
  const { id } = await asked;
  const why = "the list of open questions is full: its limit is 1";
  expect(resultTexts(await runOnce(engine, rules))).toEqual([`denied: ${why}`]);
  const hears = tool({
    name: "weather",
    parameters: { type: "object" },
    run: async (_, { elicit }) => JSON.stringify(await elicit({ message: "Where?" })),
  });
  expect(resultTexts(await runOnce(engine, { tools: [hears as SessionTool] }))).toEqual([
    expect.stringContaining(`"cancel","reason":"${why}"`),
  ]);
  list.answer(id, true);
  expect(resultTexts(await waiting)).toEqual(["Oslo: 4 degrees"]);
});

test("a listener that throws is a warning, and changes nothing", async () => {
  const engine = await openEngine([asks("Oslo"), "Done."]);
  const list = use(engine);
  const warnings: string[] = [];
  const note = ({ message }: Error): void => void warnings.push(message);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  list.on(() => {
    throw new Error("no screen");
  });
  list.on((event) => void (event.type === "asked" && list.answer(event.question.id, true)));
  expect(resultTexts(await runOnce(engine, rules))).toEqual(["Oslo: 4 degrees"]);
  await expect.poll(() => warnings).toContain("A listener of questions() threw: no screen");
});

test("wrong options and listeners are TypeErrors", () => {
  for (const options of [5, { deadlineMs: -1 }, { limit: 0 }, { also: true }, { ask: () => true }])
    expect(() => questions(options as never)).toThrow(TypeError);
  expect(() => questions().on("asked" as never)).toThrow(TypeError);
});
