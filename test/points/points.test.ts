import { expect, test } from "vitest";
import { POINTS } from "../../src/index.js";
import { firingRows } from "../support/schema.js";
import { adapterSwap } from "./adapter-swap.js";
import * as compaction from "./compaction.js";
import { contextBudget } from "./context-budget.js";
import * as delegation from "./delegation.js";
import { error } from "./error.js";
import { fiveTests } from "./five-tests.js";
import { modelLoad, modelReady, modelUnload } from "./load.js";
import * as plans from "./plans.js";
import { postGenerate } from "./post-generate.js";
import { preGenerate } from "./pre-generate.js";
import { promptProgress } from "./prompt-progress.js";
import * as session from "./session.js";
import { reflection } from "./reflection.js";
import { streamToken } from "./stream-token.js";
import * as toolCalls from "./tool-calls.js";
import { vramPressure } from "./vram-pressure.js";

const definitions = [
  modelLoad,
  modelReady,
  contextBudget,
  preGenerate,
  promptProgress,
  streamToken,
  postGenerate,
  error,
  modelUnload,
  vramPressure,
  adapterSwap,
  ...Object.values(session),
  ...Object.values(toolCalls),
  ...Object.values(delegation),
  ...Object.values(compaction),
  ...Object.values(plans),
  reflection,
];

test("every point that fires in this version has the five tests", () => {
  const tested = definitions.map(({ point }) => POINTS[point].number).sort((a, b) => a - b);
  expect(tested).toEqual(firingRows.map(({ number }) => number).sort((a, b) => a - b));
});

for (const definition of definitions) fiveTests(definition);
