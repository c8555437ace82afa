// A damaged lease is reported at once, with its place, and no work continues in the background.
import path from "node:path";
import { mkdir, readdir, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { type Engine, folderStore, sqliteStore } from "../../../src/index.js";
import { openEngine, rejection, tempDir } from "../../support/engine.js";

const request = { holder: "me", ttlMs: 60_000 };
const session = { id: "s", tags: {}, createdAt: 1, updatedAt: 1, messages: 0, record: "{}" };
const hasSqlite = process.getBuiltinModule?.("node:sqlite") !== undefined;

/** A session in the folder whose lease was given back. */
async function released(folder: string, id: string): Promise<{ seed: string; lease: string }> {
  const store = folderStore(folder);
  const { fence } = await store.acquire(id, request);
  await store.save({ ...session, id }, fence);
  await store.release(id, fence);
  return { seed: path.join(folder, `${id}~0.lease`), lease: path.join(folder, `${id}~${fence}.lease`) };
}

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

const seeds: Record<string, string> = {
  garbage: "garbage",
  negative: "-5",
  "too large": "1e300",
  "beyond whole numbers": "9999999999999999",
  "with a NUL": "17\0",
  empty: "",
  "of 10 MB": "1".repeat(10_000_000),
};
const holders: Record<string, string> = {
  "of another shape": '{"pid":"12","host":7}',
  "a list": "[1,2]",
  null: "null",
  "cut off": '{"pid":12,"ho',
  "with a NUL": "me\0",
  empty: "",
  "of 10 MB": "m".repeat(10_000_000),
  "without a first line": '{"lease":{"boot":null}}\nme',
  "with an endless time": '{"lease":{"boot":null,"aheadMs":1e300,"ttlMs":5}}\nme',
};

const hour = 3_600_000;
test.each([
  ...Object.entries(seeds).map(([what, text]) => ["seed", what, text, 0] as const),
  ...Object.entries(holders).map(([what, text]) => ["lease", what, text, 0] as const),
  ...Object.entries(holders).map(([what, text]) => ["lease", `${what}, not ended`, text, hour] as const),
])("the %s of a session, %s, is SESSION_STORE_FAILED, which names the file", async (kind, _, text, ahead) => {
  const { folder, sessions } = await sessionsInFolder();
  const id = `case-${++count}`;
  const damaged = (await released(folder, id))[kind];
  await writeFile(damaged, text);
  const time = new Date(Date.now() + ahead);
  await utimes(damaged, time, time);
  const before = (await readdir(folder)).toSorted();
  for (const work of [() => sessions.resume(id), () => sessions.open({ id }), () => sessions.delete(id)])
    expect(await rejection(work())).toMatchObject({
      code: "SESSION_STORE_FAILED",
      message: expect.stringContaining(damaged) as string,
    });
  expect((await readdir(folder)).toSorted()).toEqual(before);
  await rm(damaged); // as the message says
  expect(await sessions.delete(id)).toBe(true);
});

test.each(["seed", "lease"] as const)("a folder or a link to nothing in place of the %s ends at once", async (kind) => {
  const folder = await tempDir();
  const files = await released(folder, "s");
  const store = folderStore(folder);
  await rm(files[kind]);
  await mkdir(files[kind]);
  await expect(store.acquire("s", request)).rejects.toThrow(`${files[kind]} is no lease: it is a folder`);
  await rm(files[kind], { recursive: true });
  await symlink(path.join(folder, "nowhere"), files[kind]);
  if (kind === "seed") await expect(store.acquire("s", request)).rejects.toThrow("s~0.lease");
  else expect(await store.acquire("s", request)).not.toHaveProperty("heldBy");
});

test("numbers that no lease can follow end at once", async () => {
  const folder = await tempDir();
  const file = path.join(folder, `s~${Number.MAX_SAFE_INTEGER}.lease`);
  await writeFile(file, "me");
  await expect(folderStore(folder).acquire("s", request)).rejects.toThrow("no number is left");
  await expect(folderStore(folder).acquire("other", request)).resolves.toHaveProperty("fence");
  await rm(file);
  await writeFile(path.join(folder, "s~9999999999999999.lease"), "me"); // not a name that a store uses
  await expect(folderStore(folder).acquire("s", request)).resolves.toHaveProperty("fence");
});

test("a holder is any name that a program gives itself", async () => {
  const store = folderStore(await tempDir());
  const { fence } = await store.acquire("s", { holder: "the nightly backup", ttlMs: 60_000 });
  expect(await store.acquire("s", request)).toMatchObject({ heldBy: "the nightly backup", fence });
});

test.skipIf(!hasSqlite).each([
  ["fence", "garbage"],
  ["fence", 1e300],
  ["fence", -4],
  ["holder", '{"pid":"12"}'],
  ["holder", ""],
  ["expires_at", "soon"],
])(
  `in SQLite, a lease whose %s is %s names the session${hasSqlite ? "" : " (skipped: no node:sqlite)"}`,
  async (column, value) => {
    const file = path.join(await tempDir(), "sessions.db");
    const store = sqliteStore(file);
    const { fence } = await store.acquire("s", request);
    await store.save(session, fence);
    const sqlite = process.getBuiltinModule("node:sqlite") as unknown as {
      DatabaseSync: new (path: string) => {
        prepare(sql: string): { run(value: string | number): unknown };
        close(): void;
      };
    };
    const database = new sqlite.DatabaseSync(file);
    database.prepare(`UPDATE leases SET ${column} = ?`).run(value);
    database.close();
    await expect(store.acquire("s", request)).rejects.toThrow(`the lease of s in the database ${file} is damaged`);
    expect((await stat(file)).isFile()).toBe(true);
  },
);
