import { expect, test } from "vitest";
import { cancel, type Message, tool } from "../../src/index.js";
import { recordHooks } from "../../src/testing/index.js";
import { openEngine, rejection } from "../support/engine.js";
import { gate } from "../support/gate.js";
import { asks, runOnce, resultTexts, tools } from "../support/sessions.js";

test("a session remembers, and its next run reads only what is new", async () => {
  const engine = await openEngine(["One.", asks("Oslo"), "Two.", "Three."]);
  const session = engine.session({ system: "Count.", tools });
  const first = await session.run("First");
  const second = await session.run("Second");
  const third = await session.run("Third");
  expect([first.text, second.text, third.text]).toEqual(["One.", "Two.", "Three."]);
  expect(session.history()).toEqual([...first.messages, ...second.messages, ...third.messages]);
  expect(third.usage.cachedTokens).toBeGreaterThan(0.8 * third.usage.promptTokens);
});

test("one run at a time: another is SESSION_BUSY, and a later one is not", async () => {
  const engine = await openEngine([{ toolCalls: [{ name: "wait", args: {} }] }, "Done.", "Again."]);
  const [begun, release] = [gate(), gate()];
  const wait = tool({
    name: "wait",
    run: async () => {
      begun.open();
      await release.passed;
      return "waited";
    },
  });
  const session = engine.session({ tools: [wait] });
  const run = session.run("Go");
  run.then(undefined, () => undefined);
  await begun.passed;
  expect(await rejection(session.run("Now"))).toMatchObject({ code: "SESSION_BUSY" });
  expect(session.history().map(({ content }) => content)).toEqual(["Go", "", "not run: the session was interrupted"]);
  release.open();
  expect((await run).text).toBe("Done.");
  expect((await session.run("Now")).text).toBe("Again.");
});

test("closing cancels the run that is under way; then the session is not there any more", async () => {
  const engine = await openEngine([{ toolCalls: [{ name: "hang", args: {} }] }, "Done."]);
  const begun = gate();
  const hang = tool({
    name: "hang",
    run: () => {
      begun.open();
      return new Promise(() => {});
    },
  });
  const recording = recordHooks(engine);
  const session = engine.session({ tools: [hang] });
  const run = session.run("Go");
  run.then(undefined, () => undefined);
  await begun.passed;
  await session.close();
  await session.close();
  expect(await run).toMatchObject({ finishReason: "cancelled", cancel: { reason: "the session is closed" } });
  expect(resultTexts(await run)).toEqual(["cancelled: the session is closed"]);
  expect(recording.names().filter((name) => name === "sessionEnd")).toEqual(["sessionEnd"]);
  expect(await rejection(session.run("More"))).toMatchObject({ code: "NOT_FOUND" });
  expect(() => session.history()).toThrow(expect.objectContaining({ code: "NOT_FOUND" }) as Error);
});

test("the engine's close ends its sessions, each with sessionEnd, before their model goes", async () => {
  const engine = await openEngine(["Hello."]);
  const recording = recordHooks(engine);
  const session = engine.session();
  engine.session();
  await session.run("Hi");
  await engine.close();
  const names = recording.names();
  expect(names.filter((name) => name === "sessionStart").length).toBe(2);
  expect(names.filter((name) => name === "sessionEnd").length).toBe(2);
  expect(names.at(-1)).toBe("modelUnload");
  await session.close();
  expect(await rejection(session.run("Hi"))).toMatchObject({ code: "CLOSED" });
  expect(() => engine.session()).toThrow(expect.objectContaining({ code: "CLOSED" }) as Error);
});

test("a history continues where it stopped, and one that is not whole is refused", async () => {
  const engine = await openEngine(["One.", "Two."]);
  const history: Message[] = [
    { role: "user", content: "Hi" },
    { role: "assistant", content: "One." },
  ];
  const starts: unknown[] = [];
  engine.hooks.on("sessionStart", ({ history: restored }) => void starts.push(restored));
  expect((await runOnce(engine, { history })).text).toBe("Two.");
  expect(starts).toEqual([history]);
  const call: Message = { role: "assistant", content: "", toolCalls: [{ id: "a", name: "weather", args: {} }] };
  const result: Message = { role: "tool", content: "cold", toolCallId: "a", toolName: "weather" };
  for (const [bad, why] of [
    [[{ role: "system", content: "Be." }, ...history], /system message/],
    [[...history, call], /tool call a without its result/],
    [[...history, call, { role: "user", content: "and?" }, result], /tool call a without its result/],
    [[{ role: "narrator", content: "Once" }], /role/],
  ] as const) {
    expect(() => engine.session({ history: bad as unknown as Message[] })).toThrow(
      expect.objectContaining({ code: "INVALID_MESSAGES", message: expect.stringMatching(why) as string }) as Error,
    );
  }
  expect(() => engine.session({ history: [...history, call, result] })).not.toThrow();
});

