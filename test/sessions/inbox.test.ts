import path from "node:path";
import { expect, test } from "vitest";
import { cancel, type Engine, type RunEvent, type SessionOptions, tool } from "../../src/index.js";
import { recordHooks } from "../../src/testing/index.js";
import { leadAndCoder, ofLead } from "../support/lead-and-coder.js";
import { openEngine, rejection, tempDir } from "../support/engine.js";
import { gate } from "../support/gate.js";
import { asks, calls, tools } from "../support/sessions.js";

const options = { tools, temperature: 0 } satisfies SessionOptions;
const open = (): Promise<Engine> => openEngine([asks("Oslo"), "It is cold.", "And warm.", "So it is."]);

test("a message that is queued joins before the next iteration, and the run continues where it would have ended", async () => {
  const engine = await open();
  const session = engine.session(options);
  const heard: unknown[] = [];
  engine.hooks.on("userMessage", ({ content, queued }) => void heard.push([content, queued]));
  engine.hooks.on("postToolCall", () => session.queue("And Rome?"));
  let last = false;
  engine.hooks.on("postGenerate", ({ content }) => {
    if (content === "It is cold." && !last) session.queue("Are you sure?");
    last = content === "It is cold.";
  });
  const result = await session.run("How is Oslo?");
  expect(heard).toEqual([
    ["How is Oslo?", false],
    ["And Rome?", true],
    ["Are you sure?", true],
  ]);
  expect(result).toMatchObject({ text: "And warm.", iterations: 3, finishReason: "complete" });
  expect(result.messages.map(({ role, content }) => `${role}: ${content}`)).toEqual([
    "user: How is Oslo?",
    "assistant: One moment.",
    "tool: Oslo: 4 degrees",
    "user: And Rome?",
    "assistant: It is cold.",
    "user: Are you sure?",
    "assistant: And warm.",
  ]);
});

test("what is queued without a run is said in the next one; a hook may change or refuse it", async () => {
  const engine = await openEngine(["Yes.", "Yes."]);
  const session = engine.session(options);
  session.queue("one");
  session.queue("two");
  session.queue("three");
  engine.hooks.on("userMessage", ({ content, queued }) => {
    if (content === "two") return cancel("not that");
    return queued ? { content: `${content}!` } : undefined;
  });
  const { messages, decisions, finishReason } = await session.run("zero");
  expect(messages.map(({ content }) => content)).toEqual(["zero", "one!", "three!", "Yes."]);
  expect(finishReason).toBe("complete");
  expect(decisions.filter(({ action }) => action === "cancelled")).toMatchObject([
    { point: "userMessage", reason: "not that" },
  ]);
  expect(() => session.queue("")).toThrow(/The message of queue\(\) must be/);
});

test("pause holds a run before its next iteration, until resume", async () => {
  const engine = await open();
  const session = engine.session(options);
  const recording = recordHooks(engine);
  engine.hooks.on("iterationEnd", ({ iteration }) => void (iteration === 1 && session.pause()));
  const states: string[] = [];
  const run = session.run("How is Oslo?");
  for await (const event of run as AsyncIterable<RunEvent>) {
    if (event.type !== "state") continue;
    states.push(event.current);
    if (event.current !== "PAUSED") continue;
    expect(recording.names().filter((name) => name === "loopIteration").length).toBe(1);
    await session.save(path.join(await tempDir(), "paused.json"));
    session.resume();
  }
  expect(states).toEqual([
    "PLANNING",
    "EXECUTING",
    "WAITING_TOOL",
    "EXECUTING",
    "PAUSED",
    "EXECUTING",
    "COMPLETE",
    "IDLE",
  ]);
  expect((await run).text).toBe("It is cold.");
});

test("a run that is paused can be cancelled, and closed with its session", async () => {
  const engine = await open();
  for (const how of ["cancel", "close"] as const) {
    const session = engine.session(options);
    session.pause();
    const run = session.run("How is Oslo?");
    const paused = new Promise<void>((resolve) => {
      engine.hooks.on("stateChange", ({ current }) => void (current === "PAUSED" && resolve()));
    });
    void run.then(() => undefined);
    await paused;
    if (how === "cancel") run.cancel("enough");
    else await session.close();
    expect(await run).toMatchObject({ finishReason: "cancelled", iterations: 0, messages: [] });
    engine.hooks.clear();
    await session.close();
  }
});

test("a second run is refused, or waits, as asked", async () => {
  const engine = await openEngine(["One.", "Two.", "Three."]);
  const session = engine.session(options);
  const first = session.run("a");
  const second = session.run("b", { whenBusy: "wait" });
  const third = session.run("c", { whenBusy: "wait" });
  const refused = session.run("d");
  expect(await rejection(refused)).toMatchObject({ code: "SESSION_BUSY" });
  expect([(await third).text, (await second).text, (await first).text]).toEqual(["Three.", "Two.", "One."]);
  expect(session.history().map(({ content }) => content)).toEqual(["a", "One.", "b", "Two.", "c", "Three."]);
  expect(() => session.run("e", { whenBusy: "later" as never })).toThrow(/whenBusy must be/);
});

test("a run that waits and is cancelled meanwhile ends as cancelled when its turn comes", async () => {
  const slow = tool({ name: "weather", run: () => new Promise((resolve) => setTimeout(resolve, 20, "fog")) });
  const engine = await openEngine([{ toolCalls: [{ name: "weather", args: {} }] }, "Cold.", "Warm."]);
  const session = engine.session({ tools: [slow] });
  const first = session.run("a");
  const stop = new AbortController();
  const second = session.run("b", { whenBusy: "wait", signal: stop.signal });
  stop.abort(new Error("no more"));
  expect(await second).toMatchObject({
    finishReason: "cancelled",
    cancel: { by: "signal", reason: "no more" },
    messages: [],
  });
  expect((await first).text).toBe("Cold.");
});

