import { expect, test } from "vitest";
import { cancel, type Engine, type Message, type RunEvent, type SessionOptions, tool } from "../../src/index.js";
import { openEngine, rejection } from "../support/engine.js";
import { directs, expectWhole, story } from "../support/sessions.js";

const reads = tool({
  name: "reads",
  parameters: { type: "object", properties: { page: { type: "integer" } } },
  run: () => story,
});
const calls = (page: number) => ({ toolCalls: [{ name: "reads", args: { page } }] });
const options = { tools: [reads], temperature: 0, controlTools: ["context_inspect"] } satisfies SessionOptions;
const note = /^\[\d+ earlier messages were left out\]$/;
const shortened = /^\[result of reads, \d+ tokens, shortened; context_inspect gives it back: call_\S+\]$/;

/** Reads as often as it is asked to; what it says when earlier messages are gone is that. */
const open = (pages: number, contextSize = 1024): Promise<Engine> =>
  openEngine(
    {
      replies: [...Array.from({ length: pages }, (_, page) => calls(page)), "I have read it."],
      afterLast: "repeat",
      scripts: [
        { when: "Summarise the conversation", replies: ["A stormy night."] },
        { when: "earlier messages", replies: ["I have read it."] },
      ],
    },
    { contextSize },
  );

const said = (messages: readonly Message[]): string[] =>
  messages.map(
    ({ role, content }) => `${role}: ${note.test(content) ? "note" : shortened.test(content) ? "stub" : content}`,
  );

test("earlier results are shortened first, and that may be enough; the batch at hand stays", async () => {
  const engine = await open(2, 2048);
  const long = tool({ ...reads, run: ({ page }) => (page === 0 ? story.repeat(3) : story) });
  const session = engine.session({ ...options, tools: [long], compactAt: 0.6 });
  const shown: string[][] = [];
  engine.hooks.on("preGenerate", ({ messages }) => void shown.push(said(messages)));
  const events: unknown[] = [];
  for await (const event of session.run("Read.") as AsyncIterable<RunEvent>)
    if (event.type === "compaction") events.push(event);
  expect(shown[2]).toEqual(["user: Read.", "assistant: ", "tool: stub", "assistant: ", `tool: ${story}`]);
  expect(events).toMatchObject([{ strategy: "summarize", removed: 0, depth: 0 }]);
  const [{ tokensBefore, tokensAfter }] = events as [{ tokensBefore: number; tokensAfter: number }];
  expect(tokensAfter).toBeLessThan(tokensBefore - 100);
  expectWhole(session.history());
});

test("truncate leaves out what is oldest, with a note in its place; what the user said stays", async () => {
  const engine = await open(2);
  const session = engine.session({ ...options, compaction: "truncate", compactAt: 0.5 });
  await session.run("Read.");
  await session.run("Read it again.");
  await session.run("And again.");
  const history = session.history();
  expectWhole(history);
  expect(said(history).filter((text) => text.startsWith("user: "))).toEqual(
    expect.arrayContaining(["user: note", "user: Read.", "user: Read it again.", "user: And again."]),
  );
  const everything = session.history({ compacted: false });
  expect(said(everything).slice(0, 5)).toEqual([
    "user: Read.",
    "assistant: ",
    `tool: ${story}`,
    "assistant: ",
    `tool: ${story}`,
  ]);
  expect(everything.length).toBeGreaterThan(history.length);
  expect(said(everything).join()).not.toContain("note");
  expectWhole(everything);
});

test("summarize: the model writes what stands for it; a second summary takes in the first", async () => {
  const engine = await open(1);
  const asked: string[] = [];
  engine.hooks.on("preGenerate", ({ messages }) => void asked.push(messages.at(-1)?.content ?? ""));
  const session = engine.session(options);
  await session.run("Read.");
  const first = await session.compact();
  expect(first).toMatchObject({ compacted: true, removed: 3, summary: "A stormy night." });
  expect(first.tokensAfter).toBeLessThan(first.tokensBefore);
  expect(said(session.history())).toEqual(["user: Read.", "user: [summary of earlier messages]\nA stormy night."]);
  expect(asked.at(-1)).toMatch(/^Summarise the conversation so far/);
  await session.run("Go on.");
  const second = await session.compact({ instructions: "Name the weather." });
  expect(second).toMatchObject({ compacted: true, removed: 1 });
  expect(asked.at(-1)).toMatch(/Name the weather\.$/);
  expect(said(session.history())).toEqual([
    "user: Read.",
    `user: [summary of earlier messages]\n${second.summary}`,
    "user: Go on.",
  ]);
  expect(session.history({ compacted: false }).length).toBe(6);
});

