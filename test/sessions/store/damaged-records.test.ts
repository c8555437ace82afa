// Damaged records: each is reported, the other records stay usable, and no damaged record is overwritten.
import { execFileSync } from "node:child_process";
import path from "node:path";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { type Engine, folderStore, sqliteStore, type StoredRecord } from "../../../src/index.js";
import { openEngine, rejection, tempDir } from "../../support/engine.js";
import { MemoryStore } from "../../support/memory-store.js";

const request = { holder: "me", ttlMs: 60_000 };
const session: StoredRecord = { id: "s", tags: {}, createdAt: 1, updatedAt: 1, messages: 0, record: "{}" };
const hasSqlite = process.getBuiltinModule?.("node:sqlite") !== undefined;

let opened: Promise<{ folder: string; sessions: Engine["sessions"] }> | undefined;
let count = 0;

/** The sessions of one engine for all cases, each of which has a session for itself. */
function sessionsInFolder(): Promise<{ folder: string; sessions: Engine["sessions"] }> {
  opened ??= (async () => {
    const folder = await tempDir();
    return { folder, sessions: (await openEngine([], { sessionStore: folder })).sessions };
  })();
  return opened;
}

/** A session in the folder, and its file. */
async function stored(folder: string): Promise<{ id: string; file: string; text: string }> {
  const id = `case-${++count}`;
  const store = folderStore(folder);
  const { fence } = await store.acquire(id, request);
  await store.save({ ...session, id }, fence);
  await store.release(id, fence);
  const file = path.join(folder, `${id}~${fence}.json`);
  return { id, file, text: await readFile(file, "utf8") };
}

test.each([
  ["tags of another kind", (text: string) => text.replace('"tags":{}', '"tags":{"a":{}}')],
  ["a tag that is too long", (text: string) => text.replace('"tags":{}', `"tags":{"a":"${"x".repeat(600)}"}`)],
  ["a list of tags", (text: string) => text.replace('"tags":{}', '"tags":["a"]')],
  ["the name of no tag", (text: string) => text.replace('"tags":{}', '"tags":{"a b":1}')],
  ["no number of messages", (text: string) => text.replace('"messages":0', '"messages":"0"')],
  ["calls that are none", (text: string) => text.replace('"messages":0', '"messages":0,"waiting":[1]')],
  ["an empty record", (text: string) => text.replace('"record":{}', '"record":')],
  ["nothing", () => ""],
  ["zeros", (text: string) => "\0".repeat(text.length)],
])("a file with %s is SESSION_FILE_INVALID, which names it", async (_, change) => {
  const { folder, sessions } = await sessionsInFolder();
  const { id, file, text } = await stored(folder);
  await writeFile(file, change(text));
  expect(await rejection(sessions.resume(id))).toMatchObject({
    code: "SESSION_FILE_INVALID",
    message: expect.stringContaining(file) as string,
  });
  expect(await rejection(sessions.open({ id }))).toHaveProperty("code");
  expect(await readFile(file, "utf8")).toBe(change(text));
});

test.skipIf(process.platform === "win32")(
  "pipes, folders and files of the system in a folder are reported, and nothing waits",
  async () => {
    const folder = await tempDir();
    const { id } = await stored(folder);
    execFileSync("mkfifo", [path.join(folder, "pipe.json"), path.join(folder, "other~5.json")]);
    await mkdir(path.join(folder, "folder.json"));
    const engine = await openEngine([], { sessionStore: folder });
    const listed = await engine.sessions.list();
    expect(Object.fromEntries(listed.map(({ id, error }) => [id, error?.message.replace(/^.*: /, "")]))).toEqual({
      [id]: undefined,
      pipe: "it is a pipe",
      other: "it is a pipe",
      folder: "it is a folder",
    });
    expect(await rejection(engine.sessions.resume("pipe"))).toMatchObject({ code: "SESSION_FILE_INVALID" });
  },
);

test("an empty record of any store is an error, and stays as it is", async () => {
  const store = new MemoryStore();
  store.sessions.set("s", { ...session, record: "" });
  const engine = await openEngine([], { sessionStore: store });
  expect(await rejection(engine.sessions.resume("s", { autosave: true }))).toMatchObject({
    code: "SESSION_FILE_INVALID",
    message: expect.stringContaining("session s: its record is empty") as string,
  });
  expect(await rejection(engine.sessions.open({ id: "s", autosave: true }))).toHaveProperty("code");
  expect(store.sessions.get("s")?.record).toBe("");
});

