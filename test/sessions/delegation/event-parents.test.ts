import { expect, test } from "vitest";
import type { HookMeta, PointName, TierOptions } from "../../../src/index.js";
import { recordHooks } from "../../../src/testing/index.js";
import { openEngine, scriptModel } from "../../support/engine.js";
import { runPoints } from "../../points/definitions.js";
import { occasions, slowModel } from "../../support/order/occasions.js";
import type { Occasion } from "../../support/order/orders.js";
import { calls, clock, directs, fails, reads } from "../../support/sessions.js";

const directives = [{ type: "notify" }, { type: "ring" }];
const thought = JSON.stringify({ monologue: "Fine.", decision: "PROCEED" });
const plan = { flow: "sequence", steps: [{ name: "a", tool: "clock" }] };

/** The occasions that a delegated run can have as they are. */
const plain = Object.entries<Occasion>(occasions).filter(
  ([, { replies, scripts, engine, run }]) => replies !== undefined && (scripts ?? engine ?? run) === undefined,
);

/** The tier's tasks. Together they fire every point that a delegated run can fire. */
const tasks: Readonly<Record<string, Occasion>> = {
  ...Object.fromEntries(plain),
  directives: {
    replies: [calls("directs", { directives }), calls("fails"), "So."],
    session: { tools: [directs, fails] },
  },
  completion: {
    replies: [calls("plan", plan), calls("complete", { summary: "Done." })],
    session: { tools: [clock], controlTools: ["plan", "complete"] },
  },
  reflection: { replies: [calls("clock"), thought], session: { tools: [clock], reflect: true } },
  delegation: { replies: [calls("delegate", { tier: "tester", task: "Test it." }), "Tested."], session: {} },
  memory: {
    replies: [calls("reads"), calls("reads"), calls("reads")],
    session: { tools: [reads], compaction: "truncate", compactAt: 0.6, maxIterations: 3 },
  },
};

/** Points that have no child run, and why. */
const notOfChildren: Partial<Record<PointName, string>> = {
  sessionStart: "of the session, which begins with its first run",
  userMessage: "a task is not a message of the user: ON_DELEGATE has shown it",
  dryRun: "of the run that was called",
};

/** A tier whose prompt takes a while to read. */
const slowTier: TierOptions = {
  model: "slow",
  tools: [],
  system: "A story. ".repeat(180),
  grammar: "root ::= [a-p]+",
  maxTokens: 2,
};

/** All events of one session that has a task done by a tier, in order: the point and the meta of each. */
async function eventsOf({ replies = [], session }: Occasion, coder: TierOptions = { system: "You work." }) {
  const scripts = [
    { when: "You work.", replies },
    { when: "You test.", replies: ["Good."] },
    { when: "You lead.", replies: [calls("delegate", { tier: "coder", task: "Go." }), "Over."] },
  ];
  const file = await scriptModel({ replies: ["Nobody."], scripts, afterLast: "repeat" });
  const main = { path: file, contextSize: session.maxIterations === undefined ? 4096 : 1280 };
  const models =
    coder.model === undefined
      ? { main }
      : { main, slow: { path: await slowModel(), batchSize: 32, contextSize: 2048 } };
  const engine = await openEngine([], { models });
  const recording = recordHooks(engine);
  const tiers = { lead: { system: "You lead." }, coder, tester: { system: "You test." } };
  const controlTools = [...(session.controlTools ?? []), "delegate"] as const;
  await engine.session({ temperature: 0, model: "main", ...session, controlTools, tier: "lead", tiers }).run("Hello");
  await engine.close();
  return recording.events.map(({ point, event }): readonly [PointName, HookMeta] => [point, event.meta]);
}

const seen = new Set<PointName>();
const given = [...Object.entries(tasks), ["a long prompt", { session: {} }]] as readonly [string, Occasion][];

test.each(given)(
  "each event of a delegated run names the run that delegates, and its depth: %s",
  async (name, task) => {
    const events = await eventsOf(task, task.replies === undefined ? slowTier : undefined);
    const runs = events.filter(([point]) => point === "loopStart").map(([, { runId }]) => runId);
    expect(runs.length).toBe(name === "delegation" ? 3 : 2);
    const [first] = events;
    for (const [point, meta] of events) {
      const depth = runs.indexOf(meta.runId);
      if (depth > 0) seen.add(point);
      const { sessionId } = first?.[1] ?? {};
      const tier = ["lead", "coder", "tester"][depth];
      const expected = { depth, tier, sessionId, parentRunId: depth === 0 ? null : runs[depth - 1] };
      // The end of the session, and of its models, are of no run.
      expect(meta, point).toMatchObject(depth < 0 ? { runId: null, parentRunId: null, depth: null } : expected);
    }
  },
);

test("these were events of all points that a delegated run fires", () => {
  const missing = [...runPoints.keys()].filter((point) => !seen.has(point));
  expect(missing.sort()).toEqual(Object.keys(notOfChildren).sort());
});