test("a run in which the model said nothing leaves the history as it was, and the session continues", async () => {
  const engine = await openEngine(["Hello."], { contextSize: 256 });
  const session = engine.session();
  expect(await rejection(session.run("long ".repeat(100)))).toMatchObject({ code: "PROMPT_TOO_LONG" });
  const stop = new AbortController();
  stop.abort(new Error("never mind"));
  const cancelled = await session.run("Hi", { signal: stop.signal });
  expect(cancelled).toMatchObject({ finishReason: "cancelled", messages: [] });
  expect(session.history()).toEqual([]);
  expect((await session.run("Hi")).text).toBe("Hello.");
});

test("an iteration over a run gives its events in order, and leaving it cancels the run", async () => {
  const engine = await openEngine([asks("Oslo"), "Cold."]);
  const session = engine.session({ tools });
  const events: string[] = [];
  for await (const event of session.run("Go")) {
    // A call is reported in several pieces, and a slow machine tells how far it has read.
    if (["token", "promptProgress", events.at(-1)].includes(event.type)) continue;
    events.push(event.type === "state" ? event.current : event.type);
  }
  expect(events).toEqual([
    "PLANNING",
    "EXECUTING",
    "iteration",
    "start",
    "toolCallDelta",
    "WAITING_TOOL",
    "toolCall",
    "toolResult",
    "EXECUTING",
    "iteration",
    "start",
    "COMPLETE",
    "IDLE",
    "end",
  ]);
  const run = session.run("Go");
  for await (const event of run) if (event.type === "iteration") break;
  expect((await run).finishReason).toBe("cancelled");
});

test("sampling of a run takes the place of the session's, one by one", async () => {
  const engine = await openEngine(["A long answer that goes on."]);
  const params: unknown[] = [];
  engine.hooks.on("preGenerate", (event) => void params.push([event.params.temperature, event.params.maxTokens]));
  const session = engine.session({ temperature: 0.25, maxTokens: 50 });
  await session.run("Hi", { maxTokens: 3 });
  await session.run("Hi");
  expect(params).toEqual([
    [0.25, 3],
    [0.25, 50],
  ]);
});

test("wrong options are named at once", async () => {
  const engine = await openEngine(["Hello."]);
  for (const options of [
    { sytem: "x" },
    { maxIterations: 0 },
    { tools: weatherLess },
    { temperature: -1 },
    { history: {} },
  ])
    expect(() => engine.session(options as never)).toThrow(TypeError);
  const session = engine.session();
  for (const input of [undefined, 7, [{ role: "assistant", content: "hi" }]])
    expect(() => session.run(input as never)).toThrow(TypeError);
  expect(() => session.run("hi", { system: "x" } as never)).toThrow(TypeError);
  expect((await session.run("hi")).text).toBe("Hello.");
});

const weatherLess = [{ name: "no spaces allowed", run: () => "" }];

test("many sessions at once share a model; each run ends once, each call has one result", async () => {
  const engine = await openEngine({ replies: [asks("Oslo", "Rome"), "Done."] }, { parallel: 4 });
  let ends = 0;
  engine.hooks.on("loopEnd", () => void ends++);
  engine.hooks.on("preToolCall", async () => void (await new Promise((resolve) => setImmediate(resolve))));
  const results = await Promise.all(Array.from({ length: 40 }, () => runOnce(engine)));
  expect(ends).toBe(40);
  for (const result of results) {
    expect(result.text).toBe("Done.");
    expect(resultTexts(result)).toEqual(["Oslo: 4 degrees", "Rome: 4 degrees"]);
  }
});