test("compact() by strategy; with nothing to make smaller it says so", async () => {
  const engine = await open(1);
  const session = engine.session(options);
  expect(await session.compact()).toMatchObject({ compacted: false, removed: 0, summary: "" });
  await session.run("Read.");
  expect(await session.compact({ strategy: "tool-results" })).toMatchObject({ compacted: true, removed: 0 });
  expect(said(session.history())[2]).toBe("tool: stub");
  expect(await session.compact({ strategy: "truncate" })).toMatchObject({
    compacted: true,
    removed: 3,
    summary: "[3 earlier messages were left out]",
  });
  await expect(session.compact({ strategy: "guess" as never })).rejects.toThrow(/strategy must be/);
  await session.close();
  expect(await rejection(session.compact())).toMatchObject({ code: "NOT_FOUND" });
});

test("compact() is refused while a run is under way", async () => {
  const engine = await open(1);
  const session = engine.session(options);
  const refused: unknown[] = [];
  engine.hooks.on("postGenerate", async () => void refused.push(await rejection(session.compact())));
  await session.run("Read.");
  expect(refused[0]).toMatchObject({ code: "SESSION_BUSY" });
});

test("an anchor survives", async () => {
  const anchor = {
    toolCalls: [
      {
        name: "directs",
        args: { directives: [{ type: "context_anchor", params: { key: "goal", content: "The goal is A." } }] },
      },
    ],
  };
  const engine = await openEngine([anchor, "Anchored."]);
  const session = engine.session({ tools: [directs] });
  await session.run("Go.");
  await session.compact({ strategy: "truncate" });
  expect(said(session.history())).toEqual(["user: Go.", "user: note", "user: The goal is A."]);
});

test("compact() does not go before a run that was asked for earlier, also one that waits", async () => {
  const engine = await open(1);
  const session = engine.session({ temperature: 0 });
  const outcome = (promise: PromiseLike<unknown>): Promise<unknown> =>
    Promise.resolve(promise).then(
      () => "done",
      (error: unknown) => (error as { code: string }).code,
    );
  const all = (...promises: readonly PromiseLike<unknown>[]): Promise<unknown[]> => Promise.all(promises.map(outcome));
  expect(await all(session.run("1"), session.compact())).toEqual(["done", "SESSION_BUSY"]);
  expect(await all(session.run("2", { whenBusy: "wait" }), session.compact())).toEqual(["done", "SESSION_BUSY"]);
  const first = session.run("3");
  const second = session.run("4", { whenBusy: "wait" });
  await first;
  expect(await all(second, session.compact())).toEqual(["done", "SESSION_BUSY"]);
  expect(await all(session.compact(), session.run("5"))).toEqual(["done", "SESSION_BUSY"]);
  expect(await all(session.compact(), session.run("6", { whenBusy: "wait" }))).toEqual(["done", "done"]);
});

test("without compaction, and where none helps, the prompt is too long, and the history is as it was", async () => {
  const off = await open(4);
  const session = off.session({ ...options, compaction: "off" });
  expect(await rejection(session.run("Read."))).toMatchObject({ code: "PROMPT_TOO_LONG" });
  const engine = await open(0, 256);
  const second = engine.session({ ...options, controlTools: [], tools: [] });
  await second.run("Hi.");
  const before = second.history();
  expect(await rejection(second.run("long ".repeat(100)))).toMatchObject({ code: "PROMPT_TOO_LONG" });
  expect(second.history()).toEqual(before);
  expect((await second.run("Hi again.")).finishReason).toBe("complete");
});

test("a summary that a hook stops is an error that is reported, and the conversation is as it was", async () => {
  const engine = await open(1);
  const session = engine.session({ ...options, compactAt: 0.05 });
  const errors: string[] = [];
  engine.hooks.on("error", ({ code, message, where }) => void errors.push(`${where} ${code} ${message}`));
  await session.run("Read.");
  engine.hooks.on(
    "preGenerate",
    ({ messages }) => (messages.at(-1)?.content.startsWith("Summarise") ? cancel("no") : undefined),
    { name: "strict" },
  );
  const before = session.history().length;
  const result = await session.run("Go on.");
  expect(result.finishReason).toBe("complete");
  expect(errors.at(-1)).toBe(
    "compact HOOK_CANCELLED the conversation cannot be compacted: the summary: it was stopped by strict: no",
  );
  expect(session.history().length).toBe(before + 2);
  expect(await rejection(session.compact())).toMatchObject({
    code: "HOOK_CANCELLED",
    message: "the summary: it was stopped by strict: no",
    decision: { point: "preGenerate", action: "cancelled", decidedBy: { name: "strict" }, reason: "no" },
  });
});

