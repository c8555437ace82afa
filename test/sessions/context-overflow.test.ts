// Prompts that do not fit the context are shortened if that helps, and are an error if not. The session stays usable.
import { expect, test } from "vitest";
import { type Plan, tool } from "../../src/index.js";
import { openEngine, rejection } from "../support/engine.js";
import { calls, directs, runOnce } from "../support/sessions.js";

const line = "It was a dark and stormy night in the north. ";
/** A tool that returns so many bytes. */
const floods = (bytes: number) =>
  tool({ name: "floods", run: () => line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes) });
const cut = /\n\[shortened: \d+ of 10000 bytes; context_inspect gives the rest: call_\S+\]$/;

test("a result that does not fit is cut until it does, and can be read on", async () => {
  const engine = await openEngine([calls("floods"), "Read."], { contextSize: 1024 });
  const session = engine.session({ tools: [floods(10_000)], temperature: 0, controlTools: ["context_inspect"] });
  const shown: string[] = [];
  engine.hooks.on("preGenerate", ({ messages }) => void shown.push(messages.at(-1)?.content ?? ""));
  const result = await session.run("Go");
  expect(result.text).toBe("Read.");
  expect(shown[1]).toMatch(cut);
  expect(shown[1]?.length).toBeGreaterThan(200);
  expect((await session.run("And now?")).finishReason).toBe("complete");
  expect(session.history({ compacted: false }).find(({ role }) => role === "tool")?.content.length).toBe(10_000);
});

test("10 MB with the defaults of an engine, one run after the other", async () => {
  const engine = await openEngine([1, 2, 3].flatMap(() => [calls("floods"), "Read."]));
  const session = engine.session({ tools: [floods(10_000_000)], temperature: 0 });
  for (const input of ["Go", "Again", "And again"]) expect((await session.run(input)).finishReason).toBe("complete");
});

test("without compaction it is PROMPT_TOO_LONG, and compact() mends the session", async () => {
  const engine = await openEngine([calls("floods"), "Read."], { contextSize: 1024 });
  const session = engine.session({ tools: [floods(10_000)], temperature: 0, compaction: "off" });
  for (const input of ["Go", "And now?"])
    expect(await rejection(session.run(input))).toMatchObject({ code: "PROMPT_TOO_LONG" });
  expect(await session.compact({ strategy: "tool-results" })).toMatchObject({ compacted: true });
  expect(session.history().at(-1)?.content).toMatch(/\n\[shortened: \d+ of 10000 bytes\]$/);
  expect((await session.run("And now?")).text).toBe("Read.");
});

test("what a plan came to, and what directives say, is cut like a result", async () => {
  const engine = await openEngine({ replies: ["I see."], afterLast: "repeat" }, { contextSize: 2048 });
  const plan: Plan = { flow: "sequence", steps: ["a", "b", "c"].map((name) => ({ name, tool: "floods" })) };
  const options = { tools: [floods(300)], maxResultBytes: 400 };
  const session = engine.session({ ...options, temperature: 0 });
  const { messages } = await session.run("Go", { plan });
  expect(messages[1]?.content).toMatch(/^\[plan succeeded: 3 of 3 steps\n.*\n\[shortened: 400 of 9\d\d bytes\]$/s);

  const content = "x".repeat(1000);
  const directives = [
    { type: "inject_context", params: { content } },
    { type: "context_anchor", params: { key: "a", content } },
  ];
  const other = await openEngine([calls("directs", { directives }), "I see."]);
  const said = (await runOnce(other, { tools: [directs], maxResultBytes: 400 })).messages;
  const shortened = `${"x".repeat(400)}\n[shortened: 400 of 1000 bytes]`;
  expect(said.filter(({ role }) => role === "user").map((one) => one.content)).toEqual(["Hello", shortened, shortened]);
});

test("what was cut once can be shortened later: one long result after the other, in one session", async () => {
  const replies = [1, 2, 3, 4].flatMap(() => [calls("floods"), "Read."]);
  const engine = await openEngine(replies, { contextSize: 2048 });
  const more = { compaction: "tool-results", maxIdenticalCalls: 100 } as const;
  const session = engine.session({ tools: [floods(10_000)], temperature: 0, maxIterations: 2, ...more });
  for (let i = 0; i < 4; i++) expect((await session.run("Go")).toolCalls.length, `run ${i}`).toBe(1);
  const first = session.history().find(({ role }) => role === "tool");
  expect(first?.content).toMatch(/^\[result of floods, \d+ tokens, shortened\]$/); // it was cut in the first run
});

test("a summary that is cut off says so, and stop strings of the conversation do not cut it", async () => {
  const engine = await openEngine({
    replies: ["One.", "Two."],
    scripts: [
      { when: "Be brief.", replies: ["?", "First line.\nSecond."] },
      { when: "Tell all.", replies: ["?", "word ".repeat(2000)] },
    ],
  });
  const session = engine.session({ temperature: 0, stop: ["\n"] });
  await session.run("Go");
  expect((await session.compact({ instructions: "Be brief." })).summary).toBe("First line.\nSecond.");
  await session.run("Go");
  expect((await session.compact({ instructions: "Tell all." })).summary).toMatch(
    /^(word )+.*\n\[the summary was cut off here\]$/s,
  );
});

test.each(["summarize", "truncate"] as const)(
  "an answer that fills the context is compacted by %s",
  async (compaction) => {
    const engine = await openEngine(
      {
        replies: ["word ".repeat(2000)],
        scripts: [
          { when: "Summarise the conversation", replies: ["?", "Many words."] },
          { when: "And now?", replies: ["Two.", "Two."] },
        ],
        contextLength: 600,
      },
      { contextSize: 600 },
    );
    const session = engine.session({ temperature: 0, compaction });
    expect(await session.run("Go")).toMatchObject({ finishReason: "limit", limit: "maxTokens" });
    expect((await session.run("And now?")).text).toBe("Two.");
    const note = {
      summarize: "[summary of earlier messages]\nMany words.",
      truncate: "[1 earlier messages were left out]",
    };
    expect(session.history().map(({ content }) => content)).toContain(note[compaction]);
  },
);
