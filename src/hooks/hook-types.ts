// The types of handlers, by the kind of their point. Types only, no code.
import type { AnyPoint, PointOf } from "../base/point-names.js";
import type { Cancel } from "./cancel.js";
import type { HookFlags } from "../generated/flags.js";
import type { HookAnswers, HookEvents, HookMeta, PointName, PostPoint, PrePoint, Tags } from "../generated/points.js";

/**
 * The event that a handler gets: `point`, the fields of that point, and `meta`. Keys are camelCase; keys of user data,
 * such as a tool's arguments, are not converted. The event is a copy: changing it has no effect, only the returned
 * answer counts.
 */
export type HookEventOf<P extends PointName> = {
  readonly [Name in P]: HookEvents[Name] & {
    /** The name of the point, which discriminates {@link AnyHookEvent}. */
    readonly point: Name;
    /**
     * Aborts when the engine stops waiting for the answer: on timeout (HOOK_TIMEOUT), cancellation (CANCELLED) or
     * `close()` (CLOSED). The signal of an observer never aborts, because the engine does not wait for observers.
     */
    readonly signal: AbortSignal;
  };
}[P];

/** The event of any point, for a handler at several points. `event.point` says which point it is. */
export type AnyHookEvent = HookEventOf<PointName>;

/** The fields that a handler may return. Omitted fields stay unchanged. */
export type HookAnswerOf<P extends PointName> = P extends keyof HookAnswers ? HookAnswers[P] : never;

// `void` in a union admits only functions that return nothing; alone it would admit every function.
type Nothing = void | undefined | Promise<void> | Promise<undefined>;
type Answering<T> = T | Promise<T | void | undefined> | Nothing;

/** A handler that may change and cancel. */
export type PreHandler<P extends PrePoint> = (event: HookEventOf<P>) => Answering<HookAnswerOf<P> | Cancel>;

/** A handler that may change. */
export type PostHandler<P extends PostPoint> = (event: HookEventOf<P>) => Answering<HookAnswerOf<P>>;

/**
 * A handler that observes and returns nothing. Returning a cancel is a compile error, because it would have no effect.
 */
export type Observer<P extends PointName> = (event: HookEventOf<P>) => Nothing;

/** A handler that allows or cancels. */
export type GuardHandler<P extends PrePoint> = (event: HookEventOf<P>) => Answering<Cancel>;

/** The handler of a point. The kind of the point determines what it may return. */
export type Handler<P extends PointName> = P extends PrePoint
  ? PreHandler<P>
  : P extends PostPoint
    ? PostHandler<P>
    : Observer<P>;

/** Fields of `meta` that a matcher may name directly. */
type MetaKey = "tier" | "modelId" | "depth" | "iteration" | "sessionId" | "runId" | "parentRunId";

/** An equal value, or a RegExp that matches. */
type ValueTest<T> = (T & (string | number | boolean | null)) | RegExp;
/** An equal value, a RegExp that matches, or a function that returns true. */
type FieldTest<T> = ValueTest<T> | ((value: T) => boolean);

/**
 * Selects the events that a handler is called for, by fields of the event or of its `meta`, `"tags.<name>"` among them.
 * The engine itself tests
 * values and simple RegExps, made of plain text with `^`, `$` and `|` (`/^fs_/`, `/_read$/`, `/^(?:a|b)$/`) without the
 * flags i, m and y; an event that fails these tests costs no call into JavaScript. Functions and other RegExps are
 * tested in JavaScript; a RegExp with the flag g or y starts at index 0 each time.
 */
export type Matcher<P extends PointName> = {
  readonly [K in keyof HookEvents[P]]?: FieldTest<HookEvents[P][K]>;
} & { readonly [K in Exclude<MetaKey, keyof HookEvents[P]>]?: FieldTest<HookMeta[K]> } & {
  readonly [K in `tags.${string}`]?: FieldTest<Tags[string] | undefined>;
};

/**
 * A matcher for a native hook, tested without JavaScript: values and simple RegExps, see {@link Matcher}. A function or
 * another RegExp is a `TypeError`.
 */
