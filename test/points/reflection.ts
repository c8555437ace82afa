// The point of reflection. Must not: know the critic (sessions/reflection.test.ts).
import type { Engine } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { asks, runOnce, tools } from "../support/sessions.js";
import * as part from "../support/order/order-parts.js";
import type { PointDefinition } from "./five-tests.js";
import { inIteration, options } from "./session-setup.js";

const thinks = JSON.stringify({ monologue: "It leads there.", decision: "PROCEED" });

export const reflection: PointDefinition = {
  point: "reflection",
  inRuns: {
    occasion: "reflect",
    aborted: [...part.toReflection, ...part.end],
  },
  open: (): Promise<Engine> =>
    openEngine({
      replies: [asks("Oslo"), "It is cold."],
      scripts: [{ when: "Look at what was done", replies: ["?", thinks] }],
    }),
  occasion: (engine) => runOnce(engine, { ...options, tools, reflect: true }),
  event: { iteration: 1, monologue: "It leads there.", shouldProceed: true, meta: inIteration },
  answers: {},
};
