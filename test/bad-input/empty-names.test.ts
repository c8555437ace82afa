// An empty text is not an id or a name: it is refused, and never treated as left out.
import { describe, expect, test } from "vitest";
import { type Engine, folderStore, type Session, type SessionStore, tool } from "../../src/index.js";
import { openEngine, rejection, tempDir } from "../support/engine.js";

type Ask = (engine: Engine, session: Session) => unknown;

const asks: Record<string, Ask> = {
  "session({ id })": (engine) => engine.session({ id: "" }),
  "session({ model })": (engine) => engine.session({ model: "" }),
  "session({ tier })": (engine) => engine.session({ tier: "" }),
  "session({ tiers: { a: { model } } })": (engine) => engine.session({ tiers: { a: { model: "" } } }),
  "setTiers({ a: { model } })": (_, session) => session.setTiers({ a: { model: "" } }),
  "fork({ at })": (_, session) => session.fork({ at: "" }),
  "rewind()": (_, session) => session.rewind(""),
  "compact({ strategy })": (_, session) => session.compact({ strategy: "" as never }),
  "history: a message's id": (engine) => engine.session({ history: [{ role: "user", content: "a", id: "" }] }),
  "generate({ model })": (engine) => engine.generate("a", { model: "" }),
  "generate({ tier })": (engine) => engine.generate("a", { tier: "" }),
  "generate({ toolChoice })": (engine) => engine.generate("a", { toolChoice: { tool: "" } }),
  "embed({ model })": (engine) => engine.embed(["a"], { model: "" }),
  "rerank({ model })": (engine) => engine.rerank("a", ["b"], { model: "" }),
  "load()": (engine) => engine.models.load("", { path: "x.gguf" }),
  "load({ draftModel })": (engine) => engine.models.load("m", { path: "x.gguf", draftModel: "" }),
  "load({ mainDevice })": (engine) => engine.models.load("m", { path: "x.gguf", mainDevice: "" }),
  "adapters.load({ model })": (engine) => engine.adapters.load("a", { path: "x.gguf", model: "" }),
  "hooks.on({ name })": (engine) => engine.hooks.on("preGenerate", () => undefined, { name: "" }),
  "tool({ origin })": (engine) => engine.session({ tools: [{ ...tool({ name: "t", run: () => "" }), origin: "" }] }),
  "restoreSession()": (engine) => engine.restoreSession(""),
  "sessions.open()": (engine) => engine.sessions.open({ id: "" }),
  "sessions.resume()": (engine) => engine.sessions.resume(""),
  "sessions.delete()": (engine) => engine.sessions.delete(""),
};

describe("an empty text", () => {
  test.each(Object.entries(asks))("%s is refused, and names what is empty", async (_, ask) => {
    const engine = await openEngine(["One."], { sessionStore: folderStore(await tempDir()) });
    const session = engine.session({});
    await session.run("Hello");
    const before = session.history();
    const refused = (await rejection((async () => ask(engine, session))())) as Error & { readonly code?: string };
    expect(refused instanceof TypeError || typeof refused.code === "string", String(refused)).toBe(true);
    expect(refused.code ?? "").toMatch(/^(?:INVALID_(?:ARGUMENT|MESSAGES))?$/);
    expect(refused.message).toMatch(/empty|""|1 to 100/);
    expect(session.history()).toEqual(before);
  });
});

test("a store that gives an empty record: the session is not opened, and nothing is written over it", async () => {
  const inner = folderStore(await tempDir());
  const first = await openEngine(["One."], { sessionStore: inner });
  const session = await first.sessions.open({ id: "s" });
  await session.run("Hello");
  await session.save();
  await session.close();
  const saved: unknown[] = [];
  const emptied: SessionStore = {
    name: inner.name,
    load: async (id) => {
      const found = await inner.load(id);
      return found && { ...found, record: "" };
    },
    save: async (given) => saved.push(given) > 0,
    list: (query) => inner.list(query),
    delete: (id, fence) => inner.delete(id, fence),
    acquire: (id, request) => inner.acquire(id, request),
    renew: (id, fence, ttlMs) => inner.renew(id, fence, ttlMs),
    release: (id, fence) => inner.release(id, fence),
  };
  const engine = await openEngine(["One."], { sessionStore: emptied });
  for (const open of [() => engine.sessions.resume("s"), () => engine.sessions.open({ id: "s" })])
    expect(await rejection(open())).toMatchObject({ code: expect.any(String) as string });
  expect(saved).toEqual([]);
});