export type NativeMatcher<P extends PointName> = {
  readonly [K in Exclude<keyof HookEvents[P], "meta">]?: ValueTest<HookEvents[P][K]>;
} & { readonly [K in Exclude<MetaKey, keyof HookEvents[P]>]?: ValueTest<HookMeta[K]> } & {
  readonly [K in `tags.${string}`]?: ValueTest<Tags[string] | undefined>;
};

/** A field of a point's event that a hook may choose with `fields`. */
export type FieldOf<P extends PointName> = { readonly [Name in P]: Exclude<keyof HookEvents[Name], "meta"> }[P];

/** The fields that every event has. */
type CommonField = "point" | "meta" | "signal";

/** The event of a hook that reads only the fields `F`. */
export type FieldsEventOf<P extends PointName, F> = {
  readonly [Name in P]: Pick<HookEventOf<Name>, Extract<keyof HookEventOf<Name>, F | CommonField>>;
}[P];

/** An observer that reads only the fields `F`. */
export type FieldsObserver<P extends PointName, F> = (event: FieldsEventOf<P, F>) => ReturnType<Observer<P>>;

/** The handler of a hook that reads only the fields `F`. */
export type FieldsHandler<P extends PointName, F> = (event: FieldsEventOf<P, F>) => ReturnType<Handler<P>>;

/** Names the fields that a hook reads. */
export interface OfFields<F> {
  /**
   * The fields of the event that the handler reads, beside `point` and `meta` [all]; the event has no others, except
   * those that `when` tests in JavaScript. Fields that grow with the conversation, such as `messages`, are not made if
   * no hook reads them. The answer may still change all that the point lets it change.
   */
  readonly fields: readonly F[];
}

/** The fields that the handlers of a hook set read, by point: see {@link OfFields}. */
export type HookSetFields = { readonly [K in AnyPoint]?: readonly FieldOf<PointOf<K>>[] };

/** The points that have fields in `F`, however they are spelled. */
type NamedIn<F> = { [K in keyof F]: K extends AnyPoint ? PointOf<K> : never }[keyof F];

/** The names of fields that `F` has for a point. */
type NamesFor<F, P extends PointName> = {
  [K in keyof F]: K extends AnyPoint
    ? P extends PointOf<K>
      ? F[K] extends readonly (infer Name)[]
        ? Name
        : never
      : never
    : never;
}[keyof F];

/** The event of a handler of a set whose handlers read the fields `F`. */
type SetEventOf<P extends PointName, F> = [P] extends [NamedIn<F>] ? FieldsEventOf<P, NamesFor<F, P>> : HookEventOf<P>;

/** The answer of a handler of a set of observers, guards or other hooks. */
type SetAnswerOf<P extends PointName, Observe, Guard> = [Observe] extends [true]
  ? ReturnType<Observer<P>>
  : [Guard] extends [true]
    ? ReturnType<GuardHandler<Extract<P, PrePoint>>>
    : ReturnType<Handler<P>>;

/** One handler per point, which read the fields `F`: observers, guards or other hooks. Guards need pre points. */
export type HandlersOf<F extends HookSetFields, Observe extends boolean = false, Guard extends boolean = false> = {
  readonly [K in AnyPoint]?: [Guard, PointOf<K>] extends [true, Exclude<PointName, PrePoint>]
    ? never
    : (event: SetEventOf<PointOf<K>, F>) => SetAnswerOf<PointOf<K>, Observe, Guard>;
};

/** Options of every hook, alone or in a set. */
export interface HookOptions extends Pick<HookFlags, "failClosed" | "observe" | "originalContext" | "once"> {
  /** The name in decisions and errors [the handler's own name, else "hook <id>"]. */
  readonly name?: string;
  /** Hooks run in ascending order of priority, then in order of registration [0]. */
  readonly priority?: number;
  /** Milliseconds until a call times out [30000]; 0: no timeout, for a hook that asks a person. Not for observers. */
  readonly deadlineMs?: number;
}

