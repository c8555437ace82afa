// The points of compaction. Must not: know the strategies (sessions/compaction.test.ts).
import { expect } from "vitest";
import { cancel, type Engine, type RunResult } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { calls, reads, story } from "../support/sessions.js";
import * as part from "../support/order/order-parts.js";
import type { PointDefinition } from "./five-tests.js";
import { inIteration, meta } from "./session-setup.js";

/** Two long results, the first of which is too much for the third call. */
const open = (): Promise<Engine> =>
  openEngine(
    {
      replies: [calls("reads"), calls("reads"), "I have read it."],
      afterLast: "repeat",
      scripts: [
        { when: "Summarise the conversation", replies: ["A story."] },
        { when: "earlier messages", replies: ["I have read it."] },
      ],
    },
    { contextSize: 1024 },
  );
const occasion = async (engine: Engine): Promise<RunResult> => {
  const session = engine.session({
    tools: [reads],
    tier: "lead",
    temperature: 0,
    compaction: "truncate",
    compactAt: 0.6,
  });
  try {
    return await session.run("Read it twice.");
  } finally {
    await session.close();
  }
};
const inThird = { ...inIteration, iteration: 3 };
const number = expect.any(Number) as number;

export const preCompact: PointDefinition = {
  point: "preCompact",
  inRuns: {
    occasion: "compact",
    aborted: [...part.toCompact, ...part.end],
    stopped: (then) => ({ names: [...part.toCompact, ...then, ...part.call, ...part.end] }),
  },
  open,
  occasion,
  event: {
    messages: [{ role: "user" }, { role: "assistant" }, { role: "tool" }, { role: "assistant" }, { role: "tool" }],
    tokenCount: number,
    threshold: 614,
    limit: 1024,
    force: false,
    strategy: "truncate",
    meta: inThird,
  },
  answers: {
    messages: async () => {
      const engine = await open();
      const seen: unknown[] = [];
      engine.hooks.on("preCompact", ({ messages }) => ({ messages: messages.slice(0, 1), strategy: "given" }));
      engine.hooks.on("preGenerate", ({ messages, iteration }) => void (iteration === 3 && seen.push(messages)));
      await occasion(engine);
      expect(seen).toEqual([[{ role: "user", content: "Read it twice." }]]);
    },
    strategy: async () => {
      const engine = await open();
      const summaries: string[] = [];
      engine.hooks.on("preCompact", () => ({ strategy: "summarize" }));
      engine.hooks.on("postCompact", ({ summary }) => void summaries.push(summary));
      await occasion(engine);
      expect(summaries.length).toBe(1);
    },
    instructions: async () => {
      const engine = await open();
      const asked: string[] = [];
      engine.hooks.on("preCompact", () => ({ strategy: "summarize", instructions: "Name the weather." }));
      engine.hooks.on("preGenerate", ({ messages }) => void asked.push(messages.at(-1)?.content ?? ""));
      const session = engine.session({ tools: [reads], temperature: 0 });
      await session.run("Read it twice.");
      await session.compact();
      expect(asked.at(-1)).toMatch(/^Summarise the conversation .*\nName the weather\.$/s);
    },
    cancel: async () => {
      const engine = await open();
      const posts: unknown[] = [];
      engine.hooks.on("preCompact", () => cancel("not now"));
      engine.hooks.on("postCompact", (event) => void posts.push(event));
      expect(await occasion(engine)).toMatchObject({ text: "I have read it." });
      expect(posts).toEqual([]);
    },
  },
  failedClosed: (outcome, thrown) => {
    const { finishReason, decisions } = outcome as RunResult;
    expect(finishReason).toBe("complete");
    const decision = decisions.find(({ decidedBy }) => decidedBy?.name === "cold");
    expect(decision).toMatchObject({ action: "cancelled", status: "HOOK_FAILED" });
    expect(decision?.hooks[0]?.error?.cause).toBe(thrown);
  },
};

export const postCompact: PointDefinition = {
  point: "postCompact",
  inRuns: {
    occasion: "compact",
    aborted: [...part.toCompact, "postCompact", ...part.end],
  },
  open,
  occasion,
  event: {
    tokensBefore: number,
    tokensAfter: number,
    removed: number,
    summary: expect.any(String) as string,
    meta: inThird,
  },
  answers: {
    summary: async () => {
      const engine = await open();
      const session = engine.session({ tools: [reads], temperature: 0 });
      await session.run("Read it twice.");
      engine.hooks.on("postCompact", () => ({ summary: "It was a story about [redacted]." }));
      const { summary } = await session.compact({ strategy: "truncate" });
      expect(summary).toBe("It was a story about [redacted].");
      expect(session.history().map(({ content }) => content)).toContain(`[summary of earlier messages]\n${summary}`);
    },
    messages: async () => {
      const engine = await open();
      const session = engine.session({ tools: [reads], temperature: 0 });
      await session.run("Read it twice.");
      engine.hooks.on("postCompact", ({ messages }) => ({ messages: messages.slice(0, 1) }));
      await session.compact({ strategy: "truncate" });
      expect(session.history().length).toBe(1);
    },
  },
};

const openMiss = (): Promise<Engine> =>
  openEngine(
    {
      replies: [calls("reads"), calls("reads")],
      scripts: [{ when: "earlier messages", replies: ["Unread.", calls("reads"), "I have read it."] }],
      afterLast: "repeat",
    },
    { contextSize: 1024 },
  );

export const compactionMiss: PointDefinition = {
  point: "compactionMiss",
  inRuns: {
    occasion: "miss",
    aborted: [...part.toCompact, "postCompact", ...part.act, "compactionMiss", ...part.recorded, ...part.end],
  },
  open: openMiss,
  occasion,
  event: {
    toolName: "reads",
    toolCallId: expect.stringMatching(/^call_/) as string,
    originalSize: story.length,
    compressedSize: number,
    boost: 2,
    meta: { ...meta, iteration: 3 },
  },
  answers: {},
};
