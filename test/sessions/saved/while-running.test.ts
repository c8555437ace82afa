// While a run works, its messages are already in the session's history, in its file and in its forks.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { cancel, type Message, type Session, type SessionOptions, tool, type Tool } from "../../../src/index.js";
import { startScript } from "../../fixtures/child.js";
import { openEngine, scriptModel, tempDir } from "../../support/engine.js";
import { asks, bare, calls, expectWhole, resultTexts, tools } from "../../support/sessions.js";

const options = { tools, temperature: 0 } satisfies SessionOptions;
const place = async (): Promise<string> => path.join(await tempDir(), "session.json");
const interrupted = "not run: the session was interrupted";

/** Role and text of each message, and the calls of those that have some. */
const lines = (messages: readonly Message[]): string[] =>
  messages.map(({ role, content, toolCalls }) =>
    [role, content, ...(toolCalls ?? []).map(({ name, args }) => `${name}${JSON.stringify(args)}`)].join(" "),
  );

/** History, file and fork agree. */
async function seen(session: Session, file: string): Promise<string[]> {
  const history = session.history();
  expectWhole(history);
  await session.save(file);
  const saved = JSON.parse(await readFile(file, "utf8")) as {
    conversation: { messages: { role: string; content: string }[] };
  };
  expect(saved.conversation.messages.map(({ role, content }) => [role, content])).toEqual(
    history.map(({ role, content }) => [role, content]),
  );
  const fork = session.fork();
  expect(bare(fork.history())).toEqual(bare(history)); // a message has its id when its results are there
  await fork.close();
  return lines(history);
}

const one = 'assistant One moment. weather{"city":"Oslo"}';
const both = `${one} weather{"city":"Rome"}`;

test("each point of a run finds what was said by then, and a result for every call", async () => {
  const engine = await openEngine([asks("Oslo", "Rome"), "It is cold."]);
  const file = await place();
  const session = engine.session({ ...options, permissions: [{ allow: "*" }] });
  const at: [string, string[]][] = [];
  const points = [
    "userMessage",
    "loopStart",
    "preGenerate",
    "preToolCall",
    "permissionCheck",
    "postToolCall",
    "toolResultPersist",
    "iterationEnd",
    "loopEnd",
  ] as const;
  for (const point of points)
    engine.hooks.on(point as "loopStart", async () => void at.push([point, await seen(session, file)]));
  const result = await session.run("How is it?");
  const user = "user How is it?";
  const results = ["tool Oslo: 4 degrees", "tool Rome: 4 degrees"];
  const missing = `tool ${interrupted}`;
  const [oslo = ""] = results;
  const done = [user, both, ...results];
  const end = [...done, "assistant It is cold."];
  expect(at).toEqual([
    ["userMessage", []],
    ["loopStart", [user]],
    ["preGenerate", [user]],
    ["preToolCall", [user, "assistant One moment."]],
    ["permissionCheck", [user, one, missing]],
    ["preToolCall", [user, one, missing]],
    ["permissionCheck", [user, both, missing, missing]],
    ["postToolCall", [user, both, missing, missing]],
    ["toolResultPersist", [user, both, missing, missing]],
    ["postToolCall", [user, both, oslo, missing]],
    ["toolResultPersist", [user, both, oslo, missing]],
    ["iterationEnd", done],
    ["preGenerate", done],
    ["iterationEnd", end],
    ["loopEnd", end],
  ]);
  expect(lines(session.history())).toEqual(end);
  expect(session.history()).toEqual(result.messages);
});

test("a crash while a person is asked keeps the turn", async () => {
  const file = await place();
  const model = await scriptModel([asks("Oslo"), "It is cold.", "Fine."]);
  const child = startScript(
    `import { tool } from "llama-hooks";
    const engine = await createEngine({ model, ...onCpu });
    const weather = tool({ name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } }, run: () => "rain" });
    const session = engine.session({ tools: [weather], permissions: [{ ask: "*" }], temperature: 0 });
    engine.hooks.on("permissionCheck", async () => {
      await session.save(${JSON.stringify(file)});
      console.log("asked");
      return new Promise(() => setInterval(() => undefined, 1000));
    }, { deadlineMs: 0 });
    await session.run("How is Oslo?");`,
    model,
  );
  await child.said("asked");
  child.process.kill("SIGKILL");
  expect((await child.ended).signal).toBe("SIGKILL");

  const engine = await openEngine([], { model });
  const restored = engine.restoreSession(file, options);
  const turn = ["user How is Oslo?", one, `tool ${interrupted}`];
  expect(lines(restored.history())).toEqual(turn);
  const { text, messages } = await restored.run("Go on.");
  expect(text).toBe("It is cold.");
  expect(lines(restored.history())).toEqual([...turn, "user Go on.", "assistant It is cold."]);
  expect(messages).toHaveLength(2);
});

