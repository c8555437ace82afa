// Changes that a folder has not got as a whole: a process was killed while it appended, or the file was damaged.
import { readFile, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { folderStore, type SessionInfo, type SessionStore, type StoredRecord } from "../../../src/index.js";
import { openEngine, rejection, tempDir } from "../../support/engine.js";

interface Written {
  readonly store: SessionStore;
  readonly file: string;
  readonly fence: number;
  /** The session after each save. */
  readonly states: readonly StoredRecord[];
  /** The size of the file after each save. */
  readonly sizes: readonly number[];
}

const filler = "ä".repeat(12_000); // so that the end of the file, which a list reads, is not all of it

/** A session of three changes. */
async function written(record = `{"a":[1],"b":"${filler}"}`): Promise<Written> {
  const folder = await tempDir();
  const store = folderStore(folder);
  const { fence } = await store.acquire("s", { holder: "me", ttlMs: 60_000 });
  const file = path.join(folder, `s~${fence}.json`);
  const info = { id: "s", tags: { turn: 0 }, createdAt: 1, updatedAt: 1, messages: 1 };
  const states: StoredRecord[] = [{ ...info, record }];
  await store.save({ ...info, record }, fence);
  const sizes = [(await readFile(file)).length];
  for (const turn of [1, 2, 3]) {
    const before = states.at(-1)?.record ?? "";
    const [now, insert] = [{ ...info, tags: { turn }, updatedAt: turn + 1, messages: turn + 1 }, `0,"é${turn}",`];
    expect(await store.append?.({ ...now, from: before.length, edits: [{ keep: 6, drop: 0, insert }] }, fence)).toBe(
      "appended",
    );
    states.push({ ...now, record: `${before.slice(0, 6)}${insert}${before.slice(6)}` });
    sizes.push((await readFile(file)).length);
  }
  return { store, file, fence, states, sizes };
}

function infoOf(state: StoredRecord | undefined): SessionInfo {
  const { record: _, ...info } = state as StoredRecord;
  return info;
}

test.each([
  ["a long record", undefined],
  ["a short one", '{"a":[1]}'],
])("a file of %s that is cut off at any byte of its last change is the save before", async (_, record) => {
  const { store, file, states, sizes } = await written(record);
  const [whole, before] = [sizes[3] ?? 0, sizes[2] ?? 0];
  expect(await store.load("s")).toEqual(states[3]);
  for (let size = whole - 1; size >= before; --size) {
    await truncate(file, size);
    expect([size, await store.load("s")]).toEqual([size, states[2]]);
    expect([size, await store.list({})]).toEqual([size, [infoOf(states[2])]]);
  }
});

test("the end of a last change that the disk never got, and has as zeros, is the save before", async () => {
  const { store, file, states, sizes } = await written();
  const bytes = await readFile(file);
  for (const [from, to] of [
    [sizes[2], sizes[3]],
    [(sizes[2] ?? 0) + 20, sizes[3]],
    [(sizes[2] ?? 0) + 20, (sizes[2] ?? 0) + 40],
  ]) {
    await writeFile(file, Buffer.from(bytes).fill(0, from, to));
    expect(await store.load("s")).toEqual(states[2]);
    expect(await store.list({})).toEqual([infoOf(states[2])]);
  }
});

test("after a torn change the next process saves the session as a whole", async () => {
  const { store, file, fence, states } = await written();
  await truncate(file, (await readFile(file)).length - 5);
  const later = await folderStore(path.dirname(file)).acquire("s", { holder: "later", ttlMs: 60_000, dead: fence });
  const next = (later as { fence: number }).fence;
  const change = { ...infoOf(states[2]), from: states[2]?.record.length ?? 0, edits: [] };
  expect(await store.append?.(change, next)).toBe("save");
  expect(await store.save({ ...(states[2] as StoredRecord), messages: 9 }, next)).toBe(true);
  expect(await store.load("s")).toEqual({ ...states[2], messages: 9 });
});

test("a file that was changed since its last save gets no change, but a whole save", async () => {
  const { store, file, fence, states, sizes } = await written();
  const last = states[3] as StoredRecord;
  const change = { ...infoOf(last), from: last.record.length, edits: [] };
  await truncate(file, sizes[2]);
  expect(await store.append?.(change, fence)).toBe("save");
  expect(await store.save(last, fence)).toBe(true);
  expect(await store.append?.(change, fence)).toBe("appended");
  expect(await store.load("s")).toEqual(last);
});

type Damage = (lines: readonly string[]) => readonly string[];
test.each<[string, Damage]>([
  ["a letter of the first change", ([a, b, c = "", ...more]) => [a ?? "", b ?? "", c.replace("é1", "é7"), ...more]],
  [
    "a number of the second",
    ([a, b, c, d = "", ...more]) => [a, b, c, d.replace('"keep":6', '"keep":7'), ...more] as string[],
  ],
  [
    "the fields of the second",
    ([a, b, c, d = "", ...more]) => [a, b, c, d.replace('"turn":2', '"turn":5'), ...more] as string[],
  ],
  ["a letter of the last", (lines) => lines.map((line) => line.replace("é3", "é7"))],
  ["the first change, which is gone", (lines) => lines.toSpliced(2, 1)],
  ["the second, which is gone", (lines) => lines.toSpliced(3, 1)],
  ["the order", ([a = "", b = "", c = "", d = "", ...more]) => [a, b, d, c, ...more]],
  ["a change that is there twice", (lines) => lines.toSpliced(3, 0, lines[2] ?? "")],
  ["an empty line", (lines) => lines.toSpliced(3, 0, "")],
  ["zeros in the middle", (lines) => lines.with(3, "\0".repeat(40))],
  ["the record, which is longer", (lines) => lines.with(1, (lines[1] ?? "").replace("ä", "ää"))],
  ["the record, which is cut off", (lines) => lines.with(1, (lines[1] ?? "").slice(0, -20))],
  ["the length of the record", (lines) => lines.with(0, (lines[0] ?? "").replace(/"length":\d/, '"length":9'))],
  ["the length, which is gone", (lines) => lines.with(0, (lines[0] ?? "").replace(/,"length":\d+/, ""))],
])("damage is SESSION_FILE_INVALID, which names the file: %s", async (_, damage) => {
  const { store, file } = await written();
  const damaged = damage((await readFile(file, "utf8")).split("\n")).join("\n");
  await writeFile(file, damaged);
  const invalid = { code: "SESSION_FILE_INVALID", message: expect.stringContaining(`${file}: `) as string };
  expect(await rejection(store.load("s"))).toMatchObject(invalid);
  const engine = await openEngine([], { sessionStore: path.dirname(file) });
  expect(await engine.sessions.list()).toHaveLength(1);
  expect(await readFile(file, "utf8")).toBe(damaged);
});