/** Options of `hooks.on()`. */
export interface OnOptions<P extends PointName> extends HookOptions, Pick<HookFlags, "parallel"> {
  /** The events that the handler is called for [all]. */
  readonly when?: Matcher<P>;
}

/** A tool that hooks can be bound to: the result of `tool()`, or any object with the tool's name. */
export interface NamedTool {
  /** The name of the tool. */
  readonly name: string;
  /** The arguments as the model writes them; exists for the compiler only. */
  readonly types?:
    | {
        /** The arguments as the model writes them. */
        readonly args: unknown;
      }
    | undefined;
}

/** A point whose event names a tool. */
export type ToolPoint = {
  readonly [P in PointName]: "toolName" extends keyof HookEvents[P] ? P : never;
}[PointName];

/** The arguments that the function of a tool receives: with the defaults and conversions of its schema object. */
type GivenTo<T> = T extends { run(args: infer Given, ...rest: never[]): unknown } ? Given : unknown;

/** The arguments of a tool, as hooks see them; a tool without types may have any arguments. */
type ArgsOf<T extends NamedTool> = unknown extends NonNullable<T["types"]>["args"]
  ? Readonly<Record<string, unknown>>
  : unknown extends GivenTo<T>
    ? NonNullable<T["types"]>["args"]
    : GivenTo<T>;

/**
 * The event of a hook that is bound to a tool. Its `args` have the type that the tool receives, except that they are
 * JSON: a `Date` is a text. At points that fire before the engine refuses invalid arguments, the model may have written
 * others.
 */
export type ToolEventOf<P extends ToolPoint, T extends NamedTool> = {
  readonly [Name in P]: {
    readonly [K in keyof HookEventOf<Name>]: K extends "args"
      ? ArgsOf<T>
      : K extends "toolName"
        ? T["name"]
        : HookEventOf<Name>[K];
  };
}[P];

/** The event of a hook that is bound to a tool and reads only the fields `F`. */
type ToolFieldsEventOf<P extends ToolPoint, T extends NamedTool, F> = {
  readonly [Name in P]: Pick<ToolEventOf<Name, T>, Extract<keyof ToolEventOf<Name, T>, F | CommonField>>;
}[P];

/** The handler of a point for one tool, which may read only the fields `F`. */
export type ToolHandler<P extends ToolPoint, T extends NamedTool, F = FieldOf<P>> = (
  event: ToolFieldsEventOf<P, T, F>,
) => ReturnType<Handler<P>>;

/** An observer of the calls of one tool, which may read only the fields `F`. */
export type ToolObserver<P extends ToolPoint, T extends NamedTool, F = FieldOf<P>> = (
  event: ToolFieldsEventOf<P, T, F>,
) => ReturnType<Observer<P>>;

/** Binds a hook to one tool. */
export interface OfTool<T extends NamedTool> {
  /** The hook is called for calls of this tool only: `when: { toolName }`, with the type of the tool's arguments. */
  readonly tool: T;
}

/** Options of `hooks.guard()`. */
export type GuardOptions<P extends PrePoint> = Pick<OnOptions<P>, "name" | "priority" | "deadlineMs" | "when">;

/** Options of `hooks.addNative()`. */
export interface NativeHookOptions<K extends AnyPoint = AnyPoint>
  extends HookOptions, Pick<HookFlags, "guard" | "jsonResult" | "parallel"> {
  /**
   * The shared library: an absolute path or a file URL, such as `new URL("./libmine.so", import.meta.url)`. A relative
   * path is refused, because the current folder would decide which code runs.
   */
  readonly library: string | URL;
  /**
   * Name of a function of type `lh_hook_fn`. Without `symbol` and `point` the library is a plug-in: its
   * `lh_plugin_init` adds hooks with their own options, and no other option is allowed here.
   */
  readonly symbol?: string;
  /** The point at which the function runs. */
  readonly point?: K;
  /** The events that the function is called for [all]. */
  readonly when?: NativeMatcher<PointOf<K>>;
  /** The fields of the context that the function reads [all]: see {@link OfFields}. */
  readonly fields?: readonly FieldOf<PointOf<K>>[];
}