test("a message queued at the last moment is still heard, also after a completion", async () => {
  const completes = { toolCalls: [{ name: "complete", args: { summary: "Done." } }] };
  const engine = await openEngine(["First.", completes, "Last."]);
  const session = engine.session({ controlTools: ["complete"] });
  engine.hooks.on("iterationEnd", ({ iteration }) => void (iteration < 3 && session.queue(`more ${iteration}`)));
  const result = await session.run("Go.");
  expect(result).toMatchObject({ text: "Last.", iterations: 3, finishReason: "complete" });
  expect(result.messages.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual([
    "Go.",
    "more 1",
    "more 2",
  ]);
});

test("a queued message that a run could not say is said in the next one", async () => {
  const engine = await openEngine(["Yes.", "Yes."]);
  const session = engine.session({});
  session.queue("more");
  const stop = engine.hooks.on("contextAssemble", () => cancel("not now"));
  await session.run("a");
  stop.dispose();
  const { messages } = await session.run("b");
  expect(messages.map(({ content }) => content)).toEqual(["b", "more", "Yes."]);
});

test("a run that is asked to wait inside a hook is refused: that hook may be what is waited for", async () => {
  const engine = await openEngine(["One."]);
  const session = engine.session({});
  const refused: unknown[] = [];
  engine.hooks.on(
    "postGenerate",
    async () => void refused.push(await rejection(session.run("b", { whenBusy: "wait" }))),
  );
  await session.run("a");
  expect(refused).toMatchObject([{ code: "SESSION_BUSY" }]);
});

test.each([
  ["a tool", "tool", false],
  ["an async tool", "tool", true],
  ["a hook", "hook", false],
  ["an async hook", "hook", true],
])("what %s has left behind may wait for a run, once the call is over", async (_, kind, later) => {
  const engine = await openEngine([calls("weather"), "Cold.", "Warm.", "Late."]);
  const [go, begun, held] = [gate(), gate(), gate()];
  let late: Promise<unknown> | undefined;
  const leave = (): unknown => {
    late ??= go.passed.then(() => session.run("late", { whenBusy: "wait" }));
    return later ? Promise.resolve() : undefined;
  };
  const weather = tool({ name: "weather", run: () => (kind === "tool" ? leave() : "fog") });
  const session = engine.session({ tools: [weather], temperature: 0 });
  if (kind === "hook") session.hooks.on("postToolCall", () => leave() as Promise<void>);
  await session.run("a");
  engine.hooks.on("loopStart", async () => {
    begun.open();
    await held.passed;
  });
  const second = session.run("b");
  await begun.passed;
  go.open();
  await go.passed; // it asks now
  held.open();
  expect([(await second).text, await late]).toMatchObject(["Warm.", { text: "Late." }]);
});

test("closing the engine while a run is paused fires loopEnd for it", async () => {
  const engine = await open();
  const fired: string[] = [];
  for (const point of ["loopStart", "loopEnd", "sessionEnd"] as const)
    engine.hooks.on(point, () => void fired.push(point));
  const session = engine.session(options);
  session.pause();
  const paused = new Promise<void>((resolve) => {
    engine.hooks.on("stateChange", ({ current }) => void (current === "PAUSED" && resolve()));
  });
  const run = session.run("a");
  const ended = run.then((result) => result.finishReason);
  await paused;
  await engine.close();
  expect(await ended).toBe("cancelled");
  expect(fired).toEqual(["loopStart", "loopEnd", "sessionEnd"]);
});

test("hooks are asked about a queued message once, also if the first run that takes it up does not say it", async () => {
  const engine = await openEngine({ replies: ["I see."], afterLast: "repeat" });
  const asked: string[] = [];
  engine.hooks.on("userMessage", ({ content, queued }) => {
    if (!queued) return undefined;
    asked.push(content);
    return { content: `${content}!`, additionalContext: ["by the way"] };
  });
  const fails = engine.hooks.guard("preGenerate", () => cancel("not now"));
  const session = engine.session({ temperature: 0 });
  session.queue("More");
  expect((await session.run("Go")).halt?.reason).toBe("not now");
  expect((await session.run("Go")).halt?.reason).toBe("not now");
  const file = path.join(await tempDir(), "session.json");
  await session.save(file);
  fails.dispose();
  for (const later of [session.fork(), engine.restoreSession(file), session]) {
    const { messages } = await later.run("Go");
    const said = messages.flatMap(({ role, content }) => (role === "user" ? content : []));
    expect(said).toEqual(later.id === session.id || said.length > 1 ? ["Go", "More!", "by the way"] : ["Go"]);
  }
  expect(asked).toEqual(["More"]);
});

test("pause holds a run that was delegated, too", async () => {
  const engine = await openEngine(leadAndCoder([asks("Oslo"), "Written."]));
  const session = engine.session({ ...options, ...ofLead });
  engine.hooks.on("iterationEnd", ({ meta }) => void (meta.depth === 1 && session.pause()));
  const paused: number[] = [];
  const run = session.run("Go");
  for await (const event of run as AsyncIterable<RunEvent>) {
    if (event.type !== "state" || event.current !== "PAUSED") continue;
    paused.push(event.depth);
    session.resume();
  }
  expect(paused[0]).toBe(1);
  expect((await run).text).toBe("Done.");
});
