// A session that hands one task on, and to whom. Must not: open engines.
import type { SessionOptions } from "../../src/index.js";
import type { ScriptModelOptions, ScriptReply } from "../../src/testing/index.js";

/** The lead has the coder do it and is done; the coder says this. */
export function leadAndCoder(coder: readonly ScriptReply[]): ScriptModelOptions {
  const delegate = { name: "delegate", args: { tier: "coder", task: "Do it." } };
  return {
    replies: ["Who am I?"],
    scripts: [
      { when: "You are lead.", replies: [{ toolCalls: [delegate] }, "Done."] },
      { when: "You are coder.", replies: [...coder] },
    ],
  };
}

/** Of a session of the lead. */
export const ofLead = {
  tier: "lead",
  tiers: { lead: { system: "You are lead." }, coder: { system: "You are coder." } },
  controlTools: ["delegate"],
} as const satisfies SessionOptions;
