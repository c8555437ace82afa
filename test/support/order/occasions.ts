// Runs in which points fire, and the points that fire in each. test/points/definitions.ts says which run fires which
// point.
import * as part from "./order-parts.js";
import type { Occasion } from "./orders.js";
import { randomModel } from "../models/random-model.js";
import { asks, asksUser, calls, clock, directs, fails, reads, tools } from "../sessions.js";

const directing = (type: string) => calls("directs", { directives: [{ type, params: {} }] });
const forgetful = { tools: [reads], compaction: "truncate", compactAt: 0.6 } as const;

/** A model that takes a while to read a long prompt. */
export function slowModel(): Promise<string> {
  return randomModel({ layers: 4, embedding: 256, heads: 4, kvHeads: 2, feedForward: 704, vocabulary: 512 });
}

interface OrderedOccasion extends Occasion {
  /** The points of the run, in order. */
  readonly names: part.Names;
  /** The end of the run [complete]. */
  readonly ending?: string;
}

const all = {
  /** Two calls of a tool, and an answer. */
  talk: {
    names: [...part.toBothDecided, ...part.recorded, ...part.recorded, ...part.continues],
    replies: [asks("Oslo", "Rome"), "It is cold."],
    session: { tools },
  },
  /** A tool that fails. */
  error: {
    names: [...part.toDecided, ...part.recorded, "error", ...part.continues],
    replies: [calls("fails"), "It failed."],
    session: { tools: [fails] },
  },
  /** A tool that asks the user. */
  elicit: {
    names: [...part.toDecided, "elicitation", ...part.recorded, ...part.continues],
    replies: [calls("asks_user"), "Thanks."],
    session: { tools: [asksUser] },
  },
  complete: {
    names: [...part.toComplete, ...part.recorded, ...part.end],
    replies: [calls("complete", { summary: "Done." }), "Well."],
    session: { controlTools: ["complete"] },
  },
  reflect: {
    names: [...part.toReflection, "iterationEnd", ...part.answer],
    replies: [calls("clock"), "It is noon."],
    scripts: [{ when: "Look at what", replies: ["?", JSON.stringify({ monologue: "Fine.", decision: "PROCEED" })] }],
    session: { tools: [clock], reflect: true },
  },
  delegate: {
    names: [...part.toDelegate, ...part.child, ...part.concluded, ...part.continues],
    replies: [calls("delegate", { tier: "coder", task: "Write it." }), "Done."],
    scripts: [{ when: "You write code.", replies: ["It is written."] }],
    session: { controlTools: ["delegate"], tiers: { coder: { system: "You write code.", tools: [] } } },
  },
  directive: {
    names: [...part.toDirective, "toolResultPersist", ...part.continues],
    replies: [directing("notify"), "Told."],
    session: { tools: [directs] },
  },
  custom: {
    names: [...part.toDirective, "customDirective", "toolResultPersist", ...part.continues],
    replies: [directing("ring"), "Rung."],
    session: { tools: [directs] },
    hooks: (engine) => [engine.hooks.on("customDirective", () => ({ handled: true }), { priority: 100 })],
  },
  plan: {
    names: [...part.toPlan, ...part.decided, ...part.recorded, "stateChange", "bootstrap", ...part.call, ...part.end],
    replies: ["I see."],
    session: { tools: [clock] },
    run: { plan: { flow: "sequence", steps: [{ tool: "clock" }] } },
  },
  dry: {
    names: [
      ...part.first,
      ...part.use,
      "loopIteration",
      ...part.call,
      "iterationEnd",
      "stateChange",
      "dryRun",
      "loopEnd",
      "stateChange",
    ],
    replies: [calls("clock"), "I would have asked."],
    session: { tools: [clock] },
    run: { dryRun: true },
  },
  compact: {
    names: [...part.toCompact, "postCompact", ...part.call, ...part.end],
    replies: [calls("reads"), calls("reads"), "I have read it."],
    scripts: [{ when: "earlier messages", replies: ["I have read it."] }],
    engine: { contextSize: 1024 },
    session: forgetful,
  },
  /** A tool that is called again, twice, though its result was removed. */
  miss: {
    names: [
      ...part.toCompact,
      "postCompact",
      ...part.act,
      "compactionMiss",
      ...part.recorded,
      ...part.on,
      ...part.leave,
    ],
    ending: "limit maxIterations",
    replies: [calls("reads"), calls("reads")],
    scripts: [{ when: "earlier messages", replies: ["Unread.", calls("reads"), "I have read it."] }],
    engine: { contextSize: 1024 },
    session: { ...forgetful, maxIterations: 3 },
  },
  /** A prompt that takes a while to read. */
  slow: {
    names: [...part.first, ...part.asked, "promptProgress", "streamToken", "postGenerate", ...part.end],
    ending: "limit maxTokens",
    engine: async () => ({ model: await slowModel(), batchSize: 32, contextSize: 2048, parallel: 1 }),
    session: { system: "A long story. ".repeat(100), grammar: "root ::= [a-p]+", maxTokens: 2 },
    progress: true,
  },
} satisfies Record<string, OrderedOccasion>;

export type OccasionName = keyof typeof all;

export const occasions: Readonly<Record<OccasionName, OrderedOccasion>> = all;
