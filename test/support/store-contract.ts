// The promises of every session store, for the stores of the package and for those of the examples.
import { expect, test } from "vitest";
import type { LeaseAnswer, SessionStore, StoredRecord } from "../../src/index.js";

const hour = 3_600_000;
const ask = (holder: string, dead?: number) => ({ holder, ttlMs: hour, ...(dead !== undefined && { dead }) });

function session(id: string, more: Partial<StoredRecord> = {}): StoredRecord {
  return { id, tags: {}, createdAt: 1000, updatedAt: 2000, messages: 1, record: '{"a":18446744073709551615}', ...more };
}

async function fenceOf(answer: Promise<LeaseAnswer>): Promise<number> {
  const lease = await answer;
  expect(lease).not.toHaveProperty("heldBy");
  return lease.fence;
}

/** `open()` opens the same store each time, as another process would. `skip`: the reason why it cannot be tested. */
export function testStore(kind: string, open: () => Promise<SessionStore>, skip?: string): void {
  const name = skip === undefined ? kind : `${kind} (skipped: ${skip})`;
  let count = 0;
  const newId = (): string => `${kind.replaceAll(/\W/g, "")}-${process.pid}-${Date.now()}-${count++}`;

  test.skipIf(skip !== undefined)(`${name}: what was saved is loaded, listed and deleted`, async () => {
    const store = await open();
    const id = newId();
    expect(await store.load(id)).toBeUndefined();
    const fence = await fenceOf(store.acquire(id, ask("me")));
    const first = session(id, { tags: { user: "ada", turn: 1, done: false }, record: '{"é":"\\u0000 \u{1f600}"}' });
    expect(await store.save(first, fence)).toBe(true);
    expect(await (await open()).load(id)).toEqual(first);
    const second = session(id, { tags: { user: "bob" }, updatedAt: 3000, messages: 7 });
    expect(await store.save(second, fence)).toBe(true);
    expect(await (await open()).load(id)).toEqual(second);
    const { record: _, ...info } = second;
    expect((await store.list({})).filter((one) => one.id === id)).toEqual([info]);
    const call = { id: "call-1", name: "pay", args: { sum: 5 }, tier: null, deferredBy: "office", reason: null };
    const waits = { ...info, waiting: [{ ...call, waitsFor: "ada" }] };
    expect(await store.save({ ...waits, record: "{}" }, fence)).toBe(true);
    expect((await store.list({})).filter((one) => one.id === id)).toEqual([waits]);
    expect(await store.save(second, fence)).toBe(true);
    expect((await store.list({})).filter((one) => one.id === id)).toEqual([info]);
    expect(await store.delete(id, fence)).toBe(true);
    expect(await store.load(id)).toBeUndefined();
    expect(await store.delete(id, fence)).toBe(false);
    expect((await store.list({})).filter((one) => one.id === id)).toEqual([]);
  });

  test.skipIf(skip !== undefined)(`${name}: lists by tags and time, the newest first, at most so many`, async () => {
    const store = await open();
    const group = newId();
    const ids = ["a", "b", "c", "d"].map((letter) => `${group}-${letter}`);
    for (const [index, id] of ids.entries()) {
      const fence = await fenceOf(store.acquire(id, ask("me")));
      const tags = { group, even: index % 2 === 0, number: index, text: String(index) };
      expect(
        await store.save(session(id, { tags, updatedAt: index === 3 ? 12_000 : 10_000 + index * 1000 }), fence),
      ).toBe(true);
    }
    const letters = async (query: Parameters<SessionStore["list"]>[0]): Promise<string> =>
      (await store.list({ ...query, tags: { group, ...query.tags } })).map(({ id }) => id.at(-1)).join("");
    expect(await letters({})).toBe("dcba");
    expect(await letters({ limit: 2 })).toBe("dc");
    expect(await letters({ before: 12_000 })).toBe("ba");
    expect(await letters({ after: 10_000 })).toBe("dcb");
    expect(await letters({ after: 10_000, before: 12_000 })).toBe("b");
    expect(await letters({ tags: { even: true } })).toBe("ca");
    expect(await letters({ tags: { even: true }, limit: 1 })).toBe("c");
    expect(await letters({ tags: { number: 1 } })).toBe("b");
    expect(await letters({ tags: { number: "1" } })).toBe("");
    expect(await letters({ tags: { text: "1" } })).toBe("b");
    expect(await letters({ tags: { other: 1 } })).toBe("");
  });

  test.skipIf(skip !== undefined)(`${name}: one of many that ask gets the lease`, async () => {
    const stores = await Promise.all(Array.from({ length: 4 }, open));
    for (let round = 0; round < 5; ++round) {
      const id = newId();
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          (stores[index % 4] as SessionStore).acquire(id, ask(`holder ${index}`)),
        ),
      );
      const given = answers.filter((answer) => !("heldBy" in answer));
      expect(given.length).toBe(1);
      const [first] = stores;
      expect(await first?.acquire(id, ask("late"))).toMatchObject({
        heldBy: expect.stringMatching(/^holder \d+$/) as string,
        fence: given[0]?.fence,
      });
    }
  });

  test.skipIf(skip !== undefined)(
    `${name}: the numbers of leases grow, also past a deletion, and fence saves`,
    async () => {
      const store = await open();
      const id = newId();
      const first = await fenceOf(store.acquire(id, ask("first")));
      expect(await store.save(session(id), first)).toBe(true);
      expect(await store.renew(id, first, hour)).toBe(true);
      expect(await store.acquire(id, ask("other", first + 1))).toMatchObject({ heldBy: "first", fence: first });

      const second = await fenceOf(store.acquire(id, ask("second", first)));
      expect(second).toBeGreaterThan(first);
      expect(await store.load(id)).toEqual(session(id));
      expect(await store.save(session(id, { messages: 66 }), first)).toBe(false);
      expect(await store.renew(id, first, hour)).toBe(false);
      expect(await store.delete(id, first)).toBe(false);
      await store.release(id, first);
      expect(await store.acquire(id, ask("other"))).toMatchObject({ heldBy: "second", fence: second });
      expect(await store.load(id)).toEqual(session(id));
      expect(await store.save(session(id, { messages: 2 }), second)).toBe(true);
      await store.release(id, second);

      const third = await fenceOf(store.acquire(id, ask("third")));
      expect(third).toBeGreaterThan(second);
      expect(await store.load(id)).toEqual(session(id, { messages: 2 }));
      expect(await store.delete(id, third)).toBe(true);
      const fourth = await fenceOf(store.acquire(id, ask("fourth")));
      expect(fourth).toBeGreaterThan(third);
      expect(await store.save(session(id), third)).toBe(false);
      expect(await store.load(id)).toBeUndefined();
    },
  );

  test.skipIf(skip !== undefined)(
    `${name}: a lease that was not renewed can be taken, and one that was cannot`,
    async () => {
      const store = await open();
      const id = newId();
      const first = await fenceOf(store.acquire(id, { holder: "first", ttlMs: 1 }));
      let second = await store.acquire(id, ask("second"));
      while ("heldBy" in second) second = await store.acquire(id, ask("second"));
      expect(second.fence).toBeGreaterThan(first);

      const other = newId();
      const short = await fenceOf(store.acquire(other, { holder: "first", ttlMs: 1 }));
      expect(await store.renew(other, short, hour)).toBe(true); // though it may have expired
      expect(await store.acquire(other, ask("second"))).toMatchObject({ heldBy: "first" });
    },
  );

  test.skipIf(skip !== undefined)(`${name}: appended changes are loaded and listed, until the next save`, async () => {
    const store = await open();
    if (store.append === undefined) return;
    const id = newId();
    const fence = await fenceOf(store.acquire(id, ask("me")));
    const { record, ...info } = session(id, { record: '{"é":["\u{1f600}"]}' });
    const change = { ...info, from: record.length, edits: [{ keep: 10, drop: 0, insert: ',"\u{1f600}\\n"' }] };
    expect(await store.append(change, fence)).toBe("save"); // nothing is stored
    expect(await store.load(id)).toBeUndefined();
    expect(await store.save({ ...info, record }, fence)).toBe(true);
    expect(await store.append(change, fence)).toBe("appended");
    const longer = '{"é":["\u{1f600}","\u{1f600}\\n"]}';
    expect(await (await open()).load(id)).toEqual({ ...info, record: longer });
    const call = {
      id: "call-1",
      name: "pay",
      args: { stored: { a: 1 } },
      tier: null,
      deferredBy: "office",
      reason: null,
    };
    const later = {
      ...info,
      tags: { user: "bob" },
      updatedAt: 3000,
      messages: 2,
      waiting: [{ ...call, waitsFor: "ada" }],
    };
    expect(await store.append({ ...later, from: longer.length, edits: [] }, fence)).toBe("appended");
    expect(await (await open()).load(id)).toEqual({ ...later, record: longer });
    expect((await (await open()).list({ after: 2500 })).filter((one) => one.id === id)).toEqual([later]);
    const edits = [
      { keep: 2, drop: 1, insert: "e" },
      { keep: 0, drop: longer.length - 4, insert: '":1' },
    ];
    expect(await store.append({ ...info, from: longer.length, edits }, fence)).toBe("appended");
    expect(await (await open()).load(id)).toEqual({ ...info, record: '{"e":1}' });
    expect((await (await open()).list({})).filter((one) => one.id === id)).toEqual([info]);
    expect(await store.save({ ...info, record: "{}" }, fence)).toBe(true);
    expect(await (await open()).load(id)).toEqual({ ...info, record: "{}" });
    expect(await store.delete(id, fence)).toBe(true);
    const next = await fenceOf(store.acquire(id, ask("me")));
    expect(await store.append({ ...info, from: 2, edits: [] }, next)).toBe("save");
    expect(await store.load(id)).toBeUndefined();
  });

  test.skipIf(skip !== undefined)(`${name}: a change under a lease that another has is lost`, async () => {
    const [store, other] = [await open(), await open()];
    if (store.append === undefined) return;
    const id = newId();
    const first = await fenceOf(store.acquire(id, ask("first")));
    const { record, ...info } = session(id);
    const change = { ...info, messages: 66, from: record.length, edits: [{ keep: 1, drop: 0, insert: '"b":1,' }] };
    expect(await store.save({ ...info, record }, first)).toBe(true);
    const second = await fenceOf(other.acquire(id, ask("second", first)));
    expect(await store.append(change, first)).toBe("lost");
    expect(await other.load(id)).toEqual({ ...info, record });
    expect(await other.save({ ...info, record, messages: 2 }, second)).toBe(true);
    expect(await store.append(change, first)).toBe("lost");
    expect(await other.append?.(change, second)).toBe("appended");
    expect(await store.load(id)).toEqual({ ...info, messages: 66, record: `{"b":1,${record.slice(1)}` });
  });
}
