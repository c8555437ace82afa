// A session that delegates one task, and its tiers.
import type { SessionOptions } from "../../src/index.js";
import type { ScriptModelOptions, ScriptReply } from "../../src/testing/index.js";

/** The lead delegates to the coder and completes; the coder says this. */
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

/** Options of the lead's session. */
export const ofLead = {
  tier: "lead",
  tiers: { lead: { system: "You are lead." }, coder: { system: "You are coder." } },
  controlTools: ["delegate"],
} as const satisfies SessionOptions;