test("a summary that a hook halts, that a hook fails at, or that the end of the engine cuts off: who stopped it is said", async () => {
  const engine = await open(1);
  const session = engine.session(options);
  await session.run("Read.");
  const before = session.history();
  const halts = engine.hooks.on("postGenerate", () => ({ halt: "enough" }), { name: "strict" });
  expect(await rejection(session.compact())).toMatchObject({
    code: "HOOK_CANCELLED",
    message: "the summary: it was stopped by strict: enough",
    decision: { point: "postGenerate", hooks: [{ name: "strict", fields: ["halt"] }] },
  });
  halts.dispose();
  const cause = new Error("out of order");
  const fails = engine.hooks.on("preGenerate", () => Promise.reject(cause), { failClosed: true });
  expect(await rejection(session.compact())).toMatchObject({
    code: "HOOK_CANCELLED",
    cause,
    decision: { status: "HOOK_FAILED" },
  });
  fails.dispose();
  expect(session.history()).toEqual(before);
  const closes = new Promise<void>((resolve) => {
    engine.hooks.on("preGenerate", () => (resolve(), new Promise<never>(() => undefined)), { deadlineMs: 0 });
  });
  const cut = rejection(session.compact());
  await closes;
  await engine.close();
  expect(await cut).toMatchObject({ code: "CLOSED" });
});

test("what hooks give in the messages' stead is checked", async () => {
  const engine = await open(1);
  const session = engine.session(options);
  await session.run("Read.");
  const orphan = { role: "tool" as const, content: "what?", toolCallId: "call_nobody" };
  const hook = engine.hooks.on("preCompact", ({ messages }) => ({ messages: [...messages.slice(0, 1), orphan] }));
  expect(await rejection(session.compact())).toMatchObject({
    code: "INVALID_MESSAGES",
    message: "after preCompact hooks changed them: messages[1] is the result of no tool call before it",
  });
  hook.dispose();
  engine.hooks.on("postCompact", () => ({ messages: [orphan] }));
  expect(await rejection(session.compact())).toMatchObject({ code: "INVALID_MESSAGES" });
  expect(session.history().length).toBe(4);
});

test("a call that asks again for what was taken is a miss, and next time more of its tool's results is kept", async () => {
  const engine = await openEngine([calls(1), "Read.", calls(1), "Again.", calls(2), "Third."], { contextSize: 2048 });
  const misses: unknown[] = [];
  engine.hooks.on("compactionMiss", ({ toolName, originalSize, compressedSize, boost }) => {
    misses.push({ toolName, originalSize, whole: compressedSize < originalSize, boost });
  });
  const session = engine.session(options);
  await session.run("Read.");
  await session.compact({ strategy: "tool-results" });
  expect(said(session.history())[2]).toBe("tool: stub");
  await session.run("Again.");
  expect(misses).toEqual([{ toolName: "reads", originalSize: story.length, whole: true, boost: 2 }]);
  await session.compact({ strategy: "tool-results" });
  expect(said(session.history())[6]).toBe(`tool: ${story}`); // 225 bytes: within what is kept now
  await session.run("Other.");
  expect(misses.length).toBe(1);
});

test("after a miss a shortened result begins with what is kept of it", async () => {
  const engine = await openEngine([calls(1), "Read.", calls(1), "Again."], { contextSize: 4096 });
  const long = "The night was dark. ".repeat(50);
  const session = engine.session({ ...options, tools: [tool({ ...reads, run: () => long })] });
  await session.run("Read.");
  await session.compact({ strategy: "tool-results" });
  await session.run("Again.");
  await session.compact({ strategy: "tool-results" });
  const [first, second] = session.history().filter(({ role }) => role === "tool");
  expect(first?.content).toMatch(shortened);
  expect(second?.content.slice(0, 257)).toBe(`${long.slice(0, 256)}\n`);
  expect(second?.content.slice(257)).toMatch(shortened);
});

