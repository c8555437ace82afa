// Texts that hooks, tools and the engine add to a conversation: who has added them, how long they may be, and what
// happens to them if the conversation is too long for the context.
import path from "node:path";
import { describe, expect, test } from "vitest";
import { cancel, type Engine, type Message, type SessionOptions } from "../../src/index.js";
import { openEngine, rejection, tempDir } from "../support/engine.js";
import { asks, calls, directs, expectWhole, tools } from "../support/sessions.js";

const filler = "It was a dark and stormy night in the north. ";
const origins = (messages: readonly Message[]): string[] =>
  messages.filter(({ role }) => role === "user").map(({ origin, content }) => `${origin ?? "user"}: ${content}`);
const added = (messages: readonly Message[]): Message[] =>
  messages.filter(({ origin }) => origin !== undefined && origin !== "anchor");

test("the history says who has added a message; a saved session and a fork know it", async () => {
  const inject = { type: "inject_context", params: { content: "by a tool" } };
  const anchor = { type: "context_anchor", params: { key: "k", content: "an anchor" } };
  const engine = await openEngine([calls("directs", { directives: [inject, anchor] }), "One.", "Two."]);
  const options = { tools: [directs], temperature: 0 };
  const session = engine.session(options);
  session.hooks.on("userMessage", () => ({ additionalContext: ["at userMessage"] }));
  session.hooks.on("preToolCall", () => ({ additionalContext: ["at preToolCall"] }));
  session.hooks.on("postToolCall", () => ({ additionalContext: ["at postToolCall"] }));
  session.hooks.on("contextAssemble", ({ meta }) =>
    meta.iteration === 1 ? { inject: [{ content: "durable", durable: true }, { content: "for one call" }] } : undefined,
  );
  session.hooks.on("iterationEnd", ({ iteration }) => (iteration === 2 ? { continue: "go on" } : undefined));
  const { messages } = await session.run("Hello");
  const expected = [
    "user: Hello",
    "hook: at userMessage",
    "hook: durable",
    "anchor: an anchor",
    "hook: at preToolCall",
    "hook: at postToolCall",
    "tool: by a tool",
    "hook: go on",
  ];
  expect(origins(messages).toSorted()).toEqual(expected.toSorted());
  expect(origins(session.history())).toEqual(origins(messages));
  const file = path.join(await tempDir(), "session.json");
  await session.save(file);
  for (const later of [engine.restoreSession(file, options), session.fork()])
    expect(later.history()).toEqual(session.history());
  expect(engine.session({ history: session.history() }).history()).toEqual(session.history());
});

