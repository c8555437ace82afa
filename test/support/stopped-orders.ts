// What fires when a hook forbids what its point asks about, everywhere where one can. Must not: be made from what has fired.
import { type PointName, POINTS } from "../../src/index.js";
import { occasionOf, type RunPoint } from "./occasions.js";
import * as part from "./order-parts.js";

const { answer, begin, call, concluded, decided, end, first, on, toDelegate, told, use } = part;

/** The points of a run at which something can be forbidden. */
export const prePoints = (Object.keys(occasionOf) as RunPoint[]).filter((point) => POINTS[point].kind === "pre");

export interface Stopped {
  readonly names: part.Names;
  /** How the run ends [complete]: what is forbidden may be less than the run. */
  readonly ending?: string;
}

/** By point; `then` is what fires behind each cancelled event. */
export function stoppedOrders(then: part.Names): Readonly<Partial<Record<PointName, Stopped>>> {
  const directed = [...first, ...call, "stateChange", ...decided, "postToolCall", "directive"] as const;
  const reading = [...first, ...use, "loopIteration", ...use, "loopIteration", "preCompact"] as const;
  const ending = "halted brake";
  return {
    userMessage: { names: ["sessionStart", "userMessage", ...then], ending },
    preCompact: { names: [...reading, ...then, ...call, ...end] },
    contextAssemble: { names: [...first, "contextAssemble", ...then, ...end], ending },
    preGenerate: { names: [...first, ...part.asked, ...then, ...end], ending },
    preToolCall: {
      names: [
        ...first,
        ...call,
        "stateChange",
        ...(then.length === 0 ? ["preToolCall"] : ["preToolCall", ...then, "preToolCall", ...then]),
        ...told,
        ...told,
        ...on,
        ...answer,
      ] as part.Names,
    },
    permissionCheck: {
      names: [
        ...first,
        ...call,
        "stateChange",
        ...decided,
        ...then,
        ...decided,
        ...then,
        ...told,
        ...told,
        ...on,
        ...answer,
      ],
    },
    directive: { names: [...directed, ...then, "toolResultPersist", ...on, ...answer] },
    customDirective: { names: [...directed, "customDirective", ...then, "toolResultPersist", ...on, ...answer] },
    delegate: { names: [...toDelegate, ...then, ...concluded, ...on, ...answer] },
    planExecution: {
      names: [...begin, "stateChange", "planExecution", ...then, "stateChange", "bootstrap", ...call, ...end],
    },
    complete: {
      names: [
        ...first,
        ...call,
        "stateChange",
        ...decided,
        "stateChange",
        "complete",
        ...then,
        ...told,
        ...on,
        ...answer,
      ] as part.Names,
    },
    iterationEnd: {
      names: [
        ...first,
        ...call,
        "stateChange",
        ...decided,
        ...decided,
        ...told,
        ...told,
        "stateChange",
        "iterationEnd",
        ...then,
        ...part.leave,
      ] as part.Names,
      ending,
    },
  };
}

/** What the model is told of a call that was forbidden there, by the hook "brake" with that reason. */
export function toldOf(reason: string): Readonly<Partial<Record<PointName, readonly string[]>>> {
  return {
    preToolCall: [`blocked by brake: ${reason}`, `blocked by brake: ${reason}`],
    permissionCheck: [`denied: ${reason}`, `denied: ${reason}`],
    directive: ["directed"],
    customDirective: ["directed"],
    delegate: [`blocked by brake: ${reason}`],
    complete: [`rejected: ${reason}`],
    iterationEnd: ["Oslo: 4 degrees", "Rome: 4 degrees"],
  };
}
