// Recognizes the hooks that the command itself adds. The user does not see them.
import { CallTracker } from "./call-tracker.js";
import { PointCount } from "./point-count.js";

const names = new Set([PointCount.hookName, CallTracker.hookName]);

export function isOwnHook({ name }: { readonly name: string }): boolean {
  return names.has(name);
}

/** Adds the name of hooks that a part of the command adds, which need not be loaded otherwise. */
export function addOwnHook(name: string): void {
  names.add(name);
}
