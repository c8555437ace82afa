// Saves of long sessions: a store that can append gets what is new, and every other store the whole session.
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import {
  type Engine,
  type MessageInput,
  applyChanges,
  folderStore,
  type RecordChange,
  sqliteStore,
  type StoredSession,
} from "../../../src/index.js";
import { amount } from "../../support/amount.js";
import { openEngine, rejection, tempDir } from "../../support/engine.js";
import { AppendingStore, MemoryStore } from "../../support/memory-store.js";
import { asks, calls, directs, tools } from "../../support/sessions.js";

/** No conversation of these tests is compacted by itself, but those with random turns. */
const contextSize = 65_536;
const options = { tools: [...tools, directs], temperature: 0 };
const hasSqlite = process.getBuiltinModule?.("node:sqlite") !== undefined;
const noSqlite = hasSqlite ? "" : " (skipped: no node:sqlite)";

function historyOf(count: number): MessageInput[] {
  return Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Message ${index}, with "quotes" and \u{1f600}.`,
  }));
}

/** The record as `session.save(path)` writes it: what a whole save would have stored. */
async function recordNow(session: StoredSession, folder: string): Promise<string> {
  const file = path.join(folder, "whole");
  await session.save(file);
  return (await readFile(file, "utf8")).replace(/\n$/, "");
}

const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

async function openAppending(count = 20): Promise<{ engine: Engine; store: AppendingStore; session: StoredSession }> {
  const store = new AppendingStore();
  const script = { replies: [asks("Oslo"), asks("Rome", "Bern"), "All cold."], contextLength: contextSize };
  const engine = await openEngine(script, { sessionStore: store, contextSize });
  const session = await engine.sessions.open({ ...options, id: "a", history: historyOf(count), autosave: true });
  return { engine, store, session };
}

test("what a save writes does not grow with the history", async () => {
  for (const count of [20, 400]) {
    const { store, session } = await openAppending(count);
    session.queue("And Graz?");
    await session.save();
    await session.run("How is it?");
    const record = store.sessions.get("a")?.record ?? "";
    expect(record).toBe(await recordNow(session, await tempDir()));
    expect(record.length).toBeGreaterThan(count * 100);
    const sizes = store.changes.map(bytes);
    expect(sizes.length).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThan(4000);
    if (count === 400) expect(store.wholes).toHaveLength(1);
  }
});

test("the file of a folder grows by what is new", async () => {
  const folder = await tempDir();
  const engine = await openEngine([], { sessionStore: folder });
  const session = await engine.sessions.open({ ...options, id: "a", history: historyOf(400), autosave: true });
  const file = path.join(folder, (await readdir(folder)).find((name) => name.endsWith(".json")) ?? "");
  const { size, ino } = await stat(file);
  session.queue("And Graz?");
  await session.save();
  const later = await stat(file);
  expect(later.ino).toBe(ino);
  expect(later.size - size).toBeGreaterThan(0);
  expect(later.size - size).toBeLessThan(500);
});

test("changes together are never longer than the record: then it is saved whole", async () => {
  const { store, session } = await openAppending();
  const folder = await tempDir();
  let [since, whole] = [0, 1];
  for (let turn = 0; turn < 60; ++turn) {
    session.queue(`A message that takes some room: ${"x".repeat(turn * 10)}`);
    await session.save();
    since = store.wholes.length > whole ? 0 : since + bytes(store.changes.at(-1));
    whole = store.wholes.length;
    expect(since).toBeLessThanOrEqual(1.1 * (store.sessions.get("a")?.record.length ?? 0));
  }
  expect(store.wholes.length).toBeGreaterThan(1);
  expect(store.changes.length).toBeGreaterThan(40);
  expect(store.sessions.get("a")?.record).toBe(await recordNow(session, folder));
});

test("a session that has become much shorter is saved whole, so that the store does not keep what was rewound", async () => {
  const { store, session } = await openAppending();
  session.rewind(null);
  await session.save();
  expect([store.wholes.length, store.changes.length]).toEqual([2, 0]);
});

test("a session that is resumed is saved whole first, and so is one whose save has failed", async () => {
  const { engine, store, session } = await openAppending();
  const saves = (): number[] => [store.wholes.length, store.changes.length];
  store.before = () => Promise.reject(new Error("full"));
  session.queue("one");
  expect(await rejection(session.save())).toMatchObject({
    message: expect.stringContaining('append("a") failed: full') as string,
  });
  store.before = () => undefined;
  await session.save();
  expect(saves()).toEqual([2, 0]);
  session.queue("two");
  await session.close();
  expect(saves()).toEqual([2, 1]);
  const again = await engine.sessions.resume("a", { ...options, autosave: true });
  again.queue("three");
  await again.save();
  again.queue("four");
  await again.save();
  expect(saves()).toEqual([3, 2]);
  expect(JSON.parse(store.sessions.get("a")?.record ?? "")).toMatchObject({
    queued: ["one", "two", "three", "four"].map((content) => ({ content })),
  });
});

test("a store that answers `save` gets the whole session; `lost` is SESSION_LOST, and another answer a failure", async () => {
  const { store, session } = await openAppending();
  store.answer = "save";
  session.queue("one");
  await session.save();
  expect([store.wholes.length, store.changes.length]).toEqual([2, 0]);
  store.answer = true;
  session.queue("two");
  expect(await rejection(session.save())).toMatchObject({
    code: "SESSION_STORE_FAILED",
    message: expect.stringContaining('append("a") returned something else') as string,
  });
  await session.save();
  store.answer = "lost";
  session.queue("three");
  expect(await rejection(session.save())).toMatchObject({ code: "SESSION_LOST" });
});

test("a store without append() gets the whole session at each save", async () => {
  const store = new MemoryStore();
  const engine = await openEngine([], { sessionStore: store });
  const session = await engine.sessions.open({ ...options, id: "a", history: historyOf(20), autosave: true });
  session.queue("one");
  await session.save();
  expect(store.saved).toHaveLength(2);
  expect(store.sessions.get("a")?.record).toBe(await recordNow(session, await tempDir()));
});

test("an append that is not a method is a TypeError", async () => {
  const store = Object.assign(new MemoryStore(), { append: 7 });
  expect(await rejection(openEngine([], { sessionStore: store as never }))).toMatchObject({
    name: "TypeError",
    message: expect.stringContaining("append") as string,
  });
});

test("changes that do not fit a record throw, with the reason", () => {
  const edit = { keep: 1, drop: 1, insert: "x" };
  expect(applyChanges("abc", [{ from: 3, edits: [edit] }])).toBe("axc");
  expect(applyChanges("abc", [])).toBe("abc");
  const wrong: [unknown, string][] = [
    [{ from: 2, edits: [edit] }, "of length 2, and this one has 3"],
    [{ from: 3, edits: [edit, edit] }, "beyond the end"],
    [{ from: 3, edits: [{ ...edit, keep: -1 }] }, "lacks keep"],
    [{ from: 3, edits: [{ ...edit, drop: 0.5 }] }, "lacks keep"],
    [{ from: 3, edits: [{ keep: 1, drop: 1 }] }, "lacks keep"],
    [{ from: 3, edits: [null] }, "lacks keep"],
    [{ from: 3 }, "no edits"],
    [null, "no edits"],
  ];
  for (const [change, why] of wrong) expect(() => applyChanges("abc", [change as RecordChange])).toThrow(why);
  const many = Array.from({ length: 20_000 }, (_, n): RecordChange => ({
    from: n,
    edits: [{ keep: n >> 1, drop: 0, insert: String(n % 10) }],
  }));
  let slow = "";
  for (let n = 0; n < many.length; ++n) slow = `${slow.slice(0, n >> 1)}${n % 10}${slow.slice(n >> 1)}`;
  expect(applyChanges("", many)).toBe(slow);
});

/** A sequence of numbers that is the same for the same seed. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

const anchor = (content: string) =>
  calls("directs", { directives: [{ type: "context_anchor", params: { key: "k", content } }] });

/** Rewinds, unless the place is between a call and its result: the session refuses that. */
const rewound = (session: StoredSession, to: string | null) => {
  try {
    session.rewind(to);
  } catch (error) {
    expect(error).toMatchObject({ message: expect.stringContaining("would have no result") });
  }
};

const stores = [
  { kind: "a folder", skipped: "", open: (folder: string) => folderStore(path.join(folder, "sessions")) },
  { kind: "SQLite", skipped: noSqlite, open: (folder: string) => sqliteStore(path.join(folder, "sessions.db")) },
];
for (const { kind, skipped, open } of stores)
  test.skipIf(skipped !== "")(
    `after random turns, compactions, rewinds and queued messages, ${kind} loads what a whole save would have stored${skipped}`,
    async () => {
      for (let seed = 1; seed <= amount(3, 30); ++seed) {
        const roll = dice(seed);
        const folder = await tempDir();
        const store = open(folder);
        const saves = { save: 0, append: 0 };
        const counting = new Proxy(store, {
          get(target, key: "save" | "append" | "load") {
            const method: unknown = target[key];
            if (typeof method !== "function") return method;
            return async (...given: unknown[]) => {
              const answer: unknown = await method.apply(target, given);
              if (key === "append" || key === "save") saves[key] += answer === "appended" || answer === true ? 1 : 0;
              return answer;
            };
          },
        });
        const replies = Array.from(
          { length: 40 },
          (_, n) =>
            [
              asks("Oslo"),
              asks("Rome", "Bern"),
              anchor(`note ${n}`),
              calls("todo", { todos: [{ content: `${n}`, status: "pending" }] }),
              `Answer ${n} \u{1f600}.`,
            ][roll(5)] ?? "",
        );
        const engine = await openEngine([...replies, "Done."], { sessionStore: counting });
        const given = {
          ...options,
          controlTools: ["todo"] as const,
          autosave: true,
          maxIterations: 3,
          maxCallsInARow: 100,
        };
        let session = await engine.sessions.open({
          ...given,
          controlTools: ["todo"],
          id: "a",
          tags: { seed },
          history: historyOf(roll(30)),
        });
        for (let step = 0; step < 14; ++step) {
          const history = session.history();
          const what = roll(8);
          if (what <= 2)
            await session.run(`Question ${step}, "quoted"`).catch(() => undefined); // too long
          else if (what === 3) session.queue(`Queued ${step} ä`);
          else if (what === 4 && history.length > 4) await session.compact({ strategy: "truncate" });
          else if (what === 5 && history.length > 0) rewound(session, history[roll(history.length)]?.id ?? null);
          else if (what === 6) {
            await session.close();
            session = await engine.sessions.resume("a", { ...given, controlTools: ["todo"], tags: { seed, step } });
          } else session.hooks.on("permissionCheck", () => ({ remember: "tool" }), { name: `hook ${step}` }).dispose();
          await session.save();
          const record = await recordNow(session, folder);
          const { record: loaded, ...info } = (await open(folder).load("a")) ?? { record: undefined };
          expect([seed, step, loaded === record]).toEqual([seed, step, true]);
          expect(info).toMatchObject({ id: "a", messages: session.history({ compacted: false }).length });
          expect(await open(folder).list({})).toEqual([info]);
        }
        expect(saves.append).toBeGreaterThan(saves.save);
        await engine.close();
      }
    },
  );
