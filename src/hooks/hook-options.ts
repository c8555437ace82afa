// Options of a registration: checks, and their form for the addon. Must not: register anything.
import { checkObject, optionalBoolean, optionalInteger, optionalString } from "../base/check.js";
import { hookFlags } from "../generated/flags.js";
import type { NativeHookOptions } from "../native/addon.js";

/** Milliseconds that a handler has unless its registration says otherwise. */
export const defaultDeadlineMs = 30_000;

const flagKeys = Object.keys(hookFlags) as (keyof typeof hookFlags)[];
export type HookOptionKey = "name" | "priority" | "deadlineMs" | keyof typeof hookFlags;

/** Checks the options named in `known` (others are refused, but for `beside`) and gives their native form. */
export function checkHookOptions(
  options: unknown,
  what: string,
  known: readonly HookOptionKey[],
  beside: readonly string[] = [],
  deadlineMs: number = defaultDeadlineMs,
): NativeHookOptions {
  const given = checkObject(options, what, [...known, ...beside]) as { [K in HookOptionKey]?: unknown };
  let flags = 0;
  for (const flag of flagKeys) if (optionalBoolean(given[flag], `${what}.${flag}`) === true) flags |= hookFlags[flag];
  const has = (...bits: number[]): boolean => bits.every((bit) => (flags & bit) !== 0);
  if (has(hookFlags.observe) && (has(hookFlags.failClosed) || has(hookFlags.guard))) {
    throw new TypeError(`${what}: nobody waits for an observer, so it cannot be a guard or fail closed`);
  }
  if (has(hookFlags.observe) && given.deadlineMs !== undefined) {
    throw new TypeError(`${what}: nobody waits for an observer, so it has no deadlineMs`);
  }
  if (has(hookFlags.guard, hookFlags.originalContext)) {
    throw new TypeError(`${what}: a guard sees what will really happen, not the original context`);
  }
  if (has(hookFlags.parallel) && (flags & (hookFlags.guard | hookFlags.failClosed | hookFlags.observe)) !== 0) {
    throw new TypeError(`${what}: a parallel hook gives parts: it is no guard, no observer, and cannot fail closed`);
  }
  return {
    name: optionalString(given.name, `${what}.name`) ?? "",
    priority: optionalInteger(given.priority, `${what}.priority`, -(2 ** 31)) ?? 0,
    deadlineMs: optionalInteger(given.deadlineMs, `${what}.deadlineMs`, 0) ?? deadlineMs,
    flags,
    when: null,
  };
}
