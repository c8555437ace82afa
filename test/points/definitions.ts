// The one list of what makes each point fire, and of its place in runs.
import { type PointName, pointNames, POINTS } from "../../src/index.js";
import { adapterSwap } from "./adapter-swap.js";
import * as compaction from "./compaction.js";
import { contextBudget } from "./context-budget.js";
import * as delegation from "./delegation.js";
import { error } from "./error.js";
import { elicitation } from "./elicitation.js";
import type { InRuns, PointDefinition } from "./five-tests.js";
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

/** A point without a definition is a compile error. */
export const definitions: Readonly<Record<PointName, PointDefinition>> = {
  adapterSwap,
  contextBudget,
  elicitation,
  error,
  modelLoad,
  modelReady,
  modelUnload,
  postGenerate,
  preGenerate,
  promptProgress,
  reflection,
  streamToken,
  vramPressure,
  ...compaction,
  ...delegation,
  ...plans,
  ...session,
  ...toolCalls,
};

/** The points that runs fire, each with its place there. */
export const runPoints: ReadonlyMap<PointName, InRuns> = new Map(
  pointNames.flatMap((point) => {
    const { inRuns } = definitions[point];
    return "never" in inRuns ? [] : [[point, inRuns] as const];
  }),
);

export function inRuns(point: PointName): InRuns {
  const found = runPoints.get(point);
  if (found === undefined) throw new Error(`no run fires ${point}`);
  return found;
}

/** The points of a run at which a hook can cancel. */
export const prePoints = [...runPoints.keys()].filter((point) => POINTS[point].kind === "pre");
