// Stored sessions whose calls waited: the store knows that they go on before one of them runs.
import { expect, test } from "vitest";
import type { Session, Tool } from "../../../src/index.js";
import { openEngine, tempDir } from "../../support/engine.js";
import { MemoryStore, messagesIn } from "../../support/memory-store.js";
import { asks, weather } from "../../support/sessions.js";

function watched(store: MemoryStore) {
  const seen: string[] = [];
  const watching: Tool = {
    ...weather,
    run: ({ city }: { city: string }) => {
      const record = store.sessions.get("a")?.record ?? "{}";
      seen.push(`${"waiting" in (JSON.parse(record) as object)} ${messagesIn(record).at(-1)?.content}`);
      return `${city}: cold`;
    },
  };
  return { seen, watching };
}

async function open() {
  const store = new MemoryStore();
  const { seen, watching } = watched(store);
  const engine = await openEngine([asks("Oslo"), "All cold."], { sessionStore: store });
  const session = await engine.sessions.open({ id: "a", autosave: true, tools: [watching], temperature: 0 });
  const asked = session.hooks.on("permissionCheck", () => ({ defer: true }));
  await session.run("How is it?");
  asked.dispose();
  const [{ id = "" } = {}] = session.waiting;
  return { store, session, seen, id };
}

test("a list says who is waited for, by the same ids over restarts, until somebody has answered", async () => {
  const folder = await tempDir();
  const { watching } = watched(new MemoryStore());
  let waiting: Session["waiting"] = [];
  for (let start = 0; start < 3; ++start) {
    const engine = await openEngine([asks("Oslo"), "All cold."], { sessionStore: folder });
    const { sessions } = engine;
    const options = { autosave: true, tools: [watching], temperature: 0 };
    const listed = await sessions.list();
    if (start > 0) expect(listed).toMatchObject([{ id: "a", waiting }]);
    const session = start === 0 ? await sessions.open({ ...options, id: "a" }) : await sessions.resume("a", options);
    if (start === 0) {
      session.hooks.on("permissionCheck", () => ({ defer: true, waitsFor: "ada", reason: "costly" }));
      await session.run("How is it?");
      ({ waiting } = session);
      expect(waiting).toMatchObject([{ name: "weather", args: { city: "Oslo" }, waitsFor: "ada", reason: "costly" }]);
    }
    expect(await sessions.list()).toMatchObject([{ id: "a", waiting }]);
    if (start === 2) {
      await session.resume({ [waiting[0]?.id ?? ""]: "allow" });
      expect((await sessions.list())[0]).not.toHaveProperty("waiting");
    }
    await engine.close();
  }
});

test("the store has the calls as interrupted ones before they run", async () => {
  const { store, session, seen, id } = await open();
  expect(JSON.parse(store.saved.at(-1)?.record ?? "{}")).toHaveProperty("waiting");
  expect(await session.resume({ [id]: "allow" })).toMatchObject({ finishReason: "complete", text: "All cold." });
  expect(seen).toEqual(["false not run: the session was interrupted"]);
});

test("if the store fails, the run is cancelled, no call runs, and they wait on", async () => {
  const { store, session, seen, id } = await open();
  store.before = () => Promise.reject(new Error("the disk is full"));
  const result = await session.resume({ [id]: "allow" });
  expect(result).toMatchObject({ finishReason: "cancelled" });
  expect(result.cancel?.reason).toContain("the disk is full");
  expect([seen, session.waiting.map((call) => call.id)]).toEqual([[], [id]]);
  store.before = () => undefined;
  expect(await session.resume({ [id]: "allow" })).toMatchObject({ finishReason: "complete" });
  expect(seen).toHaveLength(1);
});