test("what the engine sends back, and what a plan came to, are the engine's", async () => {
  const engine = await openEngine([
    "Done.",
    calls("complete", { summary: "Bad." }),
    calls("complete", { summary: "Good." }),
  ]);
  const session = engine.session({ tools, temperature: 0, explicitCompletion: true, controlTools: ["complete"] });
  session.hooks.on("complete", ({ summary }) => (summary === "Bad." ? cancel("not yet") : undefined));
  const plan = { flow: "sequence", steps: [{ name: "a", tool: "clock" }] } as const;
  const { messages, finishReason } = await session.run("Go", { plan });
  expect(finishReason).toBe("complete");
  expect(origins(messages).map((text) => text.split(/[[\]]/)[0] + (text.match(/\[[A-Z a-z]+/)?.[0] ?? ""))).toEqual([
    "user: Go",
    "engine: [plan succeeded",
    "engine: [NOT COMPLETE",
    "engine: [CITATION VALIDATION",
  ]);
});

test("who has added a message is one of four words, and of a user message only", async () => {
  const engine = await openEngine(["Hi."]);
  const open = (message: object) => rejection((async () => engine.session({ history: [message] as never }))());
  expect(await open({ role: "user", content: "a", origin: "me" })).toMatchObject({
    code: "INVALID_MESSAGES",
    message: expect.stringMatching(/origin "me" \(hook, tool, engine, anchor\)/) as string,
  });
  expect(await open({ role: "assistant", content: "a", origin: "hook" })).toMatchObject({ code: "INVALID_MESSAGES" });
});

/** A model that continues for that many iterations, and hooks that add a text at each. */
async function longRun(compaction: NonNullable<SessionOptions["compaction"]>, hook: (engine: Engine) => void) {
  const rounds = 25;
  const engine = await openEngine(
    {
      replies: [...Array.from({ length: rounds }, (_, i) => asks(`City ${i}`)), "Done."],
      scripts: [{ when: "Summarise the conversation", replies: ["Short."] }],
    },
    { contextSize: compaction === "tool-results" ? 6144 : 2560 }, // calls and their results stay there
  );
  hook(engine);
  const session = engine.session({ tools, temperature: 0, maxIterations: rounds, compaction, maxIdenticalCalls: 100 });
  const result = await session.run("Go");
  return { engine, session, result };
}

describe.each(["summarize", "truncate", "tool-results"] as const)("with the strategy %s", (compaction) => {
  const text = (n: number): string => `note ${n}: ${filler.repeat(8)}`;

  test("a long run continues though a hook adds a text at every iteration", async () => {
    let n = 0;
    const { session, result } = await longRun(compaction, (engine) => {
      engine.hooks.on("postToolCall", () => ({ additionalContext: [text(n++)] }));
    });
    expect([result.finishReason, result.limit]).toEqual(["limit", "maxIterations"]);
    const shown = added(session.history());
    const all = added(session.history({ compacted: false }));
    expect(all).toHaveLength(n);
    expect(shown.length).toBeLessThan(n);
    // The oldest are dropped first, so the newest stay.
    const kept = shown.filter(({ origin }) => origin === "hook").map(({ content }) => content);
    expect(kept).toEqual(all.slice(all.length - kept.length).map(({ content }) => content));
    expect(kept.length).toBeGreaterThan(0);
    expect(origins(session.history())[0]).toBe("user: Go");
    expectWhole(session.history());
  });

  test("and so it does with texts that are durable", async () => {
    const durable = await longRun(compaction, (engine) => {
      engine.hooks.on("contextAssemble", ({ meta }) => ({
        inject: [{ content: `${meta.iteration}: ${filler.repeat(8)}`, durable: true }],
      }));
    });
    expect(durable.result.limit).toBe("maxIterations");
  });
});

test("a loop of `continue` continues, and so does one of [NOT COMPLETE]", async () => {
  const engine = await openEngine({ replies: ["Done."], afterLast: "repeat" }, { contextSize: 2048 });
  const session = engine.session({ temperature: 0, maxIterations: 40, maxContinuations: 40 });
  session.hooks.on("iterationEnd", ({ iteration }) => ({ continue: `${iteration} ${filler.repeat(6)}` }));
  const result = await session.run("Go");
  expect([result.finishReason, result.iterations]).toEqual(["complete", 40]);

  const other = engine.session({
    temperature: 0,
    explicitCompletion: true,
    controlTools: ["complete"],
    maxCompletionRejections: 60,
    maxIterations: 60,
  });
  const sent = await other.run("Go");
  expect(sent.limit).toBe("maxIterations");
});

test("compact() mends a session that is full of added texts", async () => {
  const engine = await openEngine({ replies: ["Yes."], afterLast: "repeat" }, { contextSize: 2048 });
  const session = engine.session({ temperature: 0, compaction: "off" });
  session.hooks.on("userMessage", () => ({ additionalContext: [filler.repeat(20)] }));
  let failed: unknown;
  for (let i = 0; i < 20 && failed === undefined; i++)
    failed = await session.run("Go").then(
      () => undefined,
      (e) => e,
    );
  expect(failed).toMatchObject({ code: "PROMPT_TOO_LONG" });
  expect(await session.compact({ strategy: "truncate" })).toMatchObject({ compacted: true });
  expect((await session.run("Go")).text).toBe("Yes.");
});

test("what the user said stays, and a text that the model has not answered yet is cut, not dropped", async () => {
  const engine = await openEngine({ replies: ["One."], afterLast: "repeat" }, { contextSize: 2048 });
  const session = engine.session({ temperature: 0, controlTools: ["context_inspect"] });
  await session.run("First");
  session.hooks.on("userMessage", () => ({ additionalContext: [filler.repeat(400)] }));
  expect((await session.run("Second")).finishReason).toBe("complete");
  expect(origins(session.history())).toEqual(expect.arrayContaining(["user: First", "user: Second"]));
  const text = added(session.history()).find(({ origin }) => origin === "hook");
  expect(text?.content).toMatch(
    /^It was a dark.*\n\[shortened: \d+ of \d+ bytes; context_inspect gives the rest: msg_\w+\]$/s,
  );
  const whole = session.history({ compacted: false }).find(({ id }) => id === text?.id);
  expect(whole?.content).toBe(filler.repeat(400));
});

test("anchors stay when a conversation with many added texts is compacted", async () => {
  const anchor = { type: "context_anchor", params: { key: "k", content: "an anchor" } };
  const engine = await openEngine([calls("directs", { directives: [anchor] }), "One.", "Two."]);
  const session = engine.session({ tools: [directs], temperature: 0 });
  session.hooks.on("postToolCall", () => ({ additionalContext: [filler, filler] }));
  await session.run("Go");
  await session.compact({ strategy: "truncate" });
  expect(origins(session.history()).map((one) => one.replace(/\d+/, "N"))).toEqual([
    "user: Go",
    "engine: [N earlier messages were left out]",
    "anchor: an anchor",
  ]);
});

test("a text over maxResultBytes is cut; the history has the whole, and context_inspect reads it on", async () => {
  const whole = "0123456789".repeat(100);
  let id = "";
  const engine = await openEngine([calls("clock"), calls("context_inspect", { id: "ID", offset: 990 }), "Done."]);
  const session = engine.session({ tools, temperature: 0, maxResultBytes: 400, controlTools: ["context_inspect"] });
  session.hooks.on("postToolCall", ({ toolName }) =>
    toolName === "clock" ? { additionalContext: [whole] } : undefined,
  );
  session.hooks.on("preGenerate", ({ messages }) => {
    id = /context_inspect gives the rest: (msg_\w+)/.exec(messages.at(-1)?.content ?? "")?.[1] ?? id;
  });
  session.hooks.on("preToolCall", ({ args }) => (args["id"] === "ID" ? { args: { ...args, id } } : undefined));
  const result = await session.run("Go");
  const [shown] = added(result.messages);
  expect(shown?.content).toMatch(
    /^(0123456789){40}\n\[shortened: 400 of 1000 bytes; context_inspect gives the rest: msg_\w+\]$/,
  );
  expect(shown?.id).toBe(id);
  expect(result.toolCalls[1]?.result).toBe("0123456789");
  expect(session.history({ compacted: false }).find((one) => one.id === id)?.content).toBe(whole);
  const file = path.join(await tempDir(), "session.json");
  await session.save(file);
  const later = engine.restoreSession(file, { tools });
  expect(later.history()).toEqual(session.history());
  expect(later.history({ compacted: false })).toEqual(session.history({ compacted: false }));
});

test("messages that a preCompact hook gives back are those that were, and new ones are the hook's", async () => {
  const engine = await openEngine(["One.", "Two.", "Three."]);
  const session = engine.session({ temperature: 0 });
  await session.run("a");
  await session.run("b");
  const before = session.history();
  session.hooks.on("preCompact", ({ messages }) => ({
    strategy: "given",
    messages: [{ role: "user", content: "in short" }, ...messages.slice(-2)],
  }));
  expect(await session.compact()).toMatchObject({ compacted: true });
  const after = session.history();
  expect(after.slice(1)).toEqual(before.slice(-2));
  expect(after[0]).toMatchObject({ origin: "hook", id: expect.stringMatching(/^msg_/) as string });
  session.rewind(after[0]?.id ?? "none");
  expect(session.history()).toEqual([after[0]]);
});

test.each(["summarize", "truncate", "tool-results"] as const)(
  "with the strategy %s no two answers stand side by side where a text between them went",
  async (compaction) => {
    const scripts = [{ when: "Summarise the conversation", replies: ["Short."] }];
    const engine = await openEngine({ replies: ["Done."], afterLast: "repeat", scripts }, { contextSize: 2048 });
    const session = engine.session({ temperature: 0, maxIterations: 40, maxContinuations: 40, compaction });
    session.hooks.on("iterationEnd", ({ iteration }) => ({ continue: `${iteration} ${filler.repeat(6)}` }));
    const shown: string[][] = [];
    session.hooks.on("preGenerate", ({ messages }) => void shown.push(messages.map(({ role }) => role)));
    expect((await session.run("Go")).iterations).toBe(40);
    for (const roles of shown) expect(roles.join(" ")).not.toContain("assistant assistant");
    expect(origins(session.history())[0]).toBe("user: Go");
  },
);

test("what is kept nowhere is not promised: a text of a preCompact hook that is cut", async () => {
  const engine = await openEngine({ replies: ["One."], afterLast: "repeat" }, { contextSize: 2048 });
  const session = engine.session({ temperature: 0, controlTools: ["context_inspect"] });
  await session.run("First");
  session.hooks.on("userMessage", () => ({ additionalContext: [`said ${filler.repeat(400)}`] }));
  session.hooks.on("preCompact", ({ messages }) => ({
    messages: [...messages, { role: "user", content: `hook ${filler.repeat(400)}` }],
  }));
  let shown = "";
  session.hooks.on("preGenerate", ({ messages }) => {
    shown = messages.map(({ content }) => content).join("\n");
  });
  await session.run("Second");
  expect(shown).toMatch(/said [^[]*\[shortened: \d+ of \d+ bytes; context_inspect gives the rest: msg_\w+\]/);
  expect(shown).toMatch(/hook [^[]*\[shortened: \d+ of \d+ bytes\]$/);
});
