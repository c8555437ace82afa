// Autosave: what is saved when, who waits for it, and what a failure does.
import { expect, test } from "vitest";
import {
  type Engine,
  type ErrorEvent,
  type OpenSessionOptions,
  recordRun,
  type StoredSession,
  type Tool,
} from "../../../src/index.js";
import { openEngine, rejection } from "../../support/engine.js";
import { gate } from "../../support/gate.js";
import { MemoryStore, messagesIn } from "../../support/memory-store.js";
import { asks, expectWhole, tools, weather } from "../../support/sessions.js";

const options = { tools, temperature: 0 };
const script = [asks("Oslo"), asks("Rome"), asks("Bern", "Graz"), "All cold.", "Still cold."];

async function open(
  more: OpenSessionOptions = {},
  engineOptions: Parameters<typeof openEngine>[1] = {},
): Promise<{ engine: Engine; store: MemoryStore; session: StoredSession }> {
  const store = new MemoryStore();
  const engine = await openEngine(script, { sessionStore: store, ...engineOptions });
  return { engine, store, session: await engine.sessions.open({ ...options, id: "a", autosave: true, ...more }) };
}

/** The texts of the messages. */
const said = (record: string): string[] => messagesIn(record).map(({ content }) => content);

test("each iteration is saved with everything said up to it, and never a call without its result", async () => {
  const { engine, store, session } = await open();
  expect(store.saved.map(({ messages }) => messages)).toEqual([0]);
  const counts: number[] = [];
  engine.hooks.on("loopIteration", async ({ iteration }) => {
    if (iteration === 1) return;
    await session.save(); // waits for the save after the iteration before
    counts.push(store.saved.at(-1)?.messages ?? 0);
  });
  const { text } = await session.run("How is it?");
  expect(text).toBe("All cold.");
  expect(counts).toEqual([3, 5, 8]);
  expect(store.saved.at(-1)?.messages).toBe(9);
  for (const { record } of store.saved) {
    const { conversation } = JSON.parse(record) as {
      conversation: { messages: { tool_calls?: { id: string }[]; tool_call_id?: string }[] };
    };
    const asked = conversation.messages.flatMap(({ tool_calls: made = [] }) => made.map(({ id }) => id));
    expect(conversation.messages.flatMap(({ tool_call_id: id }) => id ?? [])).toEqual(asked);
  }
  expectWhole(session.history());
  expect([session.saveError, session.savedAt]).toEqual([undefined, store.saved.at(-1)?.updatedAt]);
});

test("a slow store does not hold up the run; saves do not overlap, and the next one has the newest state", async () => {
  const { engine, store, session } = await open();
  const [slow, begun] = [gate(), gate()];
  store.before = () => (begun.open(), slow.passed);
  const iterations: number[] = [];
  engine.hooks.on("iterationEnd", ({ iteration }) => void iterations.push(iteration));
  const ended = gate();
  engine.hooks.on("loopEnd", () => ended.open());
  const run = session.run("How is it?");
  let resolved = false;
  void run.then(() => (resolved = true));
  await Promise.all([begun.passed, ended.passed]);
  expect(iterations).toEqual([1, 2, 3, 4]);
  expect([resolved, store.saved.length]).toEqual([false, 1]);
  slow.open();
  await run;
  // The first save began after the first iteration; all others became one.
  expect(store.saved.length).toBeLessThanOrEqual(4);
  expect(store.saved.at(-1)?.messages).toBe(9);
  expect(store.most).toBe(1);
});

test("the run resolves when the store has what it said, with its usage", async () => {
  const { store, session } = await open();
  const { usage } = await session.run("How is it?");
  const record = JSON.parse(store.sessions.get("a")?.record ?? "") as { usage: { completion_tokens: number } };
  expect(record.usage.completion_tokens).toBe(usage.completionTokens);
});

test("a tool that waits for save() before it acts is in the store as interrupted", async () => {
  const seen: unknown[] = [];
  const careful: Tool = {
    ...weather,
    run: async () => {
      await session.save();
      seen.push(
        messagesIn(store.sessions.get("a")?.record ?? "")
          .slice(-2)
          .map(({ content }) => content),
      );
      return "cold";
    },
  };
  const { store, session } = await open({ tools: [careful] });
  await session.run("How is it?");
  expect(seen[0]).toEqual(["One moment.", "not run: the session was interrupted"]);
  expect(messagesIn(store.sessions.get("a")?.record ?? "")[2]?.content).toBe("cold");
});

