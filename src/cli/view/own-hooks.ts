// The hooks that the command adds for itself: the user did not ask for them, and does not see them. Must not: add any.
import { CallTracker } from "./call-tracker.js";
import { PointCount } from "./point-count.js";

const names: ReadonlySet<string> = new Set([PointCount.hookName, CallTracker.hookName]);

export function isOwnHook({ name }: { readonly name: string }): boolean {
  return names.has(name);
}
