// The points that fire when a hook cancels, for every point where it can. Must not: be derived from what fired.
import { type PointName, POINTS } from "../../../src/index.js";
import { occasionOf, type RunPoint } from "./occasions.js";
import * as part from "./order-parts.js";

const { call, decided, end, first, goesOn, toCalls, toDecided, toDirective, told } = part;

/** The points of a run that can cancel something. */
export const prePoints = (Object.keys(occasionOf) as RunPoint[]).filter((point) => POINTS[point].kind === "pre");

export interface Stopped {
  readonly names: part.Names;
  /** How the run ends [complete]: a cancel need not end the run. */
  readonly ending?: string;
}

/** By point; `then` are the points that fire after each cancelled event. */
export function stoppedOrders(then: part.Names): Readonly<Partial<Record<PointName, Stopped>>> {
  const ending = "halted brake";
  // Adjacent repetitions count once.
  const refused: part.Names = then.length === 0 ? ["preToolCall"] : ["preToolCall", ...then, "preToolCall", ...then];
  return {
    userMessage: { names: ["sessionStart", "userMessage", ...then], ending },
    preCompact: { names: [...part.toCompact, ...then, ...call, ...end] },
    contextAssemble: { names: [...first, "contextAssemble", ...then, ...end], ending },
    preGenerate: { names: [...first, ...part.asked, ...then, ...end], ending },
    preToolCall: { names: [...toCalls, ...refused, ...told, ...told, ...goesOn] },
    permissionCheck: { names: [...toDecided, ...then, ...decided, ...then, ...told, ...told, ...goesOn] },
    directive: { names: [...toDirective, ...then, "toolResultPersist", ...goesOn] },
    customDirective: { names: [...toDirective, "customDirective", ...then, "toolResultPersist", ...goesOn] },
    delegate: { names: [...part.toDelegate, ...then, ...part.concluded, ...goesOn] },
    planExecution: { names: [...part.toPlan, ...then, "stateChange", "bootstrap", ...call, ...end] },
    complete: { names: [...part.toComplete, ...then, ...told, ...goesOn] },
    iterationEnd: {
      names: [...part.toBothDecided, ...told, ...told, "stateChange", "iterationEnd", ...then, ...part.leave],
      ending,
    },
  };
}

/** The tool result that the model gets for a call that the hook "brake" cancelled with that reason. */
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
