// Hook sets: handlers under one name. `hooks.use()` registers them.
import { userLine } from "./user-line.js";
import { checkObject, isObject, requiredString, wrong } from "../base/check.js";
import { type AnyPoint, type PointOf } from "../base/point-names.js";
import type { Handler, HandlersOf, HookOptions, HookSetFields, Observer } from "./hook-types.js";
import { checkHookOptions } from "./hook-options.js";
import { checkPoint, type Point } from "./points.js";
import { checkFields } from "./selection.js";
import { hookFlags } from "../generated/flags.js";
import type { NativeHookOptions } from "../native/addon.js";

/** One handler per point; every spelling of a point's name is accepted. */
export type HookHandlers = { readonly [K in AnyPoint]?: Handler<PointOf<K>> };

/** One observer per point; every spelling of a point's name is accepted. */
export type HookObservers = { readonly [K in AnyPoint]?: Observer<PointOf<K>> };

/** Options of all hooks of a set. `failClosed` applies to the pre points only. */
export interface HookSetOptions extends Omit<HookOptions, "name"> {
  /** True: all hooks of the set are guards, as those of `hooks.guard()`; they need pre points [false]. */
  readonly guard?: boolean;
}

/** Options of `defineHooks()`, for handlers that read the fields `F`. */
export interface DefineHooksOptions<
  F extends HookSetFields = HookSetFields,
  Observe extends boolean = boolean,
  Guard extends boolean = boolean,
> extends Omit<HookSetOptions, "observe" | "guard"> {
  /** True: all hooks of the set are observers; they return nothing [false]. */
  readonly observe?: Observe;
  /** True: all hooks of the set are guards, as those of `hooks.guard()`; they need pre points [false]. */
  readonly guard?: Guard;
  /**
   * The fields of the event that handlers read, by point, as the option `fields` of `hooks.on()` [all]:
   * `{ postGenerate: ["usage"] }`. A point without a handler may be among them.
   */
  readonly fields?: F;
}

/** Handlers for several points under one name, which are added and removed together. */
export interface HookSet {
  /** The name in decisions and errors; not empty. */
  readonly name: string;
  /** The handlers. `defineHooks()` normalises their keys to the names in `pointNames`. */
  readonly handlers: HookHandlers;
  /** Options of all hooks of the set. */
  readonly options: HookSetOptions;
}

/** A list of hook sets. Null and undefined entries are skipped, so that `condition ? set : null` works. */
export type HookSets = readonly (HookSet | null | undefined)[];

const setOptionKeys = ["priority", "deadlineMs", "failClosed", "observe", "originalContext", "once", "guard"] as const;

/**
 * Defines a set of hooks, for `engine.hooks.use()` or `createEngine({ hooks })`. `handlers` must be a plain object:
 * methods of a class instance are not own properties and would be lost. Errors: `TypeError`.
 *
 * @example
 * ```ts
 * const tokens = defineHooks(
 *   "tokens",
 *   { postGenerate: ({ usage }) => console.log(usage.completionTokens) },
 *   { observe: true, fields: { postGenerate: ["usage"] } },
 * );
 * ```
 */
export function defineHooks<
  const F extends HookSetFields = Record<never, never>,
  Observe extends boolean = false,
  Guard extends boolean = false,
>(name: string, handlers: HandlersOf<F, Observe, Guard>, options?: DefineHooksOptions<F, Observe, Guard>): HookSet;
export function defineHooks(name: string, handlers: object, options: DefineHooksOptions = {}): HookSet {
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
  const what = `The options of ${JSON.stringify(name)}`;
  const { flags } = checkHookOptions(options, what, setOptionKeys, ["fields"]);
  if ((flags & hookFlags.guard) !== 0)
    for (const point of Object.keys(named)) {
      const { kind } = checkPoint(point).info;
      if (kind !== "pre")
        throw new TypeError(
          `${name}.${point}: a guard needs a pre point; ${point} is a ${kind} point, which cannot cancel`,
        );
    }
  const fields = fieldsByPoint(name, options.fields, `${what}.fields`);
  const all = Object.freeze({ ...options, ...(fields !== undefined && { fields }) });
  const set = Object.freeze({ name, handlers: Object.freeze(named), options: all as HookSetOptions });
  definedAt.set(set, userLine());
  return set;
}

/** The sets of defineHooks(), which are checked, and the line at which each was defined. */
const definedAt = new WeakMap<HookSet, string | undefined>();

/** The line at which a set was registered, and the line at which it was defined, if it is another line. */
export function locationOf(set: HookSet, registered: string | undefined): string | undefined {
  const defined = definedAt.get(set);
  if (registered === undefined || defined === undefined || defined === registered) return registered ?? defined;
  return `${registered} (defined at ${defined})`;
}

/** Checks the fields of a set, and names their points as `pointNames` does. */
function fieldsByPoint(
  name: string,
  fields: unknown,
  what: string,
): Readonly<Record<string, readonly string[]>> | undefined {
  if (fields === undefined) return undefined;
  if (!isPlain(fields)) throw wrong(what, "an object of lists of fields by point", fields);
  const named: Record<string, readonly string[]> = {};
  for (const [key, list] of Object.entries(fields)) {
    const at = checkPoint(key);
    const point = at.info.tsName;
    if (list === undefined) continue;
    if (Object.hasOwn(named, point))
      throw new TypeError(`${JSON.stringify(name)} has two lists of fields for ${point}`);
    checkFields(list, at, `${what}.${point}`);
    named[point] = Object.freeze([...(list as string[])]);
  }
  return Object.freeze(named);
}

/** True if the value is a plain object, of any realm. */
function isPlain(value: unknown): value is object {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Checks a hook set, which need not come from `defineHooks()`. */
export function checkHookSet(value: unknown, what: string): HookSet {
  if (definedAt.has(value as HookSet)) return value as HookSet;
  const { name, handlers, options } = checkObject(value, what, ["name", "handlers", "options"]);
  return defineHooks(requiredString(name, `${what}.name`), handlers as HookHandlers, (options ?? {}) as object);
}

/** Checks a list of sets; `what` names the list in messages. */
export function checkHookSets(list: readonly unknown[], what: string): HookSet[] {
  return list.flatMap((set, index) =>
    set === null || set === undefined ? [] : [checkHookSet(set, `${what}[${index}]`)],
  );
}

/** Checks one set or a list of sets; `one` names a value that is not a list. */
export function hookSetsOf(sets: unknown, what: string, one = what): readonly HookSet[] {
  return Array.isArray(sets) ? checkHookSets(sets, what) : [checkHookSet(sets, one)];
}

/** Returns the handlers of a checked set, each with its options in the addon's form. */
export function handlersOf({ name, handlers, options }: HookSet): {
  readonly at: Point;
  readonly handler: (event: never) => unknown;
  readonly options: NativeHookOptions;
}[] {
  const checked = checkHookOptions(options, "options", setOptionKeys, ["fields"]);
  const { fields } = options as { readonly fields?: Readonly<Record<string, readonly string[]>> };
  return Object.entries(handlers).flatMap(([point, handler]) => {
    if (handler === undefined) return [];
    const at = checkPoint(point);
    const flags = at.info.kind === "pre" ? checked.flags : checked.flags & ~hookFlags.failClosed;
    return [
      {
        at,
        handler: handler as (event: never) => unknown,
        options: { ...checked, name, flags, fields: checkFields(fields?.[point], at, "fields") },
      },
    ];
  });
}