test("nothing that a hook has replaced or refused is ever to be seen", async () => {
  const secret = "hunter2";
  const leaks = tool({
    name: "leaks",
    parameters: { type: "object", properties: { key: { type: "string" } } },
    run: () => `the key is ${secret}`,
  }) as Tool;
  const call = { name: "leaks", args: { key: secret } };
  const engine = await openEngine([
    { text: `I use ${secret}.`, toolCalls: [call, call] },
    calls("delegate", { tier: "coder", task: `Write ${secret}.` }),
    "Done.",
  ]);
  const file = await place();
  const session = engine.session({
    tools: [leaks],
    controlTools: ["delegate"],
    permissions: [{ allow: "*" }],
    tiers: { coder: { system: "You code." } },
    temperature: 0,
  });
  const clean = (text: string): string => text.replaceAll(secret, "[redacted]");
  engine.hooks.on("userMessage", ({ content }) => ({ content: clean(content) }));
  engine.hooks.on("postGenerate", ({ content }) => ({ content: clean(content) }));
  engine.hooks.on("preToolCall", ({ toolName, args }) =>
    toolName === "leaks" ? { args: { key: clean(String(args["key"])) } } : undefined,
  );
  engine.hooks.on("delegate", ({ task }) => ({ task: clean(task) }));
  engine.hooks.on("postToolCall", ({ result }) => ({ result: clean(result) }));
  let looked = 0;
  const look = async (): Promise<undefined> => {
    looked++;
    await session.save(file);
    expect(await readFile(file, "utf8")).not.toContain(secret);
    return undefined;
  };
  const points = ["stateChange", "preToolCall", "permissionCheck", "preGenerate", "toolResultPersist", "loopEnd"];
  const failures = engine.hooks;
  for (const point of points) engine.hooks.on(point as "stateChange", look, { name: `look at ${point}` });
  const result = await session.run(`The key is ${secret}.`);
  expect(result.text).toBe("Done.");
  expect(looked).toBeGreaterThan(15);
  expect(failures.stats().map(({ name, failures: failed }) => `${name} ${failed}`)).not.toContainEqual(
    expect.stringMatching(/ [1-9]\d*$/),
  );
  await look();

  const refuses = engine.session(options);
  engine.hooks.guard("userMessage", () => cancel("no"));
  await refuses.run(`The key is ${secret}.`);
  expect(refuses.history()).toEqual([]);
});

test("a delegated run is saved while it works, with what has called it", async () => {
  const engine = await openEngine({
    replies: [calls("delegate", { tier: "coder", task: "Write." }), "Done."],
    scripts: [{ when: "You code.", replies: [asks("Oslo"), "Written."] }],
  });
  const file = await place();
  const more = {
    tools,
    controlTools: ["delegate"],
    tiers: { coder: { system: "You code." } },
    temperature: 0,
  } satisfies SessionOptions;
  const session = engine.session(more);
  let saved: unknown;
  const histories: string[][] = [];
  engine.hooks.on("postToolCall", async ({ meta }) => {
    if (meta.depth !== 1) return undefined;
    histories.push(await seen(session, file));
    saved = JSON.parse(await readFile(file, "utf8"));
    return undefined;
  });
  await session.run("Go");
  expect(histories).toEqual([
    ["user Go", 'assistant  delegate{"tier":"coder","task":"Write."}', `tool ${interrupted}`],
  ]);
  const said = ["Write.", "One moment.", interrupted];
  expect(saved).toMatchObject({
    children: { "coder-1": { messages: said.map((content) => ({ content })) } },
  });
  expect(engine.restoreSession(file, more).history()).toHaveLength(3);
});

test("a run in which the model said nothing leaves no trace, though it was to be seen", async () => {
  const engine = await openEngine(["Hello."]);
  const session = engine.session(options);
  const histories: string[][] = [];
  const look = (): void => void histories.push(lines(session.history()));
  engine.hooks.on("preGenerate", () => {
    look();
    return cancel("not now");
  });
  engine.hooks.on("loopEnd", look);
  expect((await session.run("Hi")).finishReason).toBe("halted");
  expect(histories).toEqual([["user Hi"], []]);
  expect(session.history()).toEqual([]);
});

test("a run that is aborted while a tool runs: the call that was to be seen stays, with its real result", async () => {
  const engine = await openEngine([calls("hangs")]);
  const stop = new AbortController();
  const histories: string[][] = [];
  const aborts = tool({
    name: "hangs",
    run: () => {
      histories.push(lines(session.history()));
      stop.abort(new Error("enough"));
      return new Promise(() => {});
    },
  });
  const session = engine.session({ ...options, tools: [aborts] });
  const result = await session.run("Go", { signal: stop.signal });
  expect(histories).toEqual([["user Go", "assistant  hangs{}", `tool ${interrupted}`]]);
  expect(resultTexts(result)).toEqual(["cancelled: enough"]);
  expect(session.history()).toEqual(result.messages);
});

test("what is queued is heard once, whether it is saved before or after", async () => {
  const engine = await openEngine([asks("Oslo"), "It is cold.", "Well."]);
  const file = await place();
  const session = engine.session(options);
  engine.hooks.on("postToolCall", () => void session.queue("And be quick."));
  const queued: unknown[] = [];
  for (const point of ["userMessage", "preGenerate"] as const)
    engine.hooks.on(point as "loopStart", async () => {
      await session.save(file);
      const record = JSON.parse(await readFile(file, "utf8")) as {
        queued: { content: string }[];
        conversation: { messages: { role: string; content: string }[] };
      };
      const said = record.conversation.messages.filter(({ role }) => role === "user");
      queued.push([point, record.queued.map(({ content }) => content), said.map(({ content }) => content)]);
    });
  await session.run("How is Oslo?");
  expect(queued).toEqual([
    ["userMessage", [], []],
    ["preGenerate", [], ["How is Oslo?"]],
    ["userMessage", ["And be quick."], ["How is Oslo?"]],
    ["preGenerate", [], ["How is Oslo?", "And be quick."]],
  ]);
});