test("a call that waits for an answer is stored; the run that continues in another engine is saved, and so is a rewind", async () => {
  const { engine, store, session } = await open();
  session.hooks.on("permissionCheck", () => ({ defer: true, waitsFor: "Ada" }));
  expect((await session.run("How is it?")).finishReason).toBe("waiting");
  await engine.close();

  const other = await openEngine([asks("Oslo"), "All cold."], { sessionStore: store });
  const later = await other.sessions.resume("a", { ...options, autosave: true });
  const [{ id = "" } = {}] = later.waiting;
  const { text } = await later.resume({ [id]: "allow" });
  expect(text).toBe("All cold.");
  expect(said(store.saved.at(-1)?.record ?? "")).toEqual(["How is it?", "One moment.", "Oslo: 4 degrees", "All cold."]);
  later.rewind(null);
  await later.save();
  expect(store.saved.at(-1)?.messages).toBe(0);
  const { fence = 0 } = store.leases.get("a") ?? {};
  await store.acquire("a", { holder: "another", ttlMs: 60_000, dead: fence });
  later.queue("more");
  expect(await rejection(later.save())).toMatchObject({ code: "SESSION_LOST" });
  expect(await rejection(later.resume({ [id]: "allow" }))).toMatchObject({ code: "SESSION_LOST" });
});

test("saves never go backwards", async () => {
  const { store, session } = await open();
  let turn = 0;
  store.before = () => new Promise((resolve) => (turn++ % 2 === 0 ? setImmediate(resolve) : process.nextTick(resolve)));
  for (const question of ["a", "b"]) {
    const run = session.run(question);
    const saves = [session.save(), session.save()];
    await Promise.all([run, ...saves]);
  }
  const counts = store.saved.map(({ messages }) => messages);
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  const times = store.saved.map(({ updatedAt }) => updatedAt);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(store.most).toBe(1);
});

test("queued messages, compactions and the close are saved; without a change nothing is", async () => {
  const { store, session } = await open();
  session.queue("And Bern?");
  await session.save();
  expect(JSON.parse(store.saved.at(-1)?.record ?? "")).toMatchObject({ queued: [{ content: "And Bern?" }] });
  await session.run("How is it?");
  await session.compact({ strategy: "truncate" });
  expect(said(store.saved.at(-1)?.record ?? "")).toEqual(session.history().map(({ content }) => content));
  expect(said(store.saved.at(-1)?.record ?? "").some((content) => content.includes("left out"))).toBe(true);
  const { length } = store.saved;
  await session.save();
  await session.close();
  expect(store.saved.length).toBe(length);
  expect(store.leases.get("a")?.expiresAt).toBe(0);
});

test("without autosave only save() saves", async () => {
  const { store, session } = await open({ autosave: false });
  await session.run("How is it?");
  expect(store.saved).toEqual([]);
  await session.save();
  expect(store.saved.length).toBe(1);
  await session.run("And now?");
  await session.close();
  expect(store.saved.length).toBe(1);
});

test("a run that is cancelled by the close of its session, or of the engine, is saved as far as it came", async () => {
  for (const which of ["session", "engine"] as const) {
    const begun = gate();
    const hangs: Tool = {
      ...weather,
      run: (_, { signal }) => {
        begun.open();
        return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
      },
    };
    const { engine, store, session } = await open({ tools: [hangs] });
    const run = session.run("How is it?");
    const result = run.then(({ finishReason }) => finishReason);
    await begun.passed;
    await (which === "session" ? session : engine).close();
    expect(await result).toBe("cancelled");
    const [question, call, ...results] = messagesIn(store.sessions.get("a")?.record ?? "");
    expect([question?.content, call?.content, results.length]).toEqual(["How is it?", "One moment.", 1]);
    expect(store.leases.get("a")?.expiresAt).toBe(0);
  }
});

test("a failing store costs no result: error fires, the session tells, and the next save has everything", async () => {
  const { engine, store, session } = await open();
  const errors: ErrorEvent[] = [];
  const reported = gate();
  engine.hooks.on("error", (event) => {
    errors.push(event);
    reported.open();
  });
  const cause = new Error("the disk is full");
  store.before = () => Promise.reject(cause);
  const { text, finishReason } = await session.run("How is it?");
  expect([text, finishReason]).toEqual(["All cold.", "complete"]);
  const message = 'the session store (memory): save("a") failed: the disk is full';
  expect(session.saveError).toMatchObject({ code: "SESSION_STORE_FAILED", message, cause });
  await reported.passed;
  expect(errors[0]).toMatchObject({
    code: "SESSION_STORE_FAILED",
    message,
    where: "save",
    recoverable: true,
    meta: { sessionId: "a" },
  });
  expect(await rejection(session.save())).toMatchObject({ code: "SESSION_STORE_FAILED", cause });
  store.before = () => undefined;
  await session.save();
  expect([session.saveError, store.saved.at(-1)?.messages]).toEqual([undefined, 9]);
});

