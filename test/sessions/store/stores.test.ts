import path from "node:path";
import { chmod, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { folderStore, LlamaHooksError, sqliteStore } from "../../../src/index.js";
import { openEngine, rejection, tempDir } from "../../support/engine.js";
import { AppendingStore, MemoryStore } from "../../support/memory-store.js";
import { asks, tools } from "../../support/sessions.js";
import { testStore } from "../../support/store-contract.js";

const places = new Map<string, Promise<string>>();
const place = (kind: string): Promise<string> => {
  const known = places.get(kind) ?? tempDir();
  places.set(kind, known);
  return known;
};
const hasSqlite = process.getBuiltinModule?.("node:sqlite") !== undefined;
const noSqlite = hasSqlite ? undefined : `this is Node ${process.version}, without node:sqlite`;
const memory = new MemoryStore();

const appending = new AppendingStore();
testStore("the store of these tests", async () => memory);
testStore("the store of these tests that appends", async () => appending);
testStore("a folder", async () => folderStore(path.join(await place("folder"), "sessions")));
testStore("SQLite", async () => sqliteStore(path.join(await place("sqlite"), "sessions.db")), noSqlite);

test("the files of a folder are their owner's alone, and no part of a file is left", async () => {
  const folder = path.join(await tempDir(), "deep", "sessions");
  const store = folderStore(folder);
  const { fence } = await store.acquire("Ab.c", { holder: "me", ttlMs: 60_000 });
  const session = { id: "Ab.c", tags: {}, createdAt: 1, updatedAt: 1, messages: 0, record: "{}" };
  await Promise.all([1, 2, 3].map((updatedAt) => store.save({ ...session, updatedAt }, fence)));
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  const names = await readdir(folder);
  expect(names.toSorted()).toEqual([`+ab.c~0.lease`, `+ab.c~${fence}.json`, `+ab.c~${fence}.lease`]);
  for (const name of names) expect((await stat(path.join(folder, name))).mode & 0o777).toBe(0o600);
  expect((await store.list({})).map(({ id }) => id)).toEqual(["Ab.c"]);
});

test("a new lease has a separate file, and what a process without its lease writes is never read", async () => {
  const folder = await tempDir();
  const store = folderStore(folder);
  const session = { id: "s", tags: {}, createdAt: 1, updatedAt: 1, messages: 0, record: "{}" };
  const first = await store.acquire("s", { holder: "a", ttlMs: 60_000 });
  await store.save(session, first.fence);
  const second = await store.acquire("s", { holder: "b", ttlMs: 60_000, dead: first.fence });
  await store.save({ ...session, messages: 2 }, second.fence);
  // It was suspended between its look at the lease and its write.
  await writeFile(path.join(folder, `s~${first.fence}.json`), "late");
  expect(await store.load("s")).toMatchObject({ messages: 2 });
  expect(await store.list({})).toMatchObject([{ id: "s", messages: 2 }]);
  await store.acquire("s", { holder: "c", ttlMs: 60_000, dead: second.fence });
  expect((await readdir(folder)).filter((name) => name.endsWith(".json"))).toEqual([`s~${second.fence}.json`]);
});

test("names that are no sessions, and folders, do not disturb a list", async () => {
  const folder = await tempDir();
  const store = folderStore(folder);
  for (const name of ["notes.txt", ".json", "a~b.json", "..json", "~1.json", "x.json.bak"])
    await writeFile(path.join(folder, name), "x");
  await mkdir(path.join(folder, "sub"));
  expect(await store.list({})).toEqual([]);
});

test("a folder that cannot be written is an error with the reason", async () => {
  const folder = await tempDir();
  await writeFile(path.join(folder, "file"), "");
  await expect(
    folderStore(path.join(folder, "file", "below")).acquire("a", { holder: "", ttlMs: 1000 }),
  ).rejects.toThrow(/ENOTDIR|EEXIST/);
  await chmod(folder, 0o500);
});

test.skipIf(hasSqlite)("without node:sqlite the error names the version that has it", () => {
  const error = (() => {
    try {
      return sqliteStore("sessions.db");
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(error).toBeInstanceOf(LlamaHooksError);
  expect(error).toMatchObject({ code: "UNSUPPORTED", message: expect.stringContaining("22.13") as string });
});

test.skipIf(!hasSqlite)(
  `the database is its owner's alone, and a file that is not a database is refused${noSqlite === undefined ? "" : ` (skipped: ${noSqlite})`}`,
  async () => {
    const folder = await tempDir();
    sqliteStore(path.join(folder, "new", "sessions.db"));
    for (const name of await readdir(path.join(folder, "new")))
      expect((await stat(path.join(folder, "new", name))).mode & 0o777).toBe(0o600);
    await writeFile(path.join(folder, "text"), "this is not a database, but a text of some length".repeat(100));
    expect(() => sqliteStore(path.join(folder, "text"))).toThrow(/cannot open the database .*text/);
  },
);

test.skipIf(!hasSqlite)("sessions are saved in SQLite, and go on from there", async () => {
  const file = path.join(await tempDir(), "sessions.db");
  const script = [asks("Oslo"), "Cold.", "Still cold."];
  const engine = await openEngine(script, { sessionStore: sqliteStore(file) });
  const session = await engine.sessions.open({ id: "a", tools, temperature: 0, tags: { user: "ada" }, autosave: true });
  await session.run("How is Oslo?");
  const other = await openEngine(script, { sessionStore: sqliteStore(file) });
  expect(await rejection(other.sessions.resume("a"))).toMatchObject({ code: "SESSION_BUSY" });
  await engine.close();
  expect(await other.sessions.list({ tags: { user: "ada" } })).toMatchObject([{ id: "a", messages: 4 }]);
  const resumed = await other.sessions.resume("a", { tools, temperature: 0 });
  expect((await resumed.run("And now?")).text).toBe("Still cold.");
});

test.each([
  ["a folder", folderStore],
  ["SQLite", sqliteStore],
])("%s needs a path", (_, open) => {
  expect(() => open("" as never)).toThrow(TypeError);
  expect(() => open(7 as never)).toThrow(TypeError);
  expect(() => open("a\0b")).toThrow("NUL");
});
