// The tool results that the model gets for calls that a hook cancels.
import type { PointName } from "../../../src/index.js";

/** The tool result that the model gets for a call that the hook "brake" cancelled with that reason. */
export function resultsOfStop(reason: string): Readonly<Partial<Record<PointName, readonly string[]>>> {
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
