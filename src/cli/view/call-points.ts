// The hook points that belong to a tool call.
import type { PointName } from "../../index.js";

const beforeTheCallRuns: readonly PointName[] = [
  "preToolCall",
  "toolValidation",
  "permissionCheck",
  "compactionMiss",
  "planExecution",
  "delegate",
];

const sinceTheCallRuns: readonly PointName[] = [
  "elicitation",
  "delegateComplete",
  "complete",
  "postToolCall",
  "directive",
  "customDirective",
  "toolResultPersist",
  "error",
];

/** Points that fire before the call runs. */
export const openingPoints: ReadonlySet<PointName> = new Set(beforeTheCallRuns);

/** All points of a call, from the arguments that the model wrote to the result that it receives. */
export const callPoints: ReadonlySet<PointName> = new Set([...beforeTheCallRuns, ...sinceTheCallRuns]);
