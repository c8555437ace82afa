// Leases while clocks jump: no process is locked out for long, and no live process loses its session.
import path from "node:path";
import { readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { afterEach, expect, test, vi } from "vitest";
import { folderStore, sqliteStore, type SessionStore } from "../../../src/index.js";
import { tempDir } from "../../support/engine.js";

const day = 86_400_000;
const ttlMs = 60_000;
const request = { holder: "me", ttlMs };
const hasSqlite = process.getBuiltinModule?.("node:sqlite") !== undefined;
const stores: [string, (folder: string) => SessionStore][] = [
  ["a folder", folderStore],
  ...(hasSqlite
    ? [["SQLite", (folder) => sqliteStore(path.join(folder, "s.db"))] as [string, typeof folderStore]]
    : []),
];

afterEach(() => void vi.restoreAllMocks());

const now = Date.now.bind(Date);

/** The difference of the wall clock. */
function jump(ms: number): void {
  vi.spyOn(Date, "now").mockImplementation(() => now() + ms);
}

test.each(stores)(
  "%s: a clock that jumps forth ends no lease, and one that jumps back prolongs none",
  async (_, open) => {
    const store = open(await tempDir());
    const { fence } = await store.acquire("s", request);
    for (const ms of [day, -day, 0]) {
      jump(ms);
      const held = await store.acquire("s", request);
      expect(held).toMatchObject({ heldBy: "me", fence });
      expect("expiresInMs" in held && held.expiresInMs).toBeGreaterThan(ttlMs / 2);
      expect("expiresInMs" in held && held.expiresInMs).toBeLessThanOrEqual(ttlMs);
      expect(await store.renew("s", fence, ttlMs)).toBe(true);
    }
    await store.release("s", fence);
    expect(await store.acquire("s", request)).not.toHaveProperty("heldBy");
  },
);

test.each([
  ["of this version", (text: string) => text],
  ["of an earlier version", (text: string) => text.slice(text.indexOf("\n") + 1)],
  ["of another start of the machine", (text: string) => text.replace(/"boot":("[^"]*"|null)/, '"boot":"another"')],
])("a lease %s that would end in a day ends after its length, at every look", async (_, change) => {
  const folder = await tempDir();
  const store = folderStore(folder);
  const { fence } = await store.acquire("s", request);
  const file = path.join(folder, `s~${fence}.lease`);
  await writeFile(file, change(await readFile(file, "utf8")));
  const tomorrow = new Date(Date.now() + day);
  await utimes(file, tomorrow, tomorrow);
  const looks = [await store.acquire("s", request), await store.acquire("s", request)];
  const left = looks.map((held) => ("expiresInMs" in held ? held.expiresInMs : undefined));
  for (const ms of left) expect(ms).toBeLessThanOrEqual(ttlMs);
  expect(left[1]).toBeLessThanOrEqual(left[0] ?? 0); // the first check has stored the end
  expect((await readdir(folder)).length).toBe(2);
});

test("a lease of another start of the machine goes by the clock of the day", async () => {
  const folder = await tempDir();
  const store = folderStore(folder);
  const { fence } = await store.acquire("s", request);
  const file = path.join(folder, `s~${fence}.lease`);
  await writeFile(file, (await readFile(file, "utf8")).replace(/"boot":("[^"]*"|null)/, '"boot":"another"'));
  const soon = new Date(Date.now() + 30_000);
  await utimes(file, soon, soon);
  expect(await store.acquire("s", request)).toMatchObject({ heldBy: "me" });
  const before = new Date(Date.now() - 1000);
  await utimes(file, before, before);
  expect(await store.acquire("s", request)).not.toHaveProperty("heldBy");
});
