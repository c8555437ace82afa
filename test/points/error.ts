import { expect } from "vitest";
import { openEngine } from "../support/engine.js";
import * as part from "../support/order/order-parts.js";
import type { PointDefinition } from "./five-tests.js";

export const error: PointDefinition = {
  point: "error",
  inRuns: {
    occasion: "error",
    aborted: [...part.toDecided, ...part.recorded, "error", ...part.end],
  },
  open: () => openEngine(["Hello there."]),
  occasion: (engine) => engine.generate("hi", { grammar: "root ::= (" }),
  event: {
    code: "INVALID_GRAMMAR",
    message: expect.stringMatching(/./),
    where: "generate",
    recoverable: false,
    iteration: null,
    consecutive: 1,
  },
  answers: {},
};
