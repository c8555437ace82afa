// Groups of points that fire together, by name. Must not: be derived from what fired; the tests would prove nothing.
import type { PointName } from "../../../src/index.js";

export type Names = readonly PointName[];

export const loop = ["stateChange", "loopStart", "stateChange"] as const satisfies Names;
/** The start of a session's first run. */
export const begin = ["sessionStart", "userMessage", ...loop, "loopIteration"] as const satisfies Names;
export const first = [...begin, "bootstrap"] as const satisfies Names;
export const asked = ["contextAssemble", "contextBudget", "preGenerate"] as const satisfies Names;
export const call = [...asked, "streamToken", "postGenerate"] as const satisfies Names;
/** A model call outside of the conversation. */
export const aside = ["contextBudget", "preGenerate", "streamToken", "postGenerate"] as const satisfies Names;
export const decided = ["preToolCall", "toolValidation", "permissionCheck"] as const satisfies Names;
export const recorded = ["postToolCall", "toolResultPersist"] as const satisfies Names;
/** After the results of a message, when the run continues. */
export const on = ["stateChange", "iterationEnd"] as const satisfies Names;
export const leave = ["stateChange", "loopEnd", "stateChange"] as const satisfies Names;
export const end = ["iterationEnd", ...leave] as const satisfies Names;
/** The model only answers. */
export const answer = ["loopIteration", ...call, ...end] as const satisfies Names;
/** The run continues after the results of a message, and the model answers. */
export const continues = [...on, ...answer] as const satisfies Names;
/** A message with one tool call, which may run. */
export const act = [...call, "stateChange", ...decided] as const satisfies Names;
/** A message with one tool call, which runs. */
export const use = [...act, ...recorded, ...on] as const satisfies Names;

/** The first run of a session, up to the first message's tool calls; until one, or two, may run. */
export const toCalls = [...first, ...call, "stateChange"] as const satisfies Names;
export const toDecided = [...toCalls, ...decided] as const satisfies Names;
export const toBothDecided = [...toDecided, ...decided] as const satisfies Names;
/** Up to the point that they are named after, as it fires first. */
export const toDirective = [...toDecided, "postToolCall", "directive"] as const satisfies Names;
export const toComplete = [...toDecided, "stateChange", "complete"] as const satisfies Names;
export const toDelegate = [...toDecided, "stateChange", "delegate"] as const satisfies Names;
export const toReflection = [
  ...toDecided,
  ...recorded,
  "stateChange",
  ...aside,
  "stateChange",
  "reflection",
] as const satisfies Names;
export const toCompact = [
  ...first,
  ...use,
  "loopIteration",
  ...use,
  "loopIteration",
  "preCompact",
] as const satisfies Names;
export const toPlan = [...begin, "stateChange", "planExecution"] as const satisfies Names;

/** A run of a tier, up to its first model call; all of it; what comes after it where it was asked for. */
export const enter = [...loop, "loopIteration", "bootstrap"] as const satisfies Names;
export const child = [...enter, ...call, ...end] as const satisfies Names;
export const concluded = ["delegateComplete", "stateChange", ...recorded] as const satisfies Names;
