// Checks the options of a registration and converts them for the addon.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { checkObject, optionalBoolean, optionalInteger, optionalName, requiredString } from "../base/check.js";
import { LlamaHooksError } from "../base/errors.js";
import { unpackedPath } from "../base/unpacked-path.js";
import { hookFlags } from "../generated/flags.js";
import type { NativeHookOptions } from "../native/addon.js";
import type { Point } from "./points.js";

/** The default timeout of a handler in milliseconds. */
export const defaultDeadlineMs = 30_000;

const flagKeys = Object.keys(hookFlags) as (keyof typeof hookFlags)[];
export type HookOptionKey = "name" | "priority" | "deadlineMs" | keyof typeof hookFlags;

/** Checks the options named in `known` and converts them. Other keys are refused, except those in `beside`. */
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
    throw new TypeError(`${what}: an observer cannot be a guard or fail closed, because nobody waits for its answer`);
  }
  if (has(hookFlags.observe) && given.deadlineMs !== undefined) {
    throw new TypeError(`${what}: an observer takes no deadlineMs, because nobody waits for its answer`);
  }
  if (has(hookFlags.guard, hookFlags.originalContext)) {
    throw new TypeError(`${what}: a guard cannot take originalContext, because it checks the final event`);
  }
  if (has(hookFlags.parallel) && (flags & (hookFlags.guard | hookFlags.failClosed | hookFlags.observe)) !== 0) {
    throw new TypeError(
      `${what}: a parallel hook returns parts, so it cannot be a guard or an observer or fail closed`,
    );
  }
  return {
    name: optionalName(given.name, `${what}.name`) ?? "",
    priority: optionalInteger(given.priority, `${what}.priority`, -(2 ** 31)) ?? 0,
    deadlineMs: optionalInteger(given.deadlineMs, `${what}.deadlineMs`, 0) ?? deadlineMs,
    flags,
    when: null,
  };
}

/** Errors: INVALID_ARGUMENT if the path is relative: the loader would search it, or take it from the current folder. */
export function libraryPath(library: string): string {
  const file = library.startsWith("file:") ? fileURLToPath(library) : library;
  if (path.isAbsolute(file)) return unpackedPath(path.resolve(requiredString(file, "The path of a library")));
  throw new LlamaHooksError(
    "INVALID_ARGUMENT",
    `The library of hooks.addNative() must be an absolute path, or a file URL such as new URL("./libmine.so", import.meta.url), got ${JSON.stringify(library)}`,
  );
}

/** Errors: `TypeError` if `parallel` is set at a point that collects nothing. */
export function checkParallel({ tsName, collected }: Point["info"], flags: number): void {
  if ((flags & hookFlags.parallel) !== 0 && collected.length === 0)
    throw new TypeError(`parallel needs a point that collects parts; ${tsName} collects none`);
}
