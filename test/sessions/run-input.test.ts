// The input of a run: a text, parts of a text, or messages.
import { expect, test } from "vitest";
import { cancel, recordRun, type SessionOptions } from "../../src/index.js";
import { replayRun } from "../../src/testing/index.js";
import { openEngine, rejection } from "../support/engine.js";
import { expectWhole } from "../support/sessions.js";

const parts = [
  { type: "text", text: "What time " },
  { type: "text", text: "is it?" },
] as const;

async function openSession(replies: readonly string[] = ["It is noon.", "Later."], options: SessionOptions = {}) {
  const engine = await openEngine(replies);
  const heard: string[] = [];
  engine.hooks.on("userMessage", ({ content }) => void heard.push(content));
  const session = engine.session(options);
  const said = () => session.history().map(({ role, content }) => `${role}: ${content}`);
  return { engine, session, heard, said };
}

test("parts of a text are one user message, in a run and in the queue", async () => {
  const { session, heard, said } = await openSession();
  expect((await session.run(parts)).text).toBe("It is noon.");
  expect(heard).toEqual(["What time is it?"]);
  session.queue([{ type: "text", text: "Wait." }]);
  await session.run([{ role: "user", content: parts }]);
  expect(heard.slice(1)).toEqual(["What time is it?", "Wait."]);
  expect(said().slice(0, 2)).toEqual(["user: What time is it?", "assistant: It is noon."]);
});

test("messages go before the last one, the user's, which alone is heard", async () => {
  const { session, heard, said } = await openSession();
  const result = await session.run([
    { role: "user", content: "Hello." },
    { role: "assistant", content: "Hi." },
    { role: "user", content: "What time is it?" },
  ]);
  expect(result.text).toBe("Later."); // the second reply of the script
  expect(heard).toEqual(["What time is it?"]);
  const all = ["user: Hello.", "assistant: Hi.", "user: What time is it?", "assistant: Later."];
  expect(said()).toEqual(all);
  expect(result.messages.map(({ role, content }) => `${role}: ${content}`)).toEqual(all);
});

test("tool calls with their results may be among them", async () => {
  const { session, said } = await openSession();
  await session.run([
    { role: "user", content: "Look." },
    { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "look", args: {} }] },
    { role: "tool", content: "nothing", toolCallId: "c1", toolName: "look" },
    { role: "user", content: "And?" },
  ]);
  expect(said()).toHaveLength(5);
  session.rewind(session.history()[2]?.id ?? null);
  expect(said()).toEqual(["user: Look.", "assistant: ", "tool: nothing"]);
});

test("messages and calls whose ids the session has already get their own", async () => {
  const { session } = await openSession();
  const before = [
    { id: "m1", role: "user", content: "Look." },
    { id: "m2", role: "assistant", content: "", toolCalls: [{ id: "c1", name: "look", args: {} }] },
    { id: "m3", role: "tool", content: "nothing", toolCallId: "c1", toolName: "look" },
  ] as const;
  for (const last of ["And?", "And now?"]) await session.run([...before, { role: "user", content: last }]);
  await session.run([...session.history(), { role: "user", content: "And again?" }]);
  const history = session.history();
  expect(history.slice(0, 3).map(({ id }) => id)).toEqual(["m1", "m2", "m3"]);
  expect(new Set(history.map(({ id }) => id)).size).toBe(history.length);
  expectWhole(history);
  const [, second] = history.filter(({ content }) => content === "nothing");
  session.rewind(second?.id ?? "none");
  expect(session.history()).toEqual(history.slice(0, history.indexOf(second as never) + 1));
});

test("a run that a hook stops leaves the history as it was", async () => {
  const { session, engine, said } = await openSession();
  engine.hooks.guard("userMessage", () => cancel("no"));
  const run = session.run([
    { role: "assistant", content: "Hi." },
    { role: "user", content: "What?" },
  ]);
  expect((await run).finishReason).toBe("halted");
  expect(said()).toEqual([]);
});

const wrong: [string, unknown, RegExp][] = [
  ["no message", [], /^The input of run\(\) must be a text \(a string\), an array of messages/],
  [
    "a system message",
    [{ role: "system", content: "Be short." }],
    /^messages\[0\] of run\(\) is a system message: .*session\(\)/,
  ],
  [
    "an assistant's as the last",
    [{ role: "assistant", content: "Hi." }],
    /^The last message of run\(\) must be the user's/,
  ],
  ["an image", [{ type: "image" }], /^The input of run\(\)\[0\]\.type must be "text"/],
  ["a message by itself", { role: "user", content: "Hi" }, /^The input of run\(\) must be/],
  ["a number", 7, /^The input of run\(\) must be .*, got 7$/],
];

test.each(wrong)("%s is refused at once", async (_, input, says) => {
  const { session } = await openSession();
  expect(() => session.run(input as string)).toThrow(says);
});

test("a call without its result is refused, and nothing is said", async () => {
  const { session, said } = await openSession();
  const input = [
    { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "look", args: {} }] },
    { role: "user", content: "And?" },
  ] as const;
  expect(await rejection(session.run(input))).toMatchObject({
    code: "INVALID_MESSAGES",
    message: expect.stringMatching(/^history/) as string,
  });
  expect(said()).toEqual([]);
});

test("a recording has the messages, and a replay gives them again", async () => {
  const { session } = await openSession();
  const recording = recordRun(session);
  await session.run("First.");
  await session.run([
    { role: "user", content: "Hello." },
    { role: "assistant", content: "Hi." },
    { role: "user", content: "What time is it?" },
  ]);
  const recorded = recording.toJSON();
  expect(recorded.runs[1]).toMatchObject({
    input: "What time is it?",
    before: [{ content: "Hello." }, { content: "Hi." }],
  });
  const { differences } = await replayRun(recorded);
  expect(differences).toEqual([]);
});

test("a recording that begins with them does not have them twice", async () => {
  const { session } = await openSession();
  const recording = recordRun(session);
  await session.run([
    { role: "assistant", content: "Hi." },
    { role: "user", content: "What time is it?" },
  ]);
  const { differences } = await replayRun(recording.toJSON());
  expect(differences).toEqual([]);
});
