// Tool calls that wait for an answer: the run ends as "waiting", and resume() continues exactly there.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { cancel, type Engine, type PointName, type Session, tool } from "../../../src/index.js";
import { openEngine, rejection, tempDir } from "../../support/engine.js";
import { leadAndCoder, ofLead } from "../../support/lead-and-coder.js";
import { asks, calls, expectWhole, notAllowed, resultTexts } from "../../support/sessions.js";

const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;

/** A session whose weather tool counts its runs, and whose calls for `waits` are deferred. */
function open(engine: Engine, { waits = /./, ...options }: { waits?: RegExp; [option: string]: unknown } = {}) {
  const ran: string[] = [];
  const weather = tool({
    name: "weather",
    parameters: city,
    run: ({ city }) => {
      ran.push(city);
      return `${city}: 4 degrees`;
    },
  });
  const session = engine.session({ tools: [weather], temperature: 0, ...options });
  session.hooks.on(
    "permissionCheck",
    ({ args }) => (waits.test(String(args["city"])) ? { defer: true, waitsFor: "Ada", reason: "it costs" } : undefined),
    { name: "office" },
  );
  return { session, ran, weather };
}

const ids = (session: Session): string[] => session.waiting.map(({ id }) => id);
const first = (session: Session): string => ids(session)[0] ?? "";

test("a deferred call ends the run as waiting, and nothing of its message runs", async () => {
  const engine = await openEngine([asks("Oslo", "Rome"), "Cold."]);
  const { session, ran } = open(engine, { waits: /Rome/ });
  const result = await session.run("How is it?");
  expect(result).toMatchObject({ finishReason: "waiting", toolCalls: [], text: "One moment.", iterations: 1 });
  const waiting = {
    id: expect.stringMatching(/^call_/) as string,
    name: "weather",
    args: { city: "Rome" },
    tier: null,
    deferredBy: "office",
    waitsFor: "Ada",
    reason: "it costs",
  };
  expect(result.waiting).toEqual([waiting]);
  expect(session.waiting).toEqual([waiting]);
  expect(ran).toEqual([]);
  expect(result.messages.map(({ content }) => content)).toEqual(["How is it?"]);
  expect(result.steps).toMatchObject([{ iteration: 1, toolCallIds: [expect.any(String), expect.any(String)] }]);
  const history = session.history();
  expectWhole(history);
  expect(history.slice(2).map(({ content }) => content)).toEqual(
    Array(2).fill("not run yet: the session waits for an answer"),
  );
});

test("resume() runs what is allowed, tells the model what is denied, and continues in the same iteration", async () => {
  const engine = await openEngine([asks("Oslo", "Rome", "Bonn"), "Cold."]);
  const { session, ran } = open(engine, { waits: /Rome|Bonn/ });
  await session.run("How is it?");
  const [rome = "", bonn = ""] = ids(session);
  const result = await session.resume({ [rome]: "allow", [bonn]: { deny: "too far" } });
  expect(result).toMatchObject({ finishReason: "complete", text: "Cold.", iterations: 2 });
  expect(resultTexts(result)).toEqual(["Oslo: 4 degrees", "Rome: 4 degrees", "denied: too far"]);
  expect(ran.sort()).toEqual(["Oslo", "Rome"]);
  expect(result.steps.map(({ iteration }) => iteration)).toEqual([2]);
  expect(session.waiting).toEqual([]);
  const history = session.history();
  expectWhole(history);
  expect(history.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "tool", "assistant"]);
});

test("the points fire once for a call, whether it waits or not; permissionCheck gets the answer, too", async () => {
  const points = [
    "userMessage",
    "loopIteration",
    "preGenerate",
    "preToolCall",
    "toolValidation",
    "postToolCall",
    "toolResultPersist",
    "iterationEnd",
  ] as const satisfies PointName[];
  const fired = async (waits: RegExp): Promise<string[]> => {
    const engine = await openEngine([asks("Oslo"), "Cold."]);
    const seen: string[] = [];
    for (const point of points)
      engine.hooks.on(point as "loopIteration", ({ meta }) => void seen.push(`${meta.iteration} ${point}`));
    const { session } = open(engine, { waits });
    await session.run("How is it?");
    if (session.waiting.length > 0) await session.resume({ [first(session)]: "allow" });
    return seen;
  };
  expect(await fired(/Oslo/)).toEqual(await fired(/never/));
});

