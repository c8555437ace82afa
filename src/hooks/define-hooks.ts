// Named sets of handlers. Must not: register them; hooks.use() does.
import { checkObject, isObject, requiredString, wrong } from "../base/check.js";
import { type AnyPoint, type PointOf } from "../base/point-names.js";
import type { Handler, HookOptions } from "./hook-types.js";
import { checkHookOptions } from "./hook-options.js";
import { checkPoint, type Point } from "./points.js";
import { hookFlags } from "../generated/flags.js";
import type { NativeHookOptions } from "../native/addon.js";

/** One handler a point, which may be named in any way. */
export type HookHandlers = { readonly [K in AnyPoint]?: Handler<PointOf<K>> };

/** Options of all hooks of a set. `failClosed` counts at its pre points. */
export type HookSetOptions = Omit<HookOptions, "name">;

/** Handlers for several points under one name: added, attributed and removed as one. */
export interface HookSet {
  /** For attribution in decisions and errors; not empty. */
  readonly name: string;
  /** `defineHooks()` gives them by the names in `pointNames`. */
  readonly handlers: HookHandlers;
  /** Of all its hooks. */
  readonly options: HookSetOptions;
}

/** A list of sets: what is null or undefined is left out, so that a set can stand there on a condition. */
export type HookSets = readonly (HookSet | null | undefined)[];

const setOptionKeys = ["priority", "deadlineMs", "failClosed", "observe", "originalContext", "once"] as const;

/**
 * A set of hooks, for `engine.hooks.use()` or `createEngine({ hooks })`. Its handlers are the object's own: an instance of a
 * class, whose methods would be lost, is refused. Errors: `TypeError`.
 */
export function defineHooks(name: string, handlers: HookHandlers, options: HookSetOptions = {}): HookSet {
  requiredString(name, "The name of a hook set");
  if (!isPlain(handlers)) throw wrong(`The handlers of ${JSON.stringify(name)}`, "a plain object", handlers);
  const named: Record<string, unknown> = {};
  for (const [key, handler] of Object.entries(handlers)) {
    const point = checkPoint(key).info.tsName;
    if (handler === undefined) continue;
    if (typeof handler !== "function") throw wrong(`${name}.${point}`, "a function", handler);
    if (Object.hasOwn(named, point)) throw new TypeError(`${JSON.stringify(name)} has two handlers for ${point}`);
    named[point] = handler;
  }
  checkHookOptions(options, `The options of ${JSON.stringify(name)}`, setOptionKeys);
  return Object.freeze({ name, handlers: Object.freeze(named), options: Object.freeze({ ...options }) });
}

/** Of any realm. */
function isPlain(value: unknown): value is object {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Checks what was given as a set; one made by hand is fine. */
export function checkHookSet(value: unknown, what: string): HookSet {
  const { name, handlers, options } = checkObject(value, what, ["name", "handlers", "options"]);
  return defineHooks(requiredString(name, `${what}.name`), handlers as HookHandlers, (options ?? {}) as HookSetOptions);
}

/** Checks a list of sets; `what` names it. */
export function checkHookSets(list: readonly unknown[], what: string): HookSet[] {
  return list.flatMap((set, index) =>
    set === null || set === undefined ? [] : [checkHookSet(set, `${what}[${index}]`)],
  );
}

/** Checks one set, or a list of them; `one` names what is no list. */
export function hookSetsOf(sets: unknown, what: string, one = what): readonly HookSet[] {
  return Array.isArray(sets) ? checkHookSets(sets, what) : [checkHookSet(sets, one)];
}

/** The handlers of a checked set, each with its options as the addon takes them. */
export function handlersOf({ name, handlers, options }: HookSet): {
  readonly at: Point;
  readonly handler: (event: never) => unknown;
  readonly options: NativeHookOptions;
}[] {
  const checked = checkHookOptions(options, "options", setOptionKeys);
  return Object.entries(handlers).flatMap(([point, handler]) => {
    if (handler === undefined) return [];
    const at = checkPoint(point);
    const flags = at.info.kind === "pre" ? checked.flags : checked.flags & ~hookFlags.failClosed;
    return [{ at, handler: handler as (event: never) => unknown, options: { ...checked, name, flags } }];
  });
}
