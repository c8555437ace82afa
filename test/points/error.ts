import { expect } from "vitest";
import { openEngine } from "../support/engine.js";
import type { PointDefinition } from "./five-tests.js";

export const error: PointDefinition = {
  point: "error",
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
