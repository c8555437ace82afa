import { openEngine } from "../support/engine.js";
import * as part from "../support/order/order-parts.js";
import type { PointDefinition } from "./five-tests.js";

export const contextBudget: PointDefinition = {
  point: "contextBudget",
  inRuns: {
    occasion: "talk",
    aborted: [...part.first, ...part.asked, ...part.end],
  },
  open: () => openEngine(["Hello there."], { contextSize: 256 }),
  occasion: (engine) => engine.generate("a".repeat(230), { raw: true, maxTokens: 3 }),
  event: {
    personaTokens: 0,
    toolSchemaTokens: 0,
    historyTokens: 230,
    totalTokens: 230,
    maxTokens: 256,
    utilization: 230 / 256,
    overBudget: true,
  },
  answers: {},
};
