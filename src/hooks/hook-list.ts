// Converts the engine's list of hooks to the public types.
import type { PointName } from "../generated/points.js";
import { pointName } from "../base/point-names.js";
import { camelTop } from "../base/wire.js";
import { shownMatcher } from "./matcher.js";

/** A registered hook, as `hooks.list()` returns it. */
export interface HookInfo {
  /** The id of the hook, also in decisions. Ids are never reused. */
  readonly id: number;
  /** The name in decisions and errors. */
  readonly name: string;
  /** The point at which the hook runs. */
  readonly point: PointName;
  /** Hooks run in ascending order of priority. */
  readonly priority: number;
  /** Milliseconds until a call times out; 0: no timeout. */
  readonly deadlineMs: number;
  /** True: the hook is a guard. It runs after all other hooks, may cancel but not change, and fails closed. */
  readonly guard: boolean;
  /** True: the hook's failure cancels. */
  readonly failClosed: boolean;
  /** True: the hook is an observer. Its answer is ignored and nobody waits for it. */
  readonly observe: boolean;
  /** True: the hook gets the event as it was before any hook changed it. */
  readonly originalContext: boolean;
  /** True: the hook runs at the same time as adjacent parallel hooks. */
  readonly parallel: boolean;
  /** True: the hook is removed after its first call. */
  readonly once: boolean;
  /** True: the hook is a C function of a native library. */
  readonly native: boolean;
  /** The file and line at which it was registered: `/path/file.mjs:12`. Null if unknown. */
  readonly location: string | null;
  /** The tests of `when`; a RegExp or a function is shown as a text. Null: there are none. */
  readonly when: Readonly<Record<string, unknown>> | null;
}

/** The counts of one hook since it was added. */
export interface HookStats {
  /** The id of the hook, also in decisions. Ids are never reused. */
  readonly id: number;
  /** The name in decisions and errors. */
  readonly name: string;
  /** The point at which the hook runs. */
  readonly point: PointName;
  /**
   * How often the point has fired since the hook was added: in the engine, or in the session, run or call that the hook
   * belongs to.
   */
  readonly fired: number;
  /**
   * How often the event also matched `when`. The other events did not match, or an earlier hook cancelled or otherwise
   * ended the dispatch.
   */
  readonly matched: number;
  /** The number of calls, without those that `when` filtered out. */
  readonly calls: number;
  /** Calls whose answer changed something. */
  readonly modifications: number;
  /** Calls that cancelled, including failures that cancelled. */
  readonly cancels: number;
  /** Calls that failed, including those that cancelled. */
  readonly failures: number;
  /** Total time of all calls in microseconds, waiting included. */
  readonly totalUs: number;
}

/** A hook as the engine lists it. */
export interface HookListing {
  id: number;
  name: string;
  point: number;
  priority: number;
  deadline_ms: number;
  flags: string[];
  location: string | null;
  when: Record<string, unknown> | null;
  fired: number;
  matched: number;
  calls: number;
  modifications: number;
  cancels: number;
  failures: number;
  total_us: number;
}

export function infosFromWire(
  listing: readonly HookListing[],
  scripts: ReadonlyMap<number, { readonly once: boolean; readonly when: HookInfo["when"] }>,
): HookInfo[] {
  return listing.map(({ id, name, point, priority, deadline_ms: deadlineMs, flags, location, when }) => ({
    id,
    name,
    point: pointName(point),
    priority,
    deadlineMs,
    guard: flags.includes("guard"),
    failClosed: flags.includes("fail_closed"),
    observe: flags.includes("observe"),
    originalContext: flags.includes("original_context"),
    parallel: flags.includes("parallel"),
    once: flags.includes("once") || scripts.get(id)?.once === true,
    native: !scripts.has(id),
    location,
    when: shownMatcher(scripts.get(id)?.when) ?? (when === null ? null : camelTop(when)),
  }));
}

export function statsFromWire(
  listing: readonly HookListing[],
  observerFailures: ReadonlyMap<number, number>,
  keptBack: ReadonlyMap<number, number>,
): HookStats[] {
  return listing.map((hook) => ({
    id: hook.id,
    name: hook.name,
    point: pointName(hook.point),
    fired: hook.fired,
    matched: hook.matched - (keptBack.get(hook.id) ?? 0),
    calls: hook.calls - (keptBack.get(hook.id) ?? 0),
    modifications: hook.modifications,
    cancels: hook.cancels,
    failures: hook.failures + (observerFailures.get(hook.id) ?? 0),
    totalUs: hook.total_us,
  }));
}