test("each run has one loopStart and one loopEnd, which tells that calls wait", async () => {
  const engine = await openEngine([asks("Oslo"), "Cold."]);
  const ends: unknown[] = [];
  let starts = 0;
  engine.hooks.on("loopStart", () => void starts++);
  engine.hooks.on("loopEnd", ({ finalState, reason }) => void ends.push([finalState, reason]));
  const { session } = open(engine);
  await session.run("How is it?");
  await session.resume({ [first(session)]: "allow" });
  expect(starts).toBe(2);
  expect(ends).toEqual([
    ["INTERRUPTED", "tool calls wait for an answer"],
    ["COMPLETE", null],
  ]);
});

test("as long as a call has no answer, the run waits on, and keeps the answers it has got", async () => {
  const engine = await openEngine([asks("Oslo", "Rome"), "Cold."]);
  const { session, ran } = open(engine);
  await session.run("How is it?");
  const [oslo = "", rome = ""] = ids(session);
  expect(await session.resume({ [oslo]: "allow" })).toMatchObject({ finishReason: "waiting", messages: [] });
  expect(ids(session)).toEqual([rome]);
  expect(ran).toEqual([]);
  expect(resultTexts(await session.resume({ [rome]: "deny" }))).toEqual(["Oslo: 4 degrees", notAllowed]);
});

test("changed arguments are what runs: guards and the schema judge them, and other hooks do not see the call", async () => {
  const engine = await openEngine([asks("Oslo"), "Cold."]);
  const seen: string[] = [];
  engine.hooks.on("preToolCall", ({ args }) => void seen.push(`hook ${String(args["city"])}`));
  engine.hooks.guard("preToolCall", ({ args }) => {
    seen.push(`guard ${String(args["city"])}`);
    return args["city"] === "Troy" ? cancel("it is gone") : undefined;
  });
  const answers = async (args: Record<string, unknown>): Promise<string[]> => {
    const { session } = open(engine);
    await session.run("How is it?");
    return resultTexts(await session.resume({ [first(session)]: { args } }));
  };
  expect(await answers({ city: "Rome" })).toEqual(["Rome: 4 degrees"]);
  expect(seen).toEqual(["hook Oslo", "guard Oslo", "guard Rome"]);
  expect(await answers({ city: 7 })).toEqual([expect.stringMatching(/^invalid arguments: .*city/)]);
  expect(await answers({ city: "Troy" })).toEqual([expect.stringMatching(/^blocked by .*: it is gone/)]);
});

test("a rule that denies holds, whatever the answer", async () => {
  const engine = await openEngine([asks("Oslo"), "Cold."]);
  const permissions = [{ allow: "*" }, { deny: "weather", when: { "args.city": "Rome" } }];
  const { session, ran } = open(engine, { permissions });
  await session.run("How is it?");
  const result = await session.resume({ [first(session)]: { args: { city: "Rome" } } });
  expect(resultTexts(result)).toEqual([expect.stringMatching(/^denied: the rule/)]);
  expect(ran).toEqual([]);
});

test("cancel ends the run, and each call says that it did not run", async () => {
  const engine = await openEngine([asks("Oslo", "Rome"), "Cold."]);
  const { session, ran } = open(engine, { waits: /Rome/ });
  await session.run("How is it?");
  const result = await session.resume({ [first(session)]: "cancel" });
  expect(result).toMatchObject({ finishReason: "cancelled", cancel: { by: "caller" } });
  expect(resultTexts(result)).toEqual(Array(2).fill("not run: a call of the message was cancelled"));
  expect(ran).toEqual([]);
  expect(session.waiting).toEqual([]);
  expectWhole(session.history());
});

