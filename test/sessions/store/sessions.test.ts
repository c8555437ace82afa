// engine.sessions: open, resume, list and delete, on a folder.
import { copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { type Engine, folderStore, type SessionInfo, type StoredRecord, tool } from "../../../src/index.js";
import { openEngine, rejection, tempDir } from "../../support/engine.js";
import { MemoryStore } from "../../support/memory-store.js";
import { asks, calls, tools } from "../../support/sessions.js";

const options = { tools, system: "Be brief.", temperature: 0 };
const script = [asks("Oslo"), "It is cold in Oslo.", "Still cold.", "And now?"];
const open = (sessionStore: string): Promise<Engine> => openEngine(script, { sessionStore });

async function fileOf(folder: string, id: string): Promise<string> {
  const name = (await readdir(folder)).find((one) => one.startsWith(`${id}~`) && one.endsWith(".json"));
  return path.join(folder, name ?? `no file of ${id}`);
}

test("a stored session keeps its id, its tags and what was said, and continues in another engine", async () => {
  const folder = await tempDir();
  const first = await open(folder);
  const session = await first.sessions.open({ ...options, id: "chat-1", tags: { user: "ada" } });
  expect([session.id, session.tags, session.savedAt]).toEqual(["chat-1", { user: "ada" }, undefined]);
  expect(await first.sessions.list()).toEqual([]);
  await session.run("How is Oslo?");
  const before = Date.now();
  await session.save();
  expect(session.savedAt).toBeGreaterThanOrEqual(before);
  await session.close();
  await first.close();

  const second = await open(folder);
  const [info, ...others] = await second.sessions.list();
  expect(others).toEqual([]);
  expect(info).toEqual({
    id: "chat-1",
    tags: { user: "ada" },
    createdAt: session.savedAt,
    updatedAt: session.savedAt,
    messages: 4,
  });
  const ids: unknown[] = [];
  second.hooks.on("preGenerate", ({ meta }) => void ids.push(meta.sessionId, meta.tags));
  const resumed = await second.sessions.resume("chat-1", options);
  expect([resumed.id, resumed.tags, resumed.savedAt]).toEqual(["chat-1", { user: "ada" }, session.savedAt]);
  expect(resumed.history()).toEqual(session === undefined ? [] : resumed.history());
  expect((await resumed.run("And today?")).text).toBe("Still cold.");
  expect(ids).toEqual(["chat-1", { user: "ada" }]);
  await resumed.save();
  expect(await second.sessions.list()).toMatchObject([{ createdAt: info?.createdAt, messages: 6 }]);
  await resumed.close();
  const retagged = await second.sessions.resume("chat-1", { ...options, tags: { user: "bob" } });
  await retagged.save();
  expect(await second.sessions.list({ tags: { user: "ada" } })).toEqual([]);
  expect(await second.sessions.list({ tags: { user: "bob" } })).toMatchObject([{ id: "chat-1" }]);
});

test("without an id a session gets a new one, and ids sort by time", async () => {
  const engine = await open(await tempDir());
  const ids = [];
  for (let i = 0; i < 3; ++i) {
    const { id } = await engine.sessions.open();
    expect(id).toMatch(/^session-[0-9a-z]{29}$/);
    ids.push(id.slice(0, 17));
  }
  expect(ids.toSorted()).toEqual(ids);
});

test("sessions are listed by tag and time, the newest first", async () => {
  const engine = await open(await tempDir());
  const times: number[] = [];
  for (const [id, user] of [
    ["a", "ada"],
    ["b", "bob"],
    ["c", "ada"],
  ] as const) {
    const session = await engine.sessions.open({ id, tags: { user, test: true } });
    while (Date.now() <= (times.at(-1) ?? 0)); // its own time
    await session.save();
    times.push(session.savedAt ?? 0);
  }
  const listed = async (query?: Parameters<typeof engine.sessions.list>[0]): Promise<string> =>
    (await engine.sessions.list(query)).map(({ id }) => id).join("");
  expect(await listed()).toBe("cba");
  expect(await listed({ tags: { user: "ada" } })).toBe("ca");
  expect(await listed({ limit: 1 })).toBe("c");
  expect(await listed({ before: times[1] as number })).toBe("a");
  expect(await listed({ after: new Date(times[0] as number), before: new Date(times[2] as number) })).toBe("b");
  expect(await rejection(engine.sessions.list({ limit: 0 }))).toMatchObject({ param: "limit" });
  expect(await rejection(engine.sessions.list({ before: "today" as never }))).toMatchObject({ param: "before" });
  expect(await rejection(engine.sessions.list({ tags: { a: {} } as never }))).toMatchObject({ param: "tags.a" });
  expect(await rejection(engine.sessions.list({ tag: {} } as never))).toMatchObject({
    message: expect.stringContaining('did you mean "tags"') as string,
  });
});

test("an open session can be opened nowhere else, and is not deleted; then it can", async () => {
  const folder = await tempDir();
  const [engine, other] = [await open(folder), await open(folder)];
  const session = await engine.sessions.open({ id: "a", autosave: true });
  const busy = {
    code: "SESSION_BUSY",
    message: "this process holds the stored session a",
    details: {
      holder: expect.stringContaining(`"pid":${process.pid}`) as string,
      expiresInMs: expect.any(Number) as number,
    },
  };
  for (const one of [engine, other]) {
    expect(await rejection(one.sessions.resume("a"))).toMatchObject(busy);
    expect(await rejection(one.sessions.open({ id: "a" }))).toMatchObject(busy);
    expect(await rejection(one.sessions.delete("a"))).toMatchObject(busy);
  }
  await session.close();
  expect(await rejection(other.sessions.open({ id: "a" }))).toMatchObject({
    code: "INVALID_ARGUMENT",
    param: "id",
    message: `a session a is stored in the folder ${folder}; resume() opens it`,
  });
  const resumed = await other.sessions.resume("a");
  await resumed.close();
  expect(await engine.sessions.delete("a")).toBe(true);
  expect(await engine.sessions.delete("a")).toBe(false);
  expect(await rejection(engine.sessions.resume("a"))).toMatchObject({
    code: "NOT_FOUND",
    message: `no session a is stored in the folder ${folder}`,
  });
  expect(await engine.sessions.list()).toEqual([]);
  await (await engine.sessions.open({ id: "a" })).close();
});

test("closing the engine gives leases back", async () => {
  const folder = await tempDir();
  const engine = await open(folder);
  await engine.sessions.open({ id: "a", autosave: true });
  await engine.close();
  const other = await open(folder);
  expect((await other.sessions.resume("a")).id).toBe("a");
});

test("an id of the caller's is the session's, and one that is open is refused", async () => {
  const engine = await openEngine(script);
  const session = engine.session({ ...options, id: "mine" });
  expect(session.id).toBe("mine");
  expect(() => engine.session({ id: "mine" })).toThrow(
    expect.objectContaining({
      code: "INVALID_ARGUMENT",
      param: "id",
      message: 'options.id: a session "mine" is open already',
    }) as Error,
  );
  const fork = session.fork();
  expect(fork.id).toMatch(/^session-/);
  await session.run("How is Oslo?");
  const file = path.join(await tempDir(), "mine.json");
  await session.save(file);
  await session.close();
  expect(engine.restoreSession(file, { ...options, id: "mine" }).id).toBe("mine");
  expect(engine.restoreSession(file, options).id).toMatch(/^session-/);
});

const badIds = ["../up", "a/b", ".hidden", "", "a b", "é", "-a", "a\0", "x".repeat(101), "a\n", "C:\\x", "~"];
test.each(badIds)("the id %j is refused, and nothing is written", async (id) => {
  const folder = await tempDir();
  const engine = await open(path.join(folder, "sessions"));
  const refused = { code: "INVALID_ARGUMENT", param: "id" };
  expect(await rejection(engine.sessions.open({ id }))).toMatchObject(refused);
  expect(await rejection(engine.sessions.resume(id))).toMatchObject(refused);
  expect(await rejection(engine.sessions.delete(id))).toMatchObject(refused);
  if (id !== "" && !id.includes("\0"))
    expect(() => engine.session({ id })).toThrow(expect.objectContaining(refused) as Error);
  expect(await readdir(folder)).toEqual([]);
});

test("misuse is a TypeError that names the option, and the engine stays usable", async () => {
  const engine = await open(await tempDir());
  const { sessions } = engine;
  for (const [promise, param] of [
    [sessions.open({ id: 7 as never }), "id"],
    [sessions.open({ autosave: "yes" as never }), "autosave"],
    [sessions.open({ temperature: "hot" as never }), "temperature"],
    [sessions.resume(7 as never), "id"],
    [sessions.open({ tags: { a: null } as never }), "tags.a"],
  ] as const)
    expect([await rejection(promise)]).toEqual([expect.objectContaining({ name: "TypeError", param }) as unknown]);
  expect(await rejection(sessions.resume("a", { history: [] } as never))).toMatchObject({
    message: expect.stringContaining("history") as string,
  });
  expect(await rejection(sessions.resume("a", { id: "b" } as never))).toMatchObject({
    message: expect.stringContaining('"id"') as string,
  });
  expect(await rejection(sessions.open("a" as never))).toMatchObject({ name: "TypeError" });
  expect((await sessions.open({ id: "a" })).id).toBe("a");
  const { createEngine } = await import("../../../src/index.js");
  for (const [sessionStore, said] of [
    [7, "a path or a session store"],
    [{ name: "half", load: () => undefined }, "save()"],
  ] as const)
    expect(await rejection(createEngine({ sessionStore: sessionStore as never }))).toMatchObject({
      name: "TypeError",
      param: "sessionStore",
      message: expect.stringContaining(said) as string,
    });
});

test("without a store every method says what to pass", async () => {
  const { sessions } = await openEngine(script);
  for (const promise of [sessions.open(), sessions.resume("a"), sessions.list(), sessions.delete("a")])
    expect(await rejection(promise)).toMatchObject({ code: "INVALID_ARGUMENT", param: "sessionStore" });
});

test("a failed open or resume leaves no lease behind", async () => {
  const folder = await tempDir();
  const engine = await open(folder);
  const twice = {
    tools: [tool({ name: "a", run: () => "" }), tool({ name: "b", run: () => "" })].map((one) => ({
      ...one,
      name: "a",
    })),
  };
  expect(await rejection(engine.sessions.open({ id: "a", ...twice }))).toMatchObject({
    message: expect.stringContaining("a") as string,
  });
  const session = await engine.sessions.open({ id: "a", autosave: true, tiers: { lead: {} }, tier: "lead" });
  await session.close();
  expect(await rejection(engine.sessions.resume("a"))).toMatchObject({
    code: "SESSION_FILE_INVALID",
    message: expect.stringMatching(new RegExp(`^the folder ${folder}: session a: conversation`)) as string,
  });
  expect((await engine.sessions.resume("a", { tiers: { lead: {} } })).id).toBe("a");
});

test.each<[string, (text: string) => string]>([
  ["cut off in its record", (text) => text.slice(0, -40)],
  ["cut off in its first line", (text) => text.slice(0, 40)],
  ["empty", () => ""],
  ["of another kind", () => '{"a": 1}'],
  ["no JSON", () => "hello"],
  ["of a later version", (text) => text.replace('"version":2', '"version":3')],
  ["of another session", (text) => text.replace('"id":"bad"', '"id":"good"')],
  ["without its tags", (text) => text.replace('"tags"', '"tacks"')],
])("a file that is %s is an error that names it, and does not break a list", async (_, damage) => {
  const folder = await tempDir();
  const engine = await open(folder);
  for (const id of ["good", "bad"])
    await (await engine.sessions.open({ id, autosave: true, tags: { test: 1 } })).close();
  const file = await fileOf(folder, "bad");
  await writeFile(file, damage(await readFile(file, "utf8")));
  const invalid = { code: "SESSION_FILE_INVALID", message: expect.stringContaining(file) as string };
  expect(await rejection(engine.sessions.resume("bad"))).toMatchObject(invalid);
  const all = await engine.sessions.list();
  const byId = (id: string): SessionInfo | undefined => all.find((one) => one.id === id);
  expect(byId("good")).not.toHaveProperty("error");
  expect(byId("bad")).toMatchObject({ id: "bad", tags: {}, messages: 0, error: invalid });
  expect((await engine.sessions.list({ tags: { test: 1 } })).some(({ id }) => id === "good")).toBe(true);
  expect(await engine.sessions.delete("bad")).toBe(true);
  expect((await engine.sessions.list()).map(({ id }) => id)).toEqual(["good"]);
});

test("a file of session.save() in the folder is a stored session, and so is one of version 0.1.0", async () => {
  const folder = path.join(await tempDir(), "sessions");
  await mkdir(folder);
  const engine = await open(folder);
  const session = engine.session(options);
  await session.run("How is Oslo?");
  await session.save(path.join(folder, "mine.json"));
  await copyFile("test/fixtures/session-0.1.0.json", path.join(folder, "old.json"));
  const listed = await engine.sessions.list();
  expect(listed.map(({ id, messages, tags }) => [id, messages, tags]).toSorted()).toEqual([
    ["mine", 4, {}],
    ["old", 4, {}],
  ]);
  for (const id of ["mine", "old"]) {
    const resumed = await engine.sessions.resume(id, { ...options, autosave: true });
    expect((await resumed.run("And today?")).text).toBe("Still cold.");
    await resumed.close();
    const again = await engine.sessions.resume(id, options);
    expect(again.history().length).toBe(6);
  }
});

test("a store that answers with something else is SESSION_STORE_FAILED, which names the method", async () => {
  const store = new MemoryStore();
  const engine = await openEngine(script, { sessionStore: store });
  const failed = (method: string) => ({
    code: "SESSION_STORE_FAILED",
    message: `the session store (memory): ${method} returned something else than the interface says`,
  });
  store.load = async () => ({ id: "a" }) as StoredRecord;
  expect(await rejection(engine.sessions.resume("a"))).toMatchObject(failed('load("a")'));
  store.list = async () => ({}) as never;
  expect(await rejection(engine.sessions.list())).toMatchObject(failed("list()"));
  store.acquire = async () => undefined as never;
  expect(await rejection(engine.sessions.resume("a"))).toMatchObject(failed('acquire("a")'));
  const lacking = new MemoryStore();
  lacking.save = async () => undefined as never;
  const other = await openEngine(script, { sessionStore: lacking });
  const session = await other.sessions.open({ id: "a" });
  expect(await rejection(session.save())).toMatchObject(failed('save("a")'));
});

test("a fork of a stored session is not a stored session, and a path saves to a file", async () => {
  const folder = await tempDir();
  const engine = await open(folder);
  const session = await engine.sessions.open({ ...options, id: "a", autosave: true });
  await session.run("How is Oslo?");
  const file = path.join(await tempDir(), "copy.json");
  await session.save(file);
  expect(engine.restoreSession(file, options).history().length).toBe(4);
  const fork = session.fork();
  expect(await rejection((fork as typeof session).save())).toMatchObject({ name: "TypeError" });
  await fork.run("And today?");
  expect(await engine.sessions.list()).toMatchObject([{ id: "a", messages: 4 }]);
  await session.close();
  expect(await rejection(session.save())).toMatchObject({ code: "NOT_FOUND" });
  expect(await folderStore(folder).load("a")).toMatchObject({ messages: 4 });
});

const whole = {
  controlTools: ["delegate"] as const,
  tier: "lead",
  tiers: { lead: {}, coder: { system: "You code." } },
  temperature: 0,
};

test("conversations with tiers and todos are stored, too", async () => {
  const engine = await openEngine(
    {
      replies: [
        calls("delegate", { tier: "coder", task: "Write." }),
        "So far.",
        calls("delegate", { tier: "coder", task: "Mend.", resume: "coder-1" }),
        "Done.",
      ],
      scripts: [{ when: "You code.", replies: ["Written.", "Mended."] }],
    },
    { sessionStore: await tempDir() },
  );
  const session = await engine.sessions.open({ ...whole, id: "a", autosave: true });
  await session.run("Go");
  await session.close();
  const { messages } = await (await engine.sessions.resume("a", whole)).run("On");
  expect(messages.find(({ role }) => role === "tool")?.content).toContain("Mended.");
});

test("what a save takes while its session closes is whole", async () => {
  const store = new MemoryStore();
  const engine = await openEngine(
    {
      replies: [calls("delegate", { tier: "coder", task: "Write." }), "So far."],
      scripts: [{ when: "You code.", replies: ["Written."] }],
    },
    { sessionStore: store },
  );
  const session = await engine.sessions.open({ ...whole, id: "a", autosave: true });
  await session.run("Go");
  await session.close();
  const record = (): unknown => JSON.parse(store.sessions.get("a")?.record ?? "");
  const stored = record();
  expect(stored).toMatchObject({ children: { "coder-1": {} } });
  for (let round = 0; round < 40; ++round) {
    const again = await engine.sessions.resume("a", whole);
    const closing = again.close();
    let failure: unknown;
    while (failure === undefined)
      failure = await again.save().then(
        () => undefined,
        (error: unknown) => error,
      );
    expect(failure).toMatchObject({ code: "NOT_FOUND" });
    await closing;
    expect(record()).toEqual(stored);
  }
});
