// The points of plans and dry runs. Must not: know the flows (sessions/plans.test.ts).
import { expect } from "vitest";
import { cancel, type Engine, type RunResult } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { asks, runOnce, resultTexts, tools } from "../support/sessions.js";
import { occasions } from "../support/order/occasions.js";
import * as part from "../support/order/order-parts.js";
import type { PointDefinition } from "./five-tests.js";
import { inIteration, inRun, options, refusedClosed } from "./session-setup.js";

const steps = [
  { name: "look", tool: "weather", args: { city: "Oslo" } },
  { name: "when", tool: "clock" },
];
const plans = { toolCalls: [{ name: "plan", args: { flow: "sequence", steps } }] };
const open = (): Promise<Engine> => openEngine([plans, "It is planned."]);
const occasion = (engine: Engine): Promise<RunResult> => runOnce(engine, { ...options, tools, controlTools: ["plan"] });

export const planExecution: PointDefinition = {
  point: "planExecution",
  inRuns: {
    occasion: "plan",
    aborted: [...part.toPlan, ...part.end],
    stopped: (then) => ({ names: [...part.toPlan, ...then, "stateChange", "bootstrap", ...part.call, ...part.end] }),
  },
  open,
  occasion,
  event: {
    flow: "sequence",
    stepCount: 2,
    stepNames: ["look", "when"],
    steps: [steps[0], { ...steps[1], args: {} }],
    meta: inIteration,
  },
  answers: {
    steps: async () => {
      const engine = await open();
      engine.hooks.on("planExecution", ({ steps: [first] }) => ({ steps: first === undefined ? [] : [first] }));
      expect(resultTexts(await occasion(engine))).toEqual([
        "plan succeeded: 1 of 1 steps\n[look: done]\nOslo: 4 degrees",
      ]);
    },
    cancel: async () => {
      const engine = await open();
      engine.hooks.on("planExecution", () => cancel("one by one"), { name: "policy" });
      const result = await occasion(engine);
      expect(resultTexts(result)).toEqual(["blocked by policy: one by one"]);
      expect(result.toolCalls).toMatchObject([{ resultKind: "rejected_hook", decidedBy: "policy" }]);
    },
  },
  failedClosed: refusedClosed("rejected_hook", "blocked by cold: ", "planExecution"),
};

export const dryRun: PointDefinition = {
  point: "dryRun",
  inRuns: {
    occasion: "dry",
    aborted: occasions.dry.names,
  },
  open: () => openEngine([asks("Oslo", "Rome"), "I would have asked."]),
  occasion: async (engine) => {
    const session = engine.session({ ...options, tools });
    await session.run("How is Oslo?", { dryRun: true });
    await session.close();
  },
  event: { plannedSteps: 2, toolsUsed: ["weather"], estimatedCost: "low", meta: inRun },
  answers: {},
};
