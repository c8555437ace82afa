// A rewound session has the state of that message: anchors, todos, phase, tier, permissions, and what compactions had
// done until then.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { folderStore, type Message, type Session, type SessionOptions } from "../../src/index.js";
import { openEngine, rejection, tempDir } from "../support/engine.js";
import { asks, calls, directs, expectWhole, reads, story, weather } from "../support/sessions.js";

const anchor = (content: string) =>
  calls("directs", { directives: [{ type: "context_anchor", params: { key: "k", content } }] });
const tier = (name: string) => calls("directs", { directives: [{ type: "tier_change", params: { tier: name } }] });
const todo = (content: string) => calls("todo", { todos: [{ content, status: "pending" }] });
const phase = (name: string) => calls("phase_change", { phase: name });

const toFirst = [anchor("v1"), todo("one"), phase("write"), asks("Oslo"), "First."];
const script = [...toFirst, anchor("v2"), todo("two"), phase("check"), tier("coder"), "Second."];
const options = {
  tools: [directs, weather],
  temperature: 0,
  tier: "lead",
  controlTools: ["todo", "phase_change"],
  phases: { write: {}, check: {} },
  tiers: { lead: {}, coder: {} },
  permissions: [{ ask: "weather" }, { allow: "*" }],
} satisfies SessionOptions;

const idOf = (message: Message | undefined): string => message?.id ?? "none";
const contents = (session: Session, compacted = true): string[] =>
  session.history({ compacted }).flatMap(({ role, content }) => (role === "user" ? content : []));

interface State {
  readonly tier: string;
  readonly phase: string;
  readonly todos: string[];
  readonly anchors: string[];
  readonly remembered: number;
}

/** As a saved session has it. */
async function stateOf(session: Session): Promise<State> {
  const file = path.join(await tempDir(), "session.json");
  await session.save(file);
  const saved = JSON.parse(await readFile(file, "utf8")) as Record<string, unknown>;
  const own = saved["conversation"] as {
    tier: string;
    phase: string;
    todos: { content: string }[];
    anchors: Record<string, number>;
    messages: { content: string }[];
  };
  return {
    tier: own.tier,
    phase: own.phase,
    todos: own.todos.map(({ content }) => content),
    anchors: Object.values(own.anchors).map((place) => own.messages[place]?.content ?? ""),
    remembered: (saved["remembered"] as unknown[]).length,
  };
}

const begin: State = { tier: "lead", phase: "", todos: [], anchors: [], remembered: 0 };
const first: State = { tier: "lead", phase: "write", todos: ["one"], anchors: ["v1"], remembered: 1 };
const second: State = { tier: "coder", phase: "check", todos: ["two"], anchors: ["v2"], remembered: 1 };

async function talked() {
  const scripts = [{ when: "earlier messages", replies: ["Short."] }];
  const engine = await openEngine({ replies: [...script, "Third."], afterLast: "repeat", scripts });
  const session = engine.session(options);
  session.hooks.on("permissionCheck", ({ permission }) =>
    permission === "ask" ? { permission: "allow", remember: "tool" } : undefined,
  );
  const one = await session.run("a");
  const two = await session.run("b");
  return { engine, session, one: one.messages, two: two.messages };
}

describe("what rewind() and fork({ at }) restore", () => {
  test("at the end of each run, and at its message", async () => {
    const { session, one, two } = await talked();
    expect(await stateOf(session)).toEqual(second);
    for (const at of [idOf(one.at(-1)), idOf(two[0])]) expect(await stateOf(session.fork({ at })), at).toEqual(first);
    expect(await stateOf(session.fork({ at: idOf(two.at(-1)) }))).toEqual(second);
    expect(await stateOf(session.fork({ at: idOf(one[0]) }))).toEqual(begin);
  });

  test("at each step of a run: a result has what its call has set", async () => {
    const { session, one } = await talked();
    const seen: [string, State][] = [];
    for (const message of one) {
      if (message.toolCalls !== undefined) continue; // it is not separated from its results
      seen.push([`${message.role}: ${message.content}`, await stateOf(session.fork({ at: idOf(message) }))]);
    }
    expect(seen).toEqual([
      ["user: a", begin],
      ["tool: directed", begin],
      ["user: v1", { ...begin, anchors: ["v1"] }],
      ["tool: [ ] one", { ...begin, anchors: ["v1"], todos: ["one"] }],
      ["tool: the phase is write", { ...first, remembered: 0 }],
      ["tool: Oslo: 4 degrees", first],
      ["assistant: First.", first],
    ]);
  });

  test("a replaced anchor is shown again where it was, and the later one is gone", async () => {
    const { session, two } = await talked();
    expect(contents(session)).toEqual(["a", "b", "v2"]);
    const fork = session.fork({ at: idOf(two[0]) });
    expect(contents(fork)).toEqual(["a", "v1", "b"]);
    expectWhole(fork.history());
    expect(fork.history()).toEqual(fork.history({ compacted: false }));
  });

  test("over a saved session, twice in a row, forward again, and to the beginning", async () => {
    const { engine, session, one, two } = await talked();
    const file = path.join(await tempDir(), "session.json");
    await session.save(file);
    const later = engine.restoreSession(file, options);
    later.rewind(idOf(two[0]));
    expect(await stateOf(later)).toEqual(first);
    later.rewind(idOf(one[0]));
    expect(await stateOf(later)).toEqual(begin);
    const again = await later.run("c"); // the script continues by the number of answers so far
    expect(again.finishReason).toBe("complete");
    expectWhole(later.history());
    later.rewind(null);
    expect([await stateOf(later), later.history({ compacted: false })]).toEqual([begin, []]);
    expect(await stateOf(session)).toEqual(second);
  });
});

