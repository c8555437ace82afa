// The Hooks class: registers and lists hooks. The engine's dispatcher alone decides order and outcome.
import { LlamaHooksError } from "../base/errors.js";
import { checkObject, optionalBoolean, requiredString, wrong } from "../base/check.js";
import { userLine } from "./user-line.js";
import type { AnyPoint, AnyPrePoint, PointOf } from "../base/point-names.js";
import { handlersOf, type HookSet, type HookSets, hookSetsOf, locationOf } from "./define-hooks.js";
import type { PrePoint } from "../generated/points.js";
import type { HookCalls } from "./hook-calls.js";
import { hookFlags } from "../generated/flags.js";
import { checkHookOptions, checkParallel, libraryPath } from "./hook-options.js";
import type { HookInfo, HookListOptions, HookStats } from "./hook-info.js";
import { type HookListing, infosFromWire, inOrder, statsFromWire } from "./hook-list.js";
import type {
  FieldOf,
  FieldsEventOf,
  FieldsHandler,
  FieldsObserver,
  GuardHandler,
  GuardOptions,
  Handler,
  NamedTool,
  NativeHookOptions,
  Observer,
  OfFields,
  OfTool,
  OnOptions,
  ToolHandler,
  ToolObserver,
  ToolPoint,
} from "./hook-types.js";
import { checkNativeMatcher } from "./matcher.js";
import { contextHere } from "../native/callers.js";
import type { NativeErrors } from "../native/native-errors.js";
import type { NativeEngine } from "../native/addon.js";
import { checkPoint, type Point } from "./points.js";
import { groupOf, type HookRegistration, type Registration } from "./registration.js";
import { checkFields, everything, type Selection, selectionOf } from "./selection.js";

const common = ["name", "priority", "deadlineMs"] as const;
const beside = ["when", "tool", "fields"] as const;
const onKeys = [...common, "failClosed", "observe", "originalContext", "once"] as const;

/** The parts of the engine that Hooks uses. */
export interface HookHost {
  readonly native: NativeEngine;
  readonly errors: NativeErrors;
  readonly calls: HookCalls;
  /** The hooks of the engine, of its sessions and of calls under way, as far as there are any. */
  readonly lists: Set<Hooks>;
}

/**
 * The hooks of an engine (`engine.hooks`) or of one session (`session.hooks`). Each object lists, counts and clears
 * only its own hooks. At equal priority, hooks of the engine run before hooks of the session, and those before hooks of
 * the run. An added hook is called from the next dispatch on. A removed hook is not called any more, not even by a
 * dispatch that is under way.
 * Misuse throws `TypeError`. Errors: CLOSED (the engine is closed); NOT_FOUND (the session is closed); POINT_NOT_FIRED
 * (the point never fires for the session, run or call: loading and memory belong to the engine).
 */
export class Hooks {
  readonly #native: NativeEngine;
  readonly #errors: NativeErrors;
  readonly #calls: HookCalls;
  readonly #scope: () => number;
  /** Number of hooks that were added. */
  #added = 0;

  readonly #lists: HookHost["lists"];
  readonly #isEngine: boolean;

  /** Called by the engine, its sessions and its calls only. `scope`: "engine", or returns the number of the scope. */
  constructor(host: HookHost, scope: "engine" | (() => number)) {
    this.#native = host.native;
    this.#errors = host.errors;
    this.#calls = host.calls;
    this.#lists = host.lists;
    this.#isEngine = scope === "engine";
    this.#scope = scope === "engine" ? () => 0 : scope;
  }