test("a miss is seen, and what was left out is there, when the session was saved in between", async () => {
  const engine = await openEngine([calls(1), "Read.", calls(1), "Again."], { contextSize: 2048 });
  const session = engine.session(options);
  await session.run("Read.");
  await session.compact({ strategy: "tool-results" });
  const fork = session.fork();
  const misses: unknown[] = [];
  engine.hooks.on("compactionMiss", ({ toolName }) => void misses.push(toolName));
  await fork.run("Again.");
  expect(misses).toEqual(["reads"]);
  expect(said(fork.history({ compacted: false }))[2]).toBe(`tool: ${story}`);
});

test("the prompt is rendered once a model call, though it is counted before", async () => {
  const engine = await open(1);
  const counts: unknown[] = [];
  engine.hooks.on("contextAssemble", ({ tokenCount }) => void counts.push(tokenCount));
  engine.hooks.on("contextBudget", ({ totalTokens }) => void counts.push(totalTokens));
  engine.hooks.on("postGenerate", ({ usage }) => void counts.push(usage.promptTokens));
  await engine.session(options).run("Read.");
  expect(new Set(counts.slice(0, 3)).size).toBe(1);
  expect(new Set(counts.slice(3)).size).toBe(1);
});

test("a second compaction of what cannot be smaller says so", async () => {
  const engine = await open(1);
  const session = engine.session(options);
  await session.run("Read.");
  expect(await session.compact({ strategy: "truncate" })).toMatchObject({ compacted: true });
  expect(await session.compact({ strategy: "truncate" })).toMatchObject({ compacted: false });
});

test("results that were cut already can be shortened, and are read again from the whole", async () => {
  const engine = await openEngine([
    calls(1),
    "Read.",
    { toolCalls: [{ name: "context_inspect", args: { id: "x" } }] },
    "Ok.",
  ]);
  const session = engine.session({
    ...options,
    maxResultBytes: 256,
    tools: [tool({ ...reads, run: () => story.repeat(3) })],
  });
  const first = await session.run("Read.");
  const { id } = first.toolCalls[0] ?? {};
  await session.compact({ strategy: "tool-results" });
  expect(said(session.history())[2]).toBe("tool: stub");
  engine.hooks.on("preToolCall", () => ({ args: { id: id as string, offset: 400 } }));
  const { toolCalls } = await session.run("What was it?");
  expect(toolCalls[0]?.result.startsWith(story.repeat(3).slice(400, 500))).toBe(true);
});

test("results that the model has not answered stay, also where a message of the user stands behind them", async () => {
  const asks = {
    toolCalls: [
      { name: "directs", args: { directives: [{ type: "inject_context", params: { content: "Mind the wind." } }] } },
      ...calls(1).toolCalls,
    ],
  };
  const engine = await openEngine([calls(0), asks, "Read."], { contextSize: 2048 });
  const shown: string[][] = [];
  engine.hooks.on("preGenerate", ({ messages }) => void shown.push(said(messages)));
  const session = engine.session({ ...options, tools: [directs, reads], compaction: "tool-results", compactAt: 0.05 });
  await session.run("Read.");
  expect(shown.at(-1)?.slice(2)).toEqual([
    "tool: stub",
    "assistant: ",
    "tool: directed",
    `tool: ${story}`,
    "user: Mind the wind.",
  ]);
});

test("a run that ends before the model has answered leaves nothing of its compaction", async () => {
  const engine = await open(1);
  const session = engine.session({ ...options, compaction: "tool-results", compactAt: 0.05 });
  await session.run("Read.");
  const before = session.history();
  const misses: unknown[] = [];
  engine.hooks.on("compactionMiss", (event) => void misses.push(event));
  const stop = engine.hooks.on("contextAssemble", () => cancel("not now"));
  await session.run("Go on.");
  stop.dispose();
  expect(session.history()).toEqual(before);
  expect(await session.compact({ strategy: "tool-results" })).toMatchObject({ compacted: true });
  expect(said(session.history())[2]).toBe("tool: stub");
});

test("what a postCompact hook leaves out is nowhere", async () => {
  const engine = await openEngine({
    replies: [calls(1), "Read."],
    scripts: [{ when: "Summarise the conversation", replies: ["", "", "hunter2"] }],
  });
  const session = engine.session(options);
  await session.run("Read.");
  engine.hooks.on("postCompact", ({ messages }) => ({
    messages: messages.filter(({ content }) => !content.includes("hunter2")),
  }));
  const { summary } = await session.compact();
  expect(summary).toBe("");
  const fork = session.fork();
  expect(JSON.stringify(fork.history())).not.toContain("hunter2");
});