test.each(["session", "engine"] as const)(
  "a last save that fails is reported by the close of the %s, which is closed",
  async (which) => {
    const { engine, store, session } = await open();
    await session.run("How is it?");
    store.before = () => Promise.reject(new Error("gone"));
    session.queue("more");
    expect(await rejection((which === "session" ? session : engine).close())).toMatchObject({
      code: "SESSION_STORE_FAILED",
    });
    expect(await rejection(session.run("a"))).toMatchObject({ code: which === "session" ? "NOT_FOUND" : "CLOSED" });
    expect(store.leases.get("a")?.expiresAt).toBe(0);
    if (which === "engine") await engine.close();
  },
);

test("a store that fails at open is an error of open(), and the id is free again", async () => {
  const store = new MemoryStore();
  store.before = () => Promise.reject(new Error("no"));
  const engine = await openEngine(script, { sessionStore: store });
  expect(await rejection(engine.sessions.open({ id: "a", autosave: true }))).toMatchObject({
    code: "SESSION_STORE_FAILED",
  });
  store.before = () => undefined;
  expect((await engine.sessions.open({ id: "a", autosave: true })).id).toBe("a");
});

test("a store that does not answer holds up a run only so long, and never gets two saves at once", async () => {
  const { store, session } = await open({}, { sessionStoreTimeoutMs: 100 });
  const held = gate();
  store.before = () => held.passed;
  const { text } = await session.run("How is it?");
  expect(text).toBe("All cold.");
  const late = {
    code: "SESSION_STORE_FAILED",
    message: 'the session store (memory): save("a") took longer than 100 ms',
  };
  expect(session.saveError).toMatchObject(late);
  expect(await rejection(session.save())).toMatchObject(late);
  held.open();
  while (session.saveError !== undefined) await session.save().catch(() => undefined);
  expect([store.most, store.saved.at(-1)?.messages]).toEqual([1, 9]);
});

test("a lease that another has taken stops the run, refuses the next, and overwrites nothing", async () => {
  const { engine, store, session } = await open();
  const errors: ErrorEvent[] = [];
  const reported = gate();
  engine.hooks.on("error", (event) => {
    errors.push(event);
    reported.open();
  });
  engine.hooks.on("iterationEnd", async ({ iteration }) => {
    if (iteration !== 2) return;
    const { fence = 0 } = store.leases.get("a") ?? {};
    await store.acquire("a", { holder: "another", ttlMs: 60_000, dead: fence });
    await session.save().catch(() => undefined);
  });
  const before = (): number => store.saved.length;
  const result = await session.run("How is it?");
  const message = "another process has taken over the stored session a";
  expect(result).toMatchObject({ finishReason: "cancelled", cancel: { by: "caller", reason: message } });
  const lost = { code: "SESSION_LOST", message };
  expect(session.saveError).toMatchObject(lost);
  await reported.passed;
  expect(errors).toMatchObject([lost]);
  const saved = before();
  expect(await rejection(session.run("More"))).toMatchObject(lost);
  expect(await rejection(session.save())).toMatchObject(lost);
  expect(await rejection(session.compact())).toMatchObject(lost);
  await session.close();
  expect(store.saved.length).toBe(saved);
  expect(store.leases.get("a")).toMatchObject({ holder: "another" });
});

test("a session can be closed by its tool, and recorded", async () => {
  const { store, session } = await open({
    tools: [{ ...weather, run: () => session.close() }],
  });
  const recording = recordRun(session);
  const result = await session.run("How is it?");
  expect(result.finishReason).toBe("cancelled");
  await session.close();
  expect(messagesIn(store.sessions.get("a")?.record ?? "").length).toBeGreaterThan(0);
  expect(recording.toJSON().options).not.toHaveProperty("id");
});

test("a close that a hook may not make is refused, and the session continues and is saved", async () => {
  const { engine, store, session } = await open();
  const refused: unknown[] = [];
  const hook = engine.hooks.on("postToolCall", async () => void refused.push(await rejection(session.close())));
  expect((await session.run("How is it?")).text).toBe("All cold.");
  expect(refused[0]).toMatchObject({ code: "REENTRANT" });
  hook.dispose();
  expect((await session.run("More?")).text).toBe("Still cold.");
  await session.close();
  expect(store.saved.at(-1)?.messages).toBe(11);
});

test("clearing hooks does not end the autosave, and the user's hooks see no hook more", async () => {
  const { engine, store, session } = await open();
  session.hooks.clear();
  engine.hooks.clear();
  await session.run("How is it?");
  expect(store.saved.at(-1)?.messages).toBe(9);
  expect([session.hooks.list(), engine.hooks.list()]).toEqual([[], []]);
});
