// Warns about the failure of an observer, for which nobody waits.
import { LlamaHooksError } from "../base/errors.js";
import type { PointName } from "../generated/points.js";

export function warnOfObserver(hook: string, point: PointName, cause: unknown): void {
  process.emitWarning(new LlamaHooksError("HOOK_FAILED", `The observer ${hook} at ${point} failed`, { cause }));
}