test.each([
  ["tags", { tags: { a: {} as never } }],
  ["createdAt", { createdAt: "1" as never }],
  ["another id", { id: "t" }],
])("a store that answers with wrong %s has failed", async (_, wrong) => {
  const store = new MemoryStore();
  store.sessions.set("s", { ...session, ...wrong });
  const engine = await openEngine([], { sessionStore: store });
  expect(await rejection(engine.sessions.resume("s"))).toMatchObject({ code: "SESSION_STORE_FAILED" });
});

test.skipIf(!hasSqlite)(
  `a damaged row is reported, and costs no other${hasSqlite ? "" : " (skipped: no node:sqlite)"}`,
  async () => {
    const file = path.join(await tempDir(), "sessions.db");
    const store = sqliteStore(file);
    const ids = ["a", "b", "c", "d", "e", "f", "g"];
    for (const id of ids) {
      const { fence } = await store.acquire(id, request);
      await store.save({ ...session, id, updatedAt: 1000 + ids.indexOf(id) }, fence);
      await store.release(id, fence);
    }
    const sqlite = process.getBuiltinModule("node:sqlite") as unknown as {
      DatabaseSync: new (path: string) => { exec(sql: string): void };
    };
    new sqlite.DatabaseSync(file).exec(`
    UPDATE sessions SET tags = 'not json' WHERE id = 'b'; UPDATE sessions SET updated_at = 'soon' WHERE id = 'c';
    UPDATE sessions SET created_at = 9223372036854775807, tags = '{"x":[]}' WHERE id = 'd';
    UPDATE records SET text = '' WHERE id = 'e'; UPDATE sessions SET messages = x'00' WHERE id = 'f';`);
    const engine = await openEngine([], { sessionStore: store });
    const listed = await engine.sessions.list();
    expect(listed.map(({ id, error }) => `${id} ${error?.code ?? "fine"}`)).toEqual([
      "g fine",
      "f SESSION_FILE_INVALID",
      "e fine",
      "d SESSION_FILE_INVALID",
      "b SESSION_FILE_INVALID",
      "a fine",
      "c SESSION_FILE_INVALID",
    ]);
    for (const id of ["b", "c", "d", "e", "f"])
      expect(await rejection(engine.sessions.resume(id, { autosave: true }))).toMatchObject({
        code: "SESSION_FILE_INVALID",
        message: expect.stringContaining(`the database ${file}: session ${id}`) as string,
      });
    expect(await engine.sessions.list({ limit: 1 })).toHaveLength(1);
  },
);

test("resume and delete of an unknown id, and a session that was never saved, leave no file", async () => {
  const folder = await tempDir();
  const engine = await openEngine([], { sessionStore: folder });
  for (const id of ["nobody-1", "Nobody.2"]) {
    expect(await rejection(engine.sessions.resume(id))).toMatchObject({ code: "NOT_FOUND" });
    expect(await engine.sessions.delete(id)).toBe(false);
  }
  const session = await engine.sessions.open({ id: "never-saved" });
  expect(await readdir(folder)).toHaveLength(2);
  await session.close();
  expect(await readdir(folder)).toEqual([]);
  const again = await engine.sessions.open({ id: "never-saved", autosave: true });
  await again.close();
  expect((await readdir(folder)).length).toBe(3);
  expect(await engine.sessions.delete("never-saved")).toBe(true);
  expect(await readdir(folder)).toEqual([]);
});

test("an id of 100 capitals, or of any other characters that ids have, has files", async () => {
  const folder = await tempDir();
  const engine = await openEngine([], { sessionStore: folder });
  for (const id of ["A".repeat(100), `Z${"_.-".repeat(33)}`, "9", "con", "a.json", "a.lease.tmp"]) {
    const session = await engine.sessions.open({ id, autosave: true });
    await session.close();
    expect((await engine.sessions.resume(id)).id).toBe(id);
    expect((await engine.sessions.list()).map((info) => info.id)).toContain(id);
  }
  await rm(folder, { recursive: true });
});