  /**
   * Adds a handler at a point. It returns `undefined` to continue, an object with the fields to change (pre and post
   * points), `cancel(reason)` (pre points), or a promise of one of these. A handler that throws, rejects, times out or
   * returns anything else has failed: it is skipped (with `failClosed` it cancels), and the failure is reported at
   * `error` and in the decision.
   *
   * @example
   * ```ts
   * const hook = engine.hooks.on("preToolCall", ({ toolName }) =>
   *   toolName === "shell" ? cancel("no shell here") : undefined,
   * );
   * engine.hooks.on("streamToken", ({ text }) => ({ text: text.replaceAll("acme", "####") }), { name: "mask" });
   * hook.dispose();
   * ```
   */
  on<K extends AnyPoint>(
    point: K,
    handler: Handler<PointOf<K>>,
    options?: OnOptions<PointOf<K>> & { readonly observe?: false; readonly tool?: never; readonly fields?: never },
  ): HookRegistration;
  /** Adds an observer: the engine does not wait for it and ignores its answer. */
  on<K extends AnyPoint>(
    point: K,
    handler: Observer<PointOf<K>>,
    options: OnOptions<PointOf<K>> & { readonly observe: true; readonly tool?: never; readonly fields?: never },
  ): HookRegistration;
  /** Adds a handler for the calls of one tool, whose `args` have their type. */
  on<K extends ToolPoint, const T extends NamedTool, const F extends FieldOf<K> = FieldOf<K>>(
    point: K,
    handler: ToolHandler<K, T, F>,
    options: OnOptions<NoInfer<K>> & OfTool<T> & Partial<OfFields<F>> & { readonly observe?: false },
  ): HookRegistration;
  /** Adds an observer of the calls of one tool. */
  on<K extends ToolPoint, const T extends NamedTool, const F extends FieldOf<K> = FieldOf<K>>(
    point: K,
    handler: ToolObserver<K, T, F>,
    options: OnOptions<NoInfer<K>> & OfTool<T> & Partial<OfFields<F>> & { readonly observe: true },
  ): HookRegistration;
  /** Adds a handler that reads some fields of the event. */
  on<K extends AnyPoint, const F extends FieldOf<PointOf<K>>>(
    point: K,
    handler: FieldsHandler<PointOf<K>, F>,
    options: OnOptions<PointOf<K>> & OfFields<F> & { readonly observe?: false; readonly tool?: never },
  ): HookRegistration;
  /** Adds an observer that reads some fields of the event. */
  on<K extends AnyPoint, const F extends FieldOf<PointOf<K>>>(
    point: K,
    handler: FieldsObserver<PointOf<K>, F>,
    options: OnOptions<PointOf<K>> & OfFields<F> & { readonly observe: true; readonly tool?: never },
  ): HookRegistration;
  on(point: AnyPoint, handler: (event: never) => unknown, options?: object): HookRegistration {
    const at = checkPoint(point);
    const { tsName, kind } = at.info;
    const what = `The options of hooks.on(${JSON.stringify(tsName)})`;
    const { flags, ...rest } = checkHookOptions(options, what, [...onKeys, "parallel"], beside);
    if (kind !== "pre" && (flags & hookFlags.failClosed) !== 0) {
      throw new TypeError(`failClosed needs a pre point; ${tsName} is a ${kind} point, which cannot cancel`);
    }
    checkParallel(at.info, flags);
    return this.#add(at, handler, { ...rest, flags }, selectionOf(options ?? {}, at, what), userLine());
  }

