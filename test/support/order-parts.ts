// What fires together, by name, and with it the orders of runs that nobody disturbs. Must not: be made from what has fired.
import type { PointName } from "../../src/index.js";
import type { OccasionName } from "./occasions.js";

export const endings: Readonly<Partial<Record<OccasionName, string>>> = {
  miss: "limit maxIterations",
  slow: "limit maxTokens",
};

export type Names = readonly PointName[];

export const loop = ["stateChange", "loopStart", "stateChange"] as const satisfies Names;
/** Of the first run of a session. */
export const begin = ["sessionStart", "userMessage", ...loop, "loopIteration"] as const satisfies Names;
export const first = [...begin, "bootstrap"] as const satisfies Names;
export const asked = ["contextAssemble", "contextBudget", "preGenerate"] as const satisfies Names;
export const call = [...asked, "streamToken", "postGenerate"] as const satisfies Names;
/** A model call that is no part of the conversation. */
export const aside = ["contextBudget", "preGenerate", "streamToken", "postGenerate"] as const satisfies Names;
export const decided = ["preToolCall", "toolValidation", "permissionCheck"] as const satisfies Names;
export const told = ["postToolCall", "toolResultPersist"] as const satisfies Names;
/** After the results of a message, while the run goes on. */
export const on = ["stateChange", "iterationEnd"] as const satisfies Names;
export const leave = ["stateChange", "loopEnd", "stateChange"] as const satisfies Names;
export const end = ["iterationEnd", ...leave] as const satisfies Names;
/** The model answers, and that is all. */
export const answer = ["loopIteration", ...call, ...end] as const satisfies Names;
/** A message with one tool call, which runs. */
export const use = [...call, "stateChange", ...decided, ...told, ...on] as const satisfies Names;
/** Up to a delegation; a run of a tier; what comes after it. */
export const toDelegate = [...first, ...call, "stateChange", ...decided, "stateChange", "delegate"] as const;
export const child = [...loop, "loopIteration", "bootstrap", ...call, ...end] as const satisfies Names;
export const concluded = ["delegateComplete", "stateChange", ...told] as const satisfies Names;

export const undisturbed: Readonly<Record<OccasionName, Names>> = {
  talk: [...first, ...call, "stateChange", ...decided, ...decided, ...told, ...told, ...on, ...answer],
  error: [...first, ...call, "stateChange", ...decided, ...told, "error", ...on, ...answer],
  complete: [...first, ...call, "stateChange", ...decided, "stateChange", "complete", ...told, ...end],
  reflect: [
    ...first,
    ...call,
    "stateChange",
    ...decided,
    ...told,
    "stateChange",
    ...aside,
    "stateChange",
    "reflection",
    "iterationEnd",
    ...answer,
  ],
  delegate: [...toDelegate, ...child, ...concluded, ...on, ...answer],
  directive: [
    ...first,
    ...call,
    "stateChange",
    ...decided,
    "postToolCall",
    "directive",
    "toolResultPersist",
    ...on,
    ...answer,
  ],
  custom: [
    ...first,
    ...call,
    "stateChange",
    ...decided,
    "postToolCall",
    "directive",
    "customDirective",
    "toolResultPersist",
    ...on,
    ...answer,
  ],
  plan: [...begin, "stateChange", "planExecution", ...decided, ...told, "stateChange", "bootstrap", ...call, ...end],
  dry: [...first, ...use, "loopIteration", ...call, "iterationEnd", "stateChange", "dryRun", "loopEnd", "stateChange"],
  compact: [...first, ...use, "loopIteration", ...use, "loopIteration", "preCompact", "postCompact", ...call, ...end],
  miss: [
    ...first,
    ...use,
    "loopIteration",
    ...use,
    "loopIteration",
    "preCompact",
    "postCompact",
    ...call,
    "stateChange",
    ...decided,
    "compactionMiss",
    ...told,
    ...on,
    ...leave,
  ],
  slow: [...first, ...asked, "promptProgress", "streamToken", "postGenerate", ...end],
};
