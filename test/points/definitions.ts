// What makes each point fire, in one list. Must not: test anything.
import { adapterSwap } from "./adapter-swap.js";
import * as compaction from "./compaction.js";
import { contextBudget } from "./context-budget.js";
import * as delegation from "./delegation.js";
import { error } from "./error.js";
import type { PointDefinition } from "./five-tests.js";
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

export const definitions: readonly PointDefinition[] = [
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
