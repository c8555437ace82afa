// The types of handlers: what each kind of point hands over and takes back. Must not: hold any code that runs.
import type { AnyPoint, PointOf } from "../base/point-names.js";
import type { Cancel } from "./cancel.js";
import type { HookFlags } from "../generated/flags.js";
import type { HookAnswers, HookEvents, HookMeta, PointName, PostPoint, PrePoint } from "../generated/points.js";

/**
 * What a handler is given: its `point`, the fields of that and `meta`, with keys in camelCase (keys of the user's own data,
 * such as a tool's arguments, stay as they are). A copy: changing it does nothing; what the handler returns counts.
 */
export type HookEventOf<P extends PointName> = {
  readonly [Name in P]: HookEvents[Name] & {
    /** Name of the point, by which the events of {@link AnyHookEvent} are told apart. */
    readonly point: Name;
    /** Aborts when the answer is no longer wanted: deadline (HOOK_TIMEOUT), cancellation (CANCELLED), `close()` (CLOSED); of an observer, for which nobody waits, never. */
    readonly signal: AbortSignal;
  };
}[P];

/** An event of any point: for one handler at several points, which asks `event.point` where it is. */
export type AnyHookEvent = HookEventOf<PointName>;

/** The fields that a handler may return; those left out stay as they are. */
export type HookAnswerOf<P extends PointName> = P extends keyof HookAnswers ? HookAnswers[P] : never;

// `void` in a union admits functions that return nothing, and no others; alone it would admit every function.
type Nothing = void | undefined | Promise<void> | Promise<undefined>;
type Answering<T> = T | Promise<T | void | undefined> | Nothing;

/** A handler that may change and cancel. */
export type PreHandler<P extends PrePoint> = (event: HookEventOf<P>) => Answering<HookAnswerOf<P> | Cancel>;

/** A handler that may change. */
export type PostHandler<P extends PostPoint> = (event: HookEventOf<P>) => Answering<HookAnswerOf<P>>;

/** A handler that observes. It returns nothing: a veto here does not compile, because nothing would come of it. */
export type Observer<P extends PointName> = (event: HookEventOf<P>) => Nothing;

/** A handler that allows or cancels. */
export type GuardHandler<P extends PrePoint> = (event: HookEventOf<P>) => Answering<Cancel>;

/** The handler of a point: what it may return follows from the kind of the point. */
export type Handler<P extends PointName> = P extends PrePoint
  ? PreHandler<P>
  : P extends PostPoint
    ? PostHandler<P>
    : Observer<P>;

/** What of `meta` a matcher may name as it names a field. */
type MetaKey = "tier" | "modelId" | "depth" | "iteration" | "sessionId" | "runId" | "parentRunId";

/** Equals it, or matches it. */
type ValueTest<T> = (T & (string | number | boolean | null)) | RegExp;
/** Equals it, matches it, or returns true. */
type FieldTest<T> = ValueTest<T> | ((value: T) => boolean);

/**
 * Calls a handler only for events whose fields match: fields of the event, or of its `meta`. What the engine decides itself
 * costs no call: values, and a RegExp of plain texts with `^`, `$` and `|` (`/^fs_/`, `/_read$/`, `/^(?:a|b)$/`), but for the
 * flags i, m and y. Any other RegExp, and functions, are asked in JavaScript; each test with g or y begins at the start.
 */
export type Matcher<P extends PointName> = {
  readonly [K in keyof HookEvents[P]]?: FieldTest<HookEvents[P][K]>;
} & { readonly [K in Exclude<MetaKey, keyof HookEvents[P]>]?: FieldTest<HookMeta[K]> };

/**
 * The same for a hook in C, without JavaScript: values, and what the engine knows of RegExp. `TypeError` for any other RegExp,
 * and for functions.
 */
export type NativeMatcher<P extends PointName> = {
  readonly [K in Exclude<keyof HookEvents[P], "meta">]?: ValueTest<HookEvents[P][K]>;
} & { readonly [K in Exclude<MetaKey, keyof HookEvents[P]>]?: ValueTest<HookMeta[K]> };

/** Options that every hook may have, alone or in a set. */
export interface HookOptions extends Pick<HookFlags, "failClosed" | "observe" | "originalContext" | "once"> {
  /** For attribution in decisions and errors [the handler's own name, else "hook <id>"]. */
  readonly name?: string;
  /** Ascending; equal priorities run in the order of registration [0]. */
  readonly priority?: number;
  /** Milliseconds until a call counts as failed; 0: none, for a person who is asked [30000]. An observer has none. */
  readonly deadlineMs?: number;
}

/** Options of `hooks.on()`. */
export interface OnOptions<P extends PointName> extends HookOptions, Pick<HookFlags, "parallel"> {
  /** Which events it is for [all]. */
  readonly when?: Matcher<P>;
}

/** Options of `hooks.guard()`. */
export type GuardOptions<P extends PrePoint> = Pick<OnOptions<P>, "name" | "priority" | "deadlineMs" | "when">;

/** Options of `hooks.addNative()`. */
export interface NativeHookOptions<K extends AnyPoint = AnyPoint>
  extends HookOptions, Pick<HookFlags, "guard" | "jsonResult" | "parallel"> {
  /** Path of the shared library. */
  readonly library: string;
  /**
   * A function of the type `lh_hook_fn`. Without symbol and point the library is a plug-in, whose `lh_plugin_init` adds its
   * hooks with options of their own; the other options here are then refused.
   */
  readonly symbol?: string;
  /** Where it is asked. */
  readonly point?: K;
  /** Which events it is for [all]. */
  readonly when?: NativeMatcher<PointOf<K>>;
}