test("forward again: what is set after going back is what the session goes back to later", async () => {
  const { session, one } = await talked();
  session.rewind(idOf(one[0]));
  const again = await session.run("again"); // answers are counted from there
  const state = await stateOf(session);
  const end = idOf(again.messages.at(-1));
  await session.run("and on");
  session.rewind(end);
  expect(await stateOf(session)).toEqual(state);
  expect(session.history().at(-1)?.id).toBe(end);
});

test("a stored session that was resumed goes back, too", async () => {
  const folder = await tempDir();
  const engine = await openEngine({ replies: script, afterLast: "repeat" }, { sessionStore: folderStore(folder) });
  const session = await engine.sessions.open({ ...options, id: "s", autosave: true });
  const one = await session.run("a").then(({ messages }) => messages, String);
  expect(Array.isArray(one)).toBe(true);
  await session.run("b");
  await session.close();
  const later = await engine.sessions.resume("s", options);
  later.rewind(idOf((one as Message[]).at(-1)));
  expect((await stateOf(later)).anchors).toEqual(["v1"]);
  expect(contents(later)).toEqual(["a", "v1"]);
});

describe("after a compaction", () => {
  async function compacted() {
    const all = await talked();
    const before = all.session.history();
    expect(await all.session.compact({ strategy: "truncate" })).toMatchObject({ compacted: true });
    return { ...all, before };
  }

  test("a message from before it is whole again, and so is all before it", async () => {
    const { session, one, two } = await compacted();
    expect(contents(session)).toEqual(["a", expect.stringMatching(/left out/), "b", "v2"]);
    session.rewind(idOf(two[0]));
    expect(contents(session)).toEqual(["a", "v1", "b"]);
    expect(session.history().slice(0, one.length)).toEqual(one);
    expect(await stateOf(session)).toEqual(first);
    expect((await session.compact({ strategy: "truncate" })).summary).toBe(
      `[${one.filter(({ role }) => role !== "user").length} earlier messages were left out]`,
    );
  });

  test("a message from after it leaves it as it is", async () => {
    const { session } = await compacted();
    const { messages } = await session.run("c");
    const shown = session.history();
    await session.run("d");
    session.rewind(idOf(messages.at(-1)));
    expect(session.history()).toEqual(shown);
    expect(await stateOf(session)).toEqual(second);
  });

  test("the note has an id, to which the session can go back", async () => {
    const { engine, session } = await compacted();
    const note = session.history().find(({ origin }) => origin === "engine");
    expect(note?.id).toMatch(/^msg_/);
    const file = path.join(await tempDir(), "session.json");
    await session.save(file);
    for (const later of [session.fork(), engine.restoreSession(file, options), session]) {
      later.rewind(idOf(note));
      expect(later.history().at(-1)).toEqual(note);
      expect((await later.run("again")).finishReason).toBe("complete");
      expectWhole(later.history());
      expectWhole(later.history({ compacted: false }));
    }
  });

  test("results that were shortened keep their ids, are whole again, and can be shortened anew", async () => {
    const engine = await openEngine({ replies: [calls("long"), "One.", "Two."], afterLast: "repeat" });
    const long = { ...weather, name: "long", parameters: { type: "object" }, run: () => "x".repeat(2000) } as const;
    const session = engine.session({ tools: [long], temperature: 0 });
    await session.run("a");
    const { messages } = await session.run("b");
    const before = session.history();
    await session.compact({ strategy: "tool-results" });
    expect(session.history().map(idOf)).toEqual(before.map(idOf));
    expect(session.history()[2]?.content).toMatch(/shortened\]$/);
    session.rewind(idOf(messages[0]));
    expect(session.history()).toEqual(before.slice(0, -1));
    await session.compact({ strategy: "tool-results" });
    expect(session.history()[2]?.content).toMatch(/shortened\]$/);
  });
});

test("a tier that the session has no more is named, and nothing changes", async () => {
  const { session, one } = await talked();
  session.setTiers({ coder: {} });
  const before = session.history();
  expect(await rejection((async () => session.rewind(idOf(one[0])))())).toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringMatching(/unknown tier lead/) as string,
  });
  expect(session.history()).toEqual(before);
});

test("a pruned result is whole again where the session goes back behind it, and a compaction before it stays", async () => {
  const prune = calls("directs", { directives: [{ type: "prune_messages", params: { keep_last: 0 } }] });
  const engine = await openEngine({
    replies: ["One.", "Two."],
    scripts: [{ when: "earlier messages", replies: [calls("reads"), "Three.", prune, "Four.", prune, "Five."] }],
  });
  const session = engine.session({ tools: [directs, reads], temperature: 0 });
  for (const input of ["a", "b"]) await session.run(input);
  expect(await session.compact({ strategy: "truncate" })).toMatchObject({ compacted: true });
  const three = await session.run("c");
  const before = session.history();
  const four = await session.run("d");
  await session.run("e");
  const result = (of: Session): string => of.history().find(({ role }) => role === "tool")?.content ?? "";
  expect(result(session)).toMatch(/^\[result of reads/);
  const later = session.fork({ at: idOf(four.messages[0]) }) as Session;
  expect(result(later)).toBe(story);
  expect(later.history().slice(0, -1)).toEqual(before);
  const file = path.join(await tempDir(), "session.json");
  await session.save(file);
  const restored = engine.restoreSession(file, { tools: [directs, reads], temperature: 0 }) as Session;
  restored.rewind(idOf(three.messages.at(-1)));
  expect(restored.history()).toEqual(before);
});