  /**
   * Adds a guard at a pre point. A guard runs after all other hooks, sees the final event, may cancel but not change,
   * and fails closed: what a guard allows is exactly what runs.
   *
   * @example
   * ```ts
   * engine.hooks.guard("preGenerate", ({ messages }) =>
   *   messages.some(({ content }) => content.includes("password")) ? cancel("no passwords here") : undefined,
   * );
   * ```
   */
  guard<K extends AnyPrePoint>(
    point: K,
    handler: GuardHandler<Extract<PointOf<K>, PrePoint>>,
    options?: GuardOptions<Extract<PointOf<K>, PrePoint>> & { readonly tool?: never; readonly fields?: never },
  ): HookRegistration;
  /** Adds a guard for the calls of one tool, whose `args` have their type. */
  guard<K extends Extract<ToolPoint, PrePoint>, const T extends NamedTool, const F extends FieldOf<K> = FieldOf<K>>(
    point: K,
    handler: (...args: Parameters<ToolHandler<K, T, F>>) => ReturnType<GuardHandler<K>>,
    options: GuardOptions<NoInfer<K>> & OfTool<T> & Partial<OfFields<F>>,
  ): HookRegistration;
  /** Adds a guard that reads some fields of the event. */
  guard<K extends AnyPrePoint, const F extends FieldOf<Extract<PointOf<K>, PrePoint>>>(
    point: K,
    handler: (
      event: FieldsEventOf<Extract<PointOf<K>, PrePoint>, F>,
    ) => ReturnType<GuardHandler<Extract<PointOf<K>, PrePoint>>>,
    options: GuardOptions<Extract<PointOf<K>, PrePoint>> & OfFields<F> & { readonly tool?: never },
  ): HookRegistration;
  guard(point: AnyPoint, handler: (event: never) => unknown, options?: object): HookRegistration {
    const at = checkPoint(point);
    const { tsName, kind } = at.info;
    if (kind !== "pre") {
      throw new TypeError(`A guard needs a pre point; ${tsName} is a ${kind} point, which cannot cancel`);
    }
    const what = `The options of hooks.guard(${JSON.stringify(tsName)})`;
    const checked = checkHookOptions(options, what, common, beside);
    return this.#add(
      at,
      handler,
      { ...checked, flags: hookFlags.guard },
      selectionOf(options ?? {}, at, what),
      userLine(),
    );
  }

  /**
   * Adds the handlers of hook sets, in order, each under the name of its set. The registration removes all of them.
   *
   * @example
   * ```ts
   * import { limit, redact } from "llama-hooks/hooks";
   *
   * const registration = engine.hooks.use([redact(/\bsk-\w+/), limit({ toolCalls: 20 })]);
   * registration.dispose(); // removes the hooks of both sets
   * ```
   */
  use(sets: HookSet | HookSets): Registration {
    const list = hookSetsOf(sets, "hooks.use()", "The argument of hooks.use()");
    const added: HookRegistration[] = [];
    const site = userLine();
    try {
      for (const set of list) {
        const location = locationOf(set, site);
        for (const { at, handler, options } of handlersOf(set))
          added.push(this.#add(at, handler, options, { ...everything, fields: options.fields ?? null }, location));
      }
    } catch (error) {
      for (const registration of added) registration.dispose();
      throw error;
    }
    return groupOf(added);
  }

  /**
   * Adds a C function of a shared library; without `symbol` and `point`, loads a plug-in and calls its
   * `lh_plugin_init`. Native hooks run on the engine's run threads without JavaScript, so `when` accepts only tests
   * that the engine itself makes. A plug-in takes only `library`, because it gives its hooks their own options. If a
   * plug-in fails, hooks that it added before stay.
   * Errors: INVALID_ARGUMENT if `library` is a relative path or a bare name; LIBRARY_NOT_LOADED, SYMBOL_NOT_FOUND,
   * HOOK_FAILED if the plug-in throws, and the code that the plug-in returned.
   *
   * @example
   * ```ts
   * const library = new URL("./libredact.so", import.meta.url);
   * engine.hooks.addNative({ library, symbol: "redact", point: "postGenerate" });
   * ```
   */
  addNative<K extends AnyPoint = AnyPoint>(options: NativeHookOptions<K>): HookRegistration {
    const what = "The options of hooks.addNative()";
    if (options === undefined) throw wrong(what, "an object", options);
    const others = ["library", "symbol", "point", "when", "fields"] as const;
    const native = checkHookOptions(options, what, [...onKeys, "guard", "jsonResult", "parallel"], others, 0);
    const { library, symbol, point, when, fields } = checkObject(
      options,
      what,
      Object.keys(options),
    ) as Partial<NativeHookOptions>;
    const file = library instanceof URL ? library.href : requiredString(library, `${what}.library`);
    if ((symbol === undefined) !== (point === undefined))
      throw new TypeError(`${what} take symbol and point together, or neither`);
    if (symbol === undefined) {
      const given = Object.entries(options).flatMap(([key, value]) => (value === undefined ? [] : [key]));
      const more = given.filter((key) => key !== "library");
      if (more.length > 0)
        throw new TypeError(`${what}: a plug-in sets the options of its own hooks; remove ${more.join(", ")}`);
      return this.#addPlugin(libraryPath(file), native);
    }
    const checked = checkPoint(point);
    const { info } = checked;
    const { number, kind, tsName } = info;
    if (kind !== "pre" && (native.flags & (hookFlags.guard | hookFlags.failClosed)) !== 0) {
      throw new TypeError(`guard and failClosed need a pre point; ${tsName} is a ${kind} point, which cannot cancel`);
    }
    checkParallel(info, native.flags);
    const name = requiredString(symbol, `${what}.symbol`);
    const tests = checkNativeMatcher(when, checked, `${what}.when`);
    const read = checkFields(fields, checked, `${what}.fields`);
    this.#counts();
    const called = native.name === "" ? name : native.name;
    const named = { ...native, name: called, when: tests, fields: read, location: userLine() };
    const id = this.#errors.call(() =>
      this.#native.addNativeHook(this.#scope(), libraryPath(file), name, number, named),
    );
    return this.#registration(id, () => this.#isListed(id));
  }

  /**
   * Lists the hooks in order of execution, point by point. Misuse throws `TypeError`.
   *
   * @example
   * ```ts
   * for (const { name, point, native } of engine.hooks.list()) console.log(name, point, native);
   * ```
   */
  list(options?: HookListOptions): readonly HookInfo[] {
    return infosFromWire(this.#listed("hooks.list()", options), this.#calls.entries);
  }

  /**
   * Returns the statistics of each registered hook. A hook that was not called has `matched` 0: its point did not fire
   * (`fired` 0), or `when`, or an earlier hook that ended the dispatch, kept it back. Misuse throws `TypeError`.
   *
   * @example
   * ```ts
   * for (const { name, fired, matched } of engine.hooks.stats()) console.log(name, fired, matched);
   * ```
   */
  stats(options?: HookListOptions): readonly HookStats[] {
    return statsFromWire(this.#listed("hooks.stats()", options), this.#calls);
  }

  /** Returns true if a hook is registered at the point. */
  has(point: AnyPoint): boolean {
    const { number } = checkPoint(point).info;
    return this.#errors.read(() => this.#native.hasHook(this.#scope(), number));
  }

  /** Removes all hooks of a point, or of all points, native hooks included. */
  clear(point?: AnyPoint): void {
    const at = point === undefined ? undefined : checkPoint(point);
    const there = this.#listing();
    this.#errors.call(() => this.#native.clearHooks(this.#scope(), at?.info.number ?? -1));
    // Handlers that a fork of the session shares stay.
    for (const { id, point: number } of there) if (at === undefined || at.info.number === number) this.#letGo(id);
  }

  #add(
    point: Point,
    handler: unknown,
    options: { name: string; priority: number; deadlineMs: number; flags: number },
    { when, match, given, fields }: Selection,
    location: string | undefined,
  ): HookRegistration {
    if (typeof handler !== "function") throw wrong(`The handler of ${point.info.tsName}`, "a function", handler);
    const name = options.name === "" ? handler.name : options.name;
    const once = (options.flags & hookFlags.once) !== 0;
    const ofEngine = match === undefined ? options.flags : options.flags & ~hookFlags.once;
    const told = point.info.kind !== "pre"; // an event that has happened must be reported, even if the run ends
    const native = { ...options, name, flags: ofEngine | hookFlags.jsonResult, when, fields, location, told };
    const id = this.#errors.call(() => this.#native.addHook(this.#scope(), point.info.number, native));
    this.#counts();
    const guard = (options.flags & hookFlags.guard) !== 0;
    const observe = (options.flags & hookFlags.observe) !== 0;
    this.#calls.entries.set(id, {
      id,
      point,
      handler: handler as (event: never) => unknown,
      name,
      guard,
      observe,
      location,
      when: given,
      match,
      once: once && match !== undefined,
      context: contextHere(),
      holders: 1,
      gone: false,
    });
    return this.#registration(id, () => this.#calls.entries.get(id)?.gone === false);
  }

  /** Returns `when` of the handlers, as it was given, by id. Called by the engine only. */
  static conditions(hooks: Hooks): ReadonlyMap<number, Readonly<Record<string, unknown>>> {
    const found = new Map<number, Readonly<Record<string, unknown>>>();
    for (const { id } of hooks.#listing()) {
      const when = hooks.#calls.entries.get(id)?.when;
      if (when !== null && when !== undefined) found.set(id, when);
    }
    return found;
  }

  /** Returns a number that changes when a hook is added. Called by the engine only. */
  static added(hooks: Hooks): number {
    return hooks.#added;
  }

  /** Lets a fork of the session share the current handlers. */
  static share(hooks: Hooks, fork: Hooks): void {
    const listing = hooks.#listing();
    if (listing.length > 0) fork.#lists.add(fork);
    for (const { id } of listing) {
      const entry = hooks.#calls.entries.get(id);
      if (entry !== undefined) entry.holders++;
    }
  }

  /** Says that the session, run or call of the hooks has ended. */
  static ended(hooks: Hooks): void {
    hooks.#lists.delete(hooks);
  }

  #counts(): void {
    this.#added += 1;
    this.#lists.add(this);
  }

  #letGo(id: number): void {
    const entry = this.#calls.entries.get(id);
    if (entry !== undefined && --entry.holders === 0) entry.gone = true;
  }

  #addPlugin(library: string, options: Parameters<NativeEngine["addNativeHook"]>[4]): HookRegistration {
    this.#counts();
    const before = new Set(this.#listing().map((hook) => hook.id));
    this.#errors.call(() => this.#native.addNativeHook(this.#scope(), library, null, -1, options));
    const added = this.#listing().filter((hook) => !before.has(hook.id));
    return Object.assign(groupOf(added.map(({ id }) => this.#registration(id, () => this.#isListed(id)))), { id: 0 });
  }

  #registration(id: number, isThere: () => boolean): HookRegistration {
    const dispose = (): void => {
      const entry = this.#calls.entries.get(id);
      if (entry !== undefined) entry.gone = true;
      this.#native.removeHook(id);
    };
    return {
      id,
      get removed() {
        return !isThere();
      },
      dispose,
      [Symbol.dispose]: dispose,
    };
  }

  /** False if the session is closed. */
  #isListed(id: number): boolean {
    try {
      return this.#listing().some((hook) => hook.id === id);
    } catch (error) {
      if (error instanceof LlamaHooksError && error.code === "NOT_FOUND") return false;
      throw error;
    }
  }

  #listed(what: string, options: HookListOptions | undefined): HookListing[] {
    const given = checkObject(options, `${what} options`, ["all"]);
    if (optionalBoolean(given.all, `${what} options: all`) !== true) return this.#listing();
    if (!this.#isEngine) throw new TypeError(`${what} options: all is for the hooks of an engine`);
    const found = [...this.#lists].flatMap((one) => one.#listingOrNone());
    return inOrder([...new Map(found.map((hook) => [hook.id, hook])).values()]); // forks share hooks
  }

  /** None if the session is closed. */
  #listingOrNone(): HookListing[] {
    try {
      return this.#listing();
    } catch (error) {
      if (error instanceof LlamaHooksError) return [];
      throw error;
    }
  }

  #listing(): HookListing[] {
    return JSON.parse(this.#errors.read(() => this.#native.listHooks(this.#scope()))) as HookListing[];
  }
}