test("closing a session ends a run whose reader is behind", async () => {
  const engine = await openEngine([{ text: "la di da ", endless: true }], { contextSize: 4096 });
  const session = engine.session();
  const run = session.run("Sing");
  const reader = run[Symbol.asyncIterator]();
  await reader.next();
  await new Promise((resolve) => setTimeout(resolve, 300));
  await session.close();
  expect(await run).toMatchObject({ finishReason: "cancelled", cancel: { reason: "the session is closed" } });
});

test("closing a session from a hook of its run is REENTRANT; from a tool of it, it cancels the run", async () => {
  const engine = await openEngine([{ toolCalls: [{ name: "leave", args: {} }] }, "Done."]);
  const seen: unknown[] = [];
  const hook = engine.hooks.on("postToolCall", async () => {
    seen.push(await session.close().catch(({ code }: { code: string }) => code));
  });
  const leave = tool({ name: "leave", run: () => "staying" });
  const session = engine.session({ tools: [leave] });
  expect((await session.run("Go")).text).toBe("Done.");
  expect(seen).toEqual(["REENTRANT"]);
  hook.dispose();
  await session.close();
  const gone = engine.session({
    tools: [
      tool({
        name: "leave",
        run: async () => {
          await gone.close();
          return "too late";
        },
      }),
    ],
  });
  expect(await gone.run("Go")).toMatchObject({ finishReason: "cancelled" });
});

test("a run that is asked for and a session that is closed at once: the run is cancelled", async () => {
  const engine = await openEngine(["Hello."]);
  const session = engine.session();
  const run = session.run("Hi");
  await session.close();
  expect(["cancelled", "complete"]).toContain((await run).finishReason);
});

test("a bootstrap hook that was given up is asked again in the next run", async () => {
  const engine = await openEngine(["Hello."]);
  const systems: unknown[] = [];
  let asked = 0;
  engine.hooks.on("bootstrap", async (event) => {
    if (asked++ > 0) return { parts: ["Policy."] };
    run.cancel("never mind");
    return new Promise<undefined>((resolve) => event.signal.addEventListener("abort", () => resolve(undefined)));
  });
  engine.hooks.on("preGenerate", ({ messages }) => void systems.push(messages[0]?.content));
  const session = engine.session();
  const run = session.run("Hi");
  expect((await run).finishReason).toBe("cancelled");
  await session.run("Hi");
  expect(systems.at(-1)).toBe("Policy.");
});

test("a hook that waits at stateChange does not outlast the run's cancel, and a hook named caller is a hook", async () => {
  const engine = await openEngine(["Hello."]);
  const hang = ({ current }: { current: string }): Promise<undefined> | undefined =>
    current === "PLANNING" ? new Promise(() => {}) : undefined;
  const stuck = engine.hooks.on("stateChange", hang, { deadlineMs: 0 });
  const session = engine.session();
  const run = session.run("Hi");
  setTimeout(() => run.cancel("enough"), 50);
  expect((await run).finishReason).toBe("cancelled");
  stuck.dispose();
  engine.hooks.on("preGenerate", () => cancel("mine"), { name: "caller" });
  expect(await session.run("Hi")).toMatchObject({ finishReason: "halted", halt: { by: "caller", reason: "mine" } });
});

test("a sessionEnd hook that waits for the close that it holds up gets an error that says so", async () => {
  const engine = await openEngine(["One."]);
  const session = engine.session();
  const inside: unknown[] = [];
  const closes = async (): Promise<void> => void inside.push(await rejection(session.close()));
  session.hooks.on("sessionEnd", closes, { deadlineMs: 0 });
  await session.close();
  expect(inside).toMatchObject([{ code: "REENTRANT" }]);
  await session.close();
  expect(await rejection(session.run("Go"))).toMatchObject({ code: "NOT_FOUND" });
});

test("a tool may close its session twice at once: both resolve with the one close", async () => {
  const engine = await openEngine([{ toolCalls: [{ name: "leave", args: {} }] }, "Done."]);
  let closed: Promise<unknown> | undefined;
  const leave = tool({
    name: "leave",
    // Waits for the cancel: a run whose last step was already under way would be complete.
    run: async (_args, { signal }) => {
      closed = Promise.all([session.close(), session.close()]);
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      return "left";
    },
  });
  const session = engine.session({ tools: [leave] });
  expect(await session.run("Go")).toMatchObject({ finishReason: "cancelled" });
  expect(await closed).toEqual([undefined, undefined]);
});
