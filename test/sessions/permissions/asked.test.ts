// Calls that somebody is asked about, whose answer comes too late: at a deadline, or when the run or its session is over.
import { expect, test } from "vitest";
import { type HookAnswerOf, type HookOptions, LlamaHooksError, type Session, tool } from "../../../src/index.js";
import { recordHooks } from "../../../src/testing/index.js";
import { openEngine, rejection } from "../../support/engine.js";
import { gate } from "../../support/gate.js";
import { asks, notAllowed, resultTexts, weather } from "../../support/sessions.js";

type Answer = HookAnswerOf<"permissionCheck">;

/** A session whose model calls a tool for each city and is then stopped; somebody is asked, who answers late or never. */
async function asking(cities: readonly string[], options: Pick<HookOptions, "deadlineMs" | "failClosed"> = {}) {
  const engine = await openEngine({ replies: [asks(...cities)], afterLast: "repeat" });
  const ran: string[] = [];
  const forecast = tool({
    name: "weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    run: ({ city }) => (ran.push(String(city)), `${String(city)}: 4 degrees`),
  });
  const [asked, abandoned] = [gate(), gate()];
  const questions: unknown[] = [];
  const reasons: string[] = [];
  let answer: ((answer: Answer) => void) | undefined;
  const person = engine.hooks.on(
    "permissionCheck",
    ({ args, permission, rule, signal }) => {
      questions.push([args["city"], permission, rule]);
      signal.addEventListener("abort", () => {
        reasons.push(signal.reason instanceof LlamaHooksError ? signal.reason.code : "?");
        abandoned.open();
      });
      asked.open();
      return new Promise<Answer>((resolve) => (answer = resolve));
    },
    { name: "person", deadlineMs: 0, ...options },
  );
  const errors: string[] = [];
  engine.hooks.on("error", ({ code, where }) => void errors.push(`${code} ${where}`));
  /** When no call waits any more. */
  const answerLate = () => answer?.({ permission: "allow", remember: "tool" });
  const open = () =>
    engine.session({ tools: [forecast], temperature: 0, permissions: [{ ask: "*" }], maxIterations: 1 });
  return {
    engine,
    open,
    session: open(),
    ran,
    asked,
    abandoned,
    questions,
    reasons,
    errors,
    answerLate,
    /** The late answer counts for nothing: the next run asks somebody else, who is there, about each call, and all run. */
    continues: async (next: Session) => {
      expect(ran).toEqual([]);
      answerLate();
      person.dispose();
      questions.length = 0;
      engine.hooks.on("permissionCheck", ({ permission }) => {
        questions.push(permission);
        return { permission: "allow" };
      });
      expect(resultTexts(await next.run("Again"))).toEqual(cities.map((city) => `${city}: 4 degrees`));
      expect(questions).toEqual(cities.map(() => "ask"));
      expect(ran).toEqual(cities);
    },
  };
}

const timedOut = "HOOK_TIMEOUT hook:person@permissionCheck";

test.each([
  [{ failClosed: false }, notAllowed, ""],
  [
    { failClosed: true },
    'denied: hook "person" at permissionCheck failed (HOOK_TIMEOUT): no answer within 1000 ms',
    "person",
  ],
])("whoever is asked passes the deadline, %j: the call is denied, and the run continues", async (how, text, by) => {
  const { session, questions, reasons, errors, continues } = await asking(["Oslo", "Rome"], {
    ...how,
    deadlineMs: 1000,
  });
  const result = await session.run("Hello");
  expect(resultTexts(result)).toEqual([text, text]);
  expect(result).toMatchObject({ finishReason: "limit", limit: "maxIterations" });
  for (const { resultKind, isError, decidedBy } of result.toolCalls)
    expect([resultKind, isError, decidedBy ?? ""]).toEqual(["rejected_permission", true, by]);
  expect(questions).toEqual([
    ["Oslo", "ask", "ask *"],
    ["Rome", "ask", "ask *"],
  ]);
  expect(reasons).toEqual(["HOOK_TIMEOUT", "HOOK_TIMEOUT"]);
  expect(errors).toEqual([timedOut, timedOut]);
  expect(session.history()).toEqual(result.messages);

  await continues(session);
});

test("the run is aborted while somebody is asked: no call runs, no further one is asked about, and the session continues", async () => {
  const { session, asked, abandoned, questions, reasons, errors, continues } = await asking(["Oslo", "Rome"]);
  const states: string[] = [];
  const stop = new AbortController();
  const run = session.run("Hello", { signal: stop.signal });
  const events = (async () => {
    for await (const event of run) if (event.type === "state") states.push(event.current);
  })();
  await asked.passed;
  stop.abort(new Error("enough"));
  const result = await run;
  await events;
  expect(result).toMatchObject({ finishReason: "cancelled", cancel: { by: "signal", reason: "enough" } });
  expect(resultTexts(result)).toEqual(["not run: enough", "not run: enough"]);
  expect(result.toolCalls.map(({ resultKind }) => resultKind)).toEqual(["cancelled", "cancelled"]);
  expect(states).toEqual(["PLANNING", "EXECUTING", "WAITING_TOOL", "INTERRUPTED", "IDLE"]);
  await abandoned.passed;
  expect(questions).toEqual([["Oslo", "ask", "ask *"]]);
  expect([reasons, errors]).toEqual([["CANCELLED"], []]);
  expect(session.history()).toEqual(result.messages);

  await continues(session);
});

