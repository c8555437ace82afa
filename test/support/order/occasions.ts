// Runs in which points fire; test/points/definitions.ts says which run fires which point.
import type { Occasion } from "./orders.js";
import { randomModel } from "../random-model.js";
import { asks, calls, clock, directs, fails, reads, tools } from "../sessions.js";

const directing = (type: string) => calls("directs", { directives: [{ type, params: {} }] });
const forgetful = { tools: [reads], compaction: "truncate", compactAt: 0.6 } as const;

/** A model that takes a while to read a long prompt. */
export function slowModel(): Promise<string> {
  return randomModel({ layers: 4, embedding: 256, heads: 4, kvHeads: 2, feedForward: 704, vocabulary: 512 });
}

export const occasions = {
  /** Two calls of a tool, and an answer. */
  talk: { replies: [asks("Oslo", "Rome"), "It is cold."], session: { tools } },
  /** A tool that fails. */
  error: { replies: [calls("fails"), "It failed."], session: { tools: [fails] } },
  complete: {
    replies: [calls("complete", { summary: "Done." }), "Well."],
    session: { controlTools: ["complete"] },
  },
  reflect: {
    replies: [calls("clock"), "It is noon."],
    scripts: [{ when: "Look at what", replies: ["?", JSON.stringify({ monologue: "Fine.", decision: "PROCEED" })] }],
    session: { tools: [clock], reflect: true },
  },
  delegate: {
    replies: [calls("delegate", { tier: "coder", task: "Write it." }), "Done."],
    scripts: [{ when: "You write code.", replies: ["It is written."] }],
    session: { controlTools: ["delegate"], tiers: { coder: { system: "You write code.", tools: [] } } },
  },
  directive: { replies: [directing("notify"), "Told."], session: { tools: [directs] } },
  custom: {
    replies: [directing("ring"), "Rung."],
    session: { tools: [directs] },
    hooks: (engine) => [engine.hooks.on("customDirective", () => ({ handled: true }), { priority: 100 })],
  },
  plan: {
    replies: ["I see."],
    session: { tools: [clock] },
    run: { plan: { flow: "sequence", steps: [{ tool: "clock" }] } },
  },
  dry: { replies: [calls("clock"), "I would have asked."], session: { tools: [clock] }, run: { dryRun: true } },
  compact: {
    replies: [calls("reads"), calls("reads"), "I have read it."],
    scripts: [{ when: "earlier messages", replies: ["I have read it."] }],
    engine: { contextSize: 1024 },
    session: forgetful,
  },
  /** A tool that is called again, twice, though its result was removed. */
  miss: {
    replies: [calls("reads"), calls("reads")],
    scripts: [{ when: "earlier messages", replies: ["Unread.", calls("reads"), "I have read it."] }],
    engine: { contextSize: 1024 },
    session: { ...forgetful, maxIterations: 3 },
  },
  /** A prompt that takes a while to read. */
  slow: {
    engine: async () => ({ model: await slowModel(), batchSize: 32, contextSize: 2048, parallel: 1 }),
    session: { system: "A long story. ".repeat(100), grammar: "root ::= [a-p]+", maxTokens: 2 },
    progress: true,
  },
} as const satisfies Record<string, Occasion>;

export type OccasionName = keyof typeof occasions;