test("a session that waits takes no other work, and says what it waits for", async () => {
  const engine = await openEngine([asks("Oslo"), "Cold."]);
  const { session } = open(engine);
  await session.run("How is it?");
  const id = first(session);
  const busy = { code: "SESSION_BUSY", message: expect.stringContaining(id) as string };
  expect(await rejection(session.run("And now?"))).toMatchObject(busy);
  expect(await rejection(session.compact())).toMatchObject(busy);
  expect(await rejection(session.resume({ call_0: "allow" }))).toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringMatching(new RegExp(`"call_0".*${id}`)) as string,
  });
  expect(session.waiting).toHaveLength(1);
  expect(resultTexts(await session.resume({ [id]: "allow" }))).toEqual(["Oslo: 4 degrees"]);
  expect(await rejection(session.resume({ [id]: "allow" }))).toMatchObject({ code: "INVALID_ARGUMENT" });
});

test.each([
  ["no object", "allow"],
  ["no answer", {}],
  ["an unknown word", { call_1: "maybe" }],
  ["no arguments", { call_1: { args: 7 } }],
  ["two answers in one", { call_1: { args: {}, deny: "no" } }],
])("answers that are wrong (%s) are refused, and name the place", async (_, answers) => {
  const engine = await openEngine([asks("Oslo"), "Cold."]);
  const { session } = open(engine);
  await session.run("How is it?");
  const resume = async (): Promise<unknown> => session.resume(answers as never);
  const error = await rejection(resume());
  expect(String((error as Error).message)).toMatch(/resume/);
  expect(session.waiting).toHaveLength(1);
});

test("a resumed run that is cancelled before its calls run leaves them waiting", async () => {
  const engine = await openEngine([asks("Oslo"), "Cold."]);
  const { session, ran } = open(engine);
  await session.run("How is it?");
  const id = first(session);
  const history = session.history();
  const stops = session.hooks.on("loopStart", () => session.cancel("not now"));
  expect(await session.resume({ [id]: "allow" })).toMatchObject({ finishReason: "cancelled", messages: [] });
  expect(ids(session)).toEqual([id]);
  expect(session.history()).toEqual(history);
  stops.dispose();
  expect(await session.resume({ [id]: "allow" })).toMatchObject({ finishReason: "complete", text: "Cold." });
  expect(ran).toEqual(["Oslo"]);
});

test("in another process the run continues from the saved session, with its limits and its answer", async () => {
  const file = path.join(await tempDir(), "session.json");
  const replies = [calls("weather", { city: "Oslo" }), calls("weather", { city: "Rome" }), '{"degrees":4}'];
  const answer = z.object({ degrees: z.number() });
  const here = open(await openEngine(replies), { waits: /Rome/, maxToolCalls: 2 });
  expect(await here.session.run("How is it?", { answer, tags: { who: "Ada" } })).toMatchObject({
    finishReason: "waiting",
    iterations: 2,
  });
  await here.session.save(file);
  const id = first(here.session);

  const engine = await openEngine(replies);
  const ran: string[] = [];
  const weather = tool({ name: "weather", parameters: city, run: ({ city }) => void ran.push(city) });
  const session = engine.restoreSession(file, { tools: [weather], temperature: 0, maxToolCalls: 2 });
  const tags: unknown[] = [];
  session.hooks.on("postToolCall", ({ meta }) => void tags.push(meta.tags));
  expect(session.waiting).toMatchObject([{ id, args: { city: "Rome" }, waitsFor: "Ada" }]);
  expect(session.history()).toEqual(here.session.history());
  const result = await session.resume({ [id]: "allow" }, { answer });
  expect(result).toMatchObject({ finishReason: "complete", answer: { degrees: 4 }, iterations: 3 });
  expect(ran).toEqual(["Rome"]);
  expect(tags).toEqual([{ who: "Ada" }]);
  expectWhole(session.history());
});

test("a fork waits, too, and each goes its own way", async () => {
  const engine = await openEngine([asks("Oslo"), "Cold."]);
  const { session } = open(engine);
  await session.run("How is it?");
  const fork = session.fork();
  const id = first(session);
  expect(ids(fork)).toEqual([id]);
  expect(resultTexts(await session.resume({ [id]: "allow" }))).toEqual(["Oslo: 4 degrees"]);
  expect(resultTexts(await fork.resume({ [id]: "deny" }))).toEqual([notAllowed]);
});

