// A database that another process has locked, and a disk that is full.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { folderStore, sqliteStore } from "../../../src/index.js";
import { openEngine, rejection, tempDir } from "../../support/engine.js";
import { MemoryStore } from "../../support/memory-store.js";

const hasSqlite = process.getBuiltinModule?.("node:sqlite") !== undefined;
const skipped = hasSqlite ? "" : " (skipped: no node:sqlite)";
const request = { holder: "me", ttlMs: 60_000 };

interface Database {
  exec(sql: string): void;
  close(): void;
}

function open(file: string): Database {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite") as unknown as {
    DatabaseSync: new (path: string) => Database;
  };
  return new DatabaseSync(file);
}

test.skipIf(!hasSqlite)(`a locked database holds up a call, and not the event loop${skipped}`, async () => {
  const file = path.join(await tempDir(), "sessions.db");
  const store = sqliteStore(file);
  const engine = await openEngine([], { sessionStore: store, sessionStoreTimeoutMs: 500 });
  const other = open(file);
  other.exec("BEGIN IMMEDIATE");
  let turns = 0;
  const timer = setInterval(() => void ++turns, 20);
  expect(await rejection(engine.sessions.open({ id: "s" }))).toMatchObject({
    code: "SESSION_STORE_FAILED",
    message: expect.stringContaining("took longer than 500 ms") as string,
  });
  clearInterval(timer);
  expect(turns).toBeGreaterThan(3);
  const acquired = store.acquire("other", request); // begins while it is locked
  other.exec("COMMIT");
  expect(await acquired).toHaveProperty("fence");
  other.close();
  // A lease that was granted too late has been given back.
  for (;;) {
    const session = await engine.sessions.open({ id: "s" }).catch((error: unknown) => error as { code: string });
    if (!("code" in session)) break;
    expect(session.code).toBe("SESSION_BUSY");
  }
});

test.skipIf(!hasSqlite)(`a database that is locked from the start opens when it is unlocked${skipped}`, async () => {
  const file = path.join(await tempDir(), "sessions.db");
  const other = open(file);
  other.exec("PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE own (a); BEGIN EXCLUSIVE");
  const store = sqliteStore(file);
  const listed = store.list({});
  other.exec("COMMIT");
  other.close();
  expect(await listed).toEqual([]);
});

test.skipIf(!hasSqlite)(`a database of an earlier version gets what it lacks${skipped}`, async () => {
  const file = path.join(await tempDir(), "sessions.db");
  const old = open(file);
  old.exec(`CREATE TABLE sessions (id TEXT PRIMARY KEY, tags TEXT NOT NULL, created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL, messages INTEGER NOT NULL, record TEXT NOT NULL);
    CREATE TABLE leases (id TEXT PRIMARY KEY, fence INTEGER NOT NULL, holder TEXT NOT NULL, expires_at INTEGER NOT NULL);
    INSERT INTO sessions VALUES ('s', '{}', 1, 2, 3, '{}');
    INSERT INTO leases VALUES ('s', 5, 'an earlier version', ${Date.now() + 50_000})`);
  old.close();
  const store = sqliteStore(file);
  expect(await store.list({})).toEqual([{ id: "s", tags: {}, createdAt: 1, updatedAt: 2, messages: 3 }]);
  expect(await store.acquire("s", request)).toMatchObject({ heldBy: "an earlier version", fence: 5 });
});

test.skipIf(process.platform === "win32" || !hasSqlite)(
  `a pipe in place of a database is refused at once${skipped}`,
  async () => {
    const pipe = path.join(await tempDir(), "pipe");
    spawnSync("mkfifo", [pipe]);
    expect(() => sqliteStore(pipe)).toThrow(`cannot open the database ${pipe}: it is a pipe`);
  },
);

test("save() of a session that was lost rejects, though nothing has changed since", async () => {
  const store = new MemoryStore();
  const engine = await openEngine([], { sessionStore: store });
  const session = await engine.sessions.open({ id: "a" });
  await session.save();
  await session.save(); // the store has it already, and says so
  const fence = store.leases.get("a")?.fence ?? 0;
  await store.acquire("a", { holder: "another", ttlMs: 60_000, dead: fence });
  for (let tries = 0; tries < 2; ++tries)
    expect(await rejection(session.save())).toMatchObject({ code: "SESSION_LOST" });
});

/** Mounts a small file system in the folder; returns the reason if that fails. */
function mountSmall(folder: string): string | undefined {
  const { status, stderr } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "none", folder], {
    encoding: "utf8",
  });
  return status === 0 ? undefined : stderr || "no mount";
}

test("a full disk leaves no part of a file", async ({ skip }) => {
  const folder = await tempDir();
  const why = process.platform === "linux" ? mountSmall(folder) : "this is not Linux";
  if (why !== undefined) return skip(why);
  onTestFinished(() => void spawnSync("umount", [folder]));
  const sessions = path.join(folder, "sessions");
  await mkdir(sessions);
  await writeFile(path.join(folder, "rest"), Buffer.alloc(1 << 20)).catch(() => undefined); // fills it
  const store = folderStore(sessions);
  const engine = await openEngine([], { sessionStore: store });
  for (const id of ["a", "b", "c"]) {
    const open = engine.sessions.open({ id, autosave: true });
    expect(await rejection(open)).toMatchObject({ code: "SESSION_STORE_FAILED" });
  }
  const session = engine.session();
  expect(await rejection(session.save(path.join(sessions, "saved.json")))).toMatchObject({ code: "INVALID_ARGUMENT" });
  expect((await readdir(sessions)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});