test("the session is closed while somebody is asked: its run ends, and the engine continues", async () => {
  const { engine, open, session, asked, abandoned, reasons, errors, continues } = await asking(["Oslo"]);
  const ends: unknown[] = [];
  engine.hooks.on("sessionEnd", ({ history }) => void ends.push(history.map(({ content }) => content)));
  const run = session.run("Hello");
  run.then(undefined, () => undefined);
  await asked.passed;
  await session.close();
  const result = await run;
  const why = "the session is closed";
  expect(result).toMatchObject({ finishReason: "cancelled", cancel: { by: "caller", reason: why } });
  expect(resultTexts(result)).toEqual([`not run: ${why}`]);
  expect(result.toolCalls).toMatchObject([{ resultKind: "cancelled", isError: true }]);
  expect(ends).toEqual([["Hello", "One moment.", `not run: ${why}`]]);
  await abandoned.passed;
  expect([reasons, errors]).toEqual([["CANCELLED"], []]);
  expect(await rejection(session.run("More"))).toMatchObject({ code: "NOT_FOUND" });

  await continues(open());
});

test("the engine is closed while somebody is asked: the run ends, and nothing has run", async () => {
  const { engine, session, ran, asked, abandoned, reasons, answerLate } = await asking(["Oslo"]);
  const run = session.run("Hello");
  run.then(undefined, () => undefined);
  await asked.passed;
  await engine.close();
  const result = await run;
  const why = "the engine is closed";
  expect(result).toMatchObject({ finishReason: "cancelled", cancel: { by: "caller", reason: why } });
  expect(resultTexts(result)).toEqual([`not run: ${why}`]);
  await abandoned.passed;
  expect(reasons).toEqual(["CLOSED"]);
  answerLate();
  expect(ran).toEqual([]);
  expect(await rejection(session.run("More"))).toMatchObject({ code: "CLOSED" });
});

test("the run is aborted while somebody is asked about a call of a tier's run: both calls get a result, and both loops end", async () => {
  const delegates = { toolCalls: [{ name: "delegate", args: { tier: "coder", task: "Do it." } }] };
  const engine = await openEngine({
    replies: [delegates, "Done."],
    scripts: [{ when: "You write code.", replies: [asks("Oslo"), "Written."] }],
  });
  const recording = recordHooks(engine);
  const asked = gate();
  engine.hooks.on("permissionCheck", ({ toolName }) => {
    if (toolName === "delegate") return { permission: "allow" };
    asked.open();
    return new Promise<Answer>(() => {});
  });
  const session = engine.session({
    tools: [weather],
    controlTools: ["delegate"],
    tiers: { coder: { system: "You write code.", tools: ["weather"] } },
    permissions: [{ ask: "*" }],
  });
  const stop = new AbortController();
  const run = session.run("Hello", { signal: stop.signal });
  run.then(undefined, () => undefined);
  await asked.passed;
  stop.abort(new Error("enough"));
  const result = await run;
  expect(result).toMatchObject({ finishReason: "cancelled", cancel: { by: "signal", reason: "enough" } });
  expect(resultTexts(result)).toEqual(["cancelled: enough\n[conversation coder-1]"]);
  const results = recording.events.flatMap(({ point, event }) => (point === "postToolCall" ? [event.result] : []));
  expect(results).toEqual(["not run: enough", "cancelled: enough\n[conversation coder-1]"]);
  expect(recording.names().filter((name) => name === "loopEnd").length).toBe(2);
  expect((await session.run("Again")).text).toBe("Done.");
});

test.each<[string, object, HookAnswerOf<"permissionCheck">, string]>([
  ["no hook allows", { ask: "*" }, { reason: "office hours only" }, "office hours only"],
  ["a rule denies", { deny: "*" }, { reason: "office hours only" }, "office hours only"],
  ["both deny", { deny: "*" }, { permission: "deny", reason: "office hours only" }, "office hours only"],
  ["a rule denies what is allowed", { deny: "*" }, { permission: "allow", reason: "go on" }, "the rule deny *"],
])("the model gets the reason of a denial: %s", async (_, rule, answer, why) => {
  const engine = await openEngine([asks("Oslo"), "Done."]);
  engine.hooks.on("permissionCheck", () => answer);
  expect(resultTexts(await engine.session({ tools: [weather], permissions: [rule] }).run("Hello"))).toEqual([
    `denied: ${why}`,
  ]);
});

test("the model gets the reason of a denial by an earlier answer", async () => {
  const engine = await openEngine([asks("Oslo"), asks("Oslo"), "Done."]);
  engine.hooks.on("permissionCheck", ({ permission }) =>
    permission === "ask" ? { permission: "deny", remember: "call" } : { reason: "still not" },
  );
  const result = await engine.session({ tools: [weather], permissions: [{ ask: "*" }] }).run("Hello");
  expect(resultTexts(result)[1]).toBe("denied: still not");
});