test("the model learns that a tool is gone when the run continues", async () => {
  const file = path.join(await tempDir(), "session.json");
  const here = open(await openEngine([asks("Oslo"), "Cold."]));
  await here.session.run("How is it?");
  await here.session.save(file);
  const engine = await openEngine([asks("Oslo"), "Cold."]);
  const session = engine.restoreSession(file, { temperature: 0 });
  expect(resultTexts(await session.resume({ [first(session)]: "allow" }))).toEqual([
    "unknown tool weather; there are: none",
  ]);
});

test("queued messages join after the results", async () => {
  const engine = await openEngine([asks("Oslo"), "Cold.", "Warm."]);
  const { session } = open(engine);
  await session.run("How is it?");
  session.queue("And tomorrow?");
  const { messages } = await session.resume({ [first(session)]: "allow" });
  expect(messages.slice(0, 3).map(({ role, content }) => `${role} ${content}`)).toEqual([
    "assistant One moment.",
    "tool Oslo: 4 degrees",
    "user And tomorrow?",
  ]);
});

test("texts that hooks added to the calls reach the model after the results", async () => {
  const engine = await openEngine([asks("Oslo"), "Cold."]);
  engine.hooks.on("preToolCall", () => ({ additionalContext: ["It is winter."] }));
  const { session } = open(engine);
  await session.run("How is it?");
  const { messages } = await session.resume({ [first(session)]: "allow" });
  expect(messages.slice(1, 3).map(({ content }) => content)).toEqual(["Oslo: 4 degrees", "It is winter."]);
});

test("limits count on over the wait", async () => {
  const engine = await openEngine({ replies: [asks("Oslo")], afterLast: "repeat" });
  const { session, ran } = open(engine, { maxToolCalls: 2, maxIterations: 4, maxIdenticalCalls: 10 });
  await session.run("How is it?");
  await session.resume({ [first(session)]: "allow" });
  const result = await session.resume({ [first(session)]: "allow" });
  expect(result).toMatchObject({ finishReason: "limit", limit: "maxIterations", iterations: 4 });
  expect(ran).toEqual(["Oslo", "Oslo"]);
  expect(resultTexts(result).slice(1)).toEqual(Array(2).fill("limit reached: 2 tool calls in this run"));
});

test("calls of a plan and of a delegated run cannot wait: they are denied, and onError is called", async () => {
  const errors: string[] = [];
  const engine = await openEngine(leadAndCoder([calls("weather", { city: "Oslo" }), "I may not."]));
  engine.hooks.on("error", ({ code, message, meta }) => void errors.push(`${meta.depth} ${code} ${message}`));
  const { session, ran } = open(engine, { waits: /Oslo|Rome/, ...ofLead });
  const step = { tool: "weather", args: { city: "Rome" } };
  const result = await session.run("Go", { plan: { flow: "sequence", steps: [step] } });
  const denied = "denied: the call cannot wait for an answer here";
  expect(result.toolCalls).toMatchObject([{ result: denied, decidedBy: "office" }, { name: "delegate" }]);
  expect(result.childToolCalls).toMatchObject([{ result: denied, resultKind: "rejected_permission" }]);
  expect([ran, session.waiting]).toEqual([[], []]);
  const reported = (depth: number): unknown =>
    expect.stringMatching(new RegExp(`^${depth} HOOK_BAD_ANSWER .*office.*weather`));
  expect(errors).toEqual([reported(0), reported(1)]);
});

test("a file with a waiting run that is wrong is refused, and names the place", async () => {
  const file = path.join(await tempDir(), "session.json");
  const engine = await openEngine([asks("Oslo"), "Cold."]);
  const { session } = open(engine);
  await session.run("How is it?");
  await session.save(file);
  const saved = JSON.parse(await readFile(file, "utf8")) as { waiting: Record<string, unknown> };
  const { writeFile } = await import("node:fs/promises");
  const wrong = [
    { iterations: -1 },
    { calls: [] },
    { calls: [{ id: "a", name: "weather", args: {}, state: "maybe" }] },
    { tags: { "a b": {} } },
    { limits: 7 },
    { extra: 1 },
  ];
  for (const change of wrong) {
    await writeFile(file, JSON.stringify({ ...saved, waiting: { ...saved.waiting, ...change } }));
    expect(await rejection((async () => engine.restoreSession(file))())).toMatchObject({
      code: "SESSION_FILE_INVALID",
      message: expect.stringContaining("waiting") as string,
    });
  }
});
