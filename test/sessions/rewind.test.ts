// Ids and times of messages; a session goes back to a message, and forks at one.
import path from "node:path";
import { expect, test } from "vitest";
import { openEngine, rejection, tempDir } from "../support/engine.js";
import { asks, expectWhole, tools } from "../support/sessions.js";

const talk = [asks("Oslo"), "Cold.", "Still cold.", "Warm now."];

async function talked() {
  const engine = await openEngine(talk);
  const session = engine.session({ tools, temperature: 0 });
  const first = await session.run("How is it?");
  const second = await session.run("And now?");
  return { engine, session, first, second };
}

const idOf = (message: { readonly id?: string | undefined } | undefined): string => message?.id ?? "none";

test("each message that was said has its own id and a time, in the history and in results", async () => {
  const before = Date.now();
  const { session, first, second } = await talked();
  const history = session.history();
  expect(history).toEqual([...first.messages, ...second.messages]);
  expect(new Set(history.map(idOf)).size).toBe(history.length);
  for (const { id, timeMs } of history) {
    expect(id).toMatch(/^msg_/);
    expect(timeMs).toBeGreaterThanOrEqual(before - 1);
    expect(timeMs).toBeLessThanOrEqual(Date.now() + 1);
  }
});

test("hooks are shown messages without them", async () => {
  const { engine, session } = await talked();
  const shown: object[] = [];
  engine.hooks.on("preGenerate", ({ messages }) => void shown.push(...messages));
  await session.run("And tomorrow?");
  expect(shown.length).toBeGreaterThan(0);
  for (const message of shown) expect(Object.keys(message)).not.toContain("id");
});

test("a saved session keeps ids and times, and a fork has them", async () => {
  const { engine, session } = await talked();
  const file = path.join(await tempDir(), "session.json");
  await session.save(file);
  expect(engine.restoreSession(file, { tools }).history()).toEqual(session.history());
  expect(session.fork().history()).toEqual(session.history());
});

test("messages that are given as history keep their ids, and others get some", async () => {
  const engine = await openEngine(["Fine."]);
  const history = [
    { role: "user", content: "Hello", id: "mine", timeMs: 7 },
    { role: "assistant", content: "Hi" },
  ] as const;
  const got = engine.session({ history }).history();
  expect(got[0]).toEqual(history[0]);
  expect(got[1]).toMatchObject({ id: expect.stringMatching(/^msg_/) as string, content: "Hi" });
  expect(await rejection((async () => engine.session({ history: [{ ...history[0], timeMs: -1 }] }))())).toMatchObject({
    code: "INVALID_MESSAGES",
    message: expect.stringContaining("time_ms") as string,
  });
});

test("rewind() goes back to a message, and the session continues from there", async () => {
  const { session, first } = await talked();
  session.rewind(idOf(first.messages.at(-1)));
  expect(session.history()).toEqual(first.messages);
  const again = await session.run("Once more?");
  expect(again.text).toBe("Still cold.");
  expectWhole(session.history());
  session.rewind(null);
  expect(session.history()).toEqual([]);
});

test("fork({ at }) ends with the message, and leaves the session as it is", async () => {
  const { session, first } = await talked();
  const all = session.history();
  const fork = session.fork({ at: idOf(first.messages.at(-1)) });
  expect(fork.history()).toEqual(first.messages);
  expect(session.history()).toEqual(all);
});

test("a call is not parted from its result, and an unknown message is refused; nothing changes", async () => {
  const { session, first } = await talked();
  const all = session.history();
  const within = { code: "INVALID_ARGUMENT", message: expect.stringContaining("would have no result") as string };
  const refused = async (work: () => unknown): Promise<unknown> => rejection((async () => work())());
  const call = idOf(first.messages[1]);
  expect(await refused(() => session.rewind(call))).toMatchObject(within);
  expect(await refused(() => session.fork({ at: call }))).toMatchObject(within);
  const unknown = { code: "NOT_FOUND", message: expect.stringContaining('"msg_0"') as string };
  expect(await refused(() => session.rewind("msg_0"))).toMatchObject(unknown);
  expect(await refused(() => session.fork({ at: "msg_0" }))).toMatchObject(unknown);
  expect(() => session.rewind(7 as never)).toThrow(TypeError);
  expect(() => session.fork({ to: "msg_0" } as never)).toThrow(/to/);
  expect(session.history()).toEqual(all);
});

test("a run under way keeps the session from going back", async () => {
  const { engine, session } = await talked();
  const errors: unknown[] = [];
  engine.hooks.on("preGenerate", async () => {
    errors.push(await rejection((async () => session.rewind(null))()));
  });
  await session.run("And tomorrow?");
  expect(errors).toMatchObject([{ code: "SESSION_BUSY" }]);
});

test("going back to a message that a compaction has left out undoes the compaction", async () => {
  const engine = await openEngine(["One.", "Two.", "Three.", "Four."]);
  const session = engine.session({ temperature: 0 });
  for (const input of ["a", "b", "c"]) await session.run(input);
  const all = session.history();
  const { compacted } = await session.compact({ strategy: "truncate" });
  expect(compacted).toBe(true);
  expect(session.history()).not.toEqual(all);
  session.rewind(idOf(all[1]));
  expect(session.history()).toEqual(all.slice(0, 2));
});

test("going back drops calls that wait", async () => {
  const engine = await openEngine(talk);
  const session = engine.session({ tools, temperature: 0 });
  session.hooks.on("permissionCheck", () => ({ defer: true }));
  const { messages } = await session.run("How is it?");
  expect(session.waiting).toHaveLength(1);
  session.rewind(idOf(messages[0]));
  expect(session.waiting).toEqual([]);
  expect(session.history()).toEqual(messages);
});
