// The engine's list of hooks, in the words of the public types. Must not: keep it.
import type { PointName } from "../generated/points.js";
import { pointName } from "../base/point-names.js";

/** A registered hook, as `hooks.list()` gives it. */
export interface HookInfo {
  /** By which decisions name it, too; never used again. */
  readonly id: number;
  /** The name that decisions and errors have. */
  readonly name: string;
  /** Where it is asked. */
  readonly point: PointName;
  /** Ascending: the smallest runs first. */
  readonly priority: number;
  /** Milliseconds until a call counts as failed; 0: none. */
  readonly deadlineMs: number;
  /** Whether it runs after all others, may cancel but not change, and fails closed. */
  readonly guard: boolean;
  /** Whether its failure cancels. */
  readonly failClosed: boolean;
  /** Whether its answer is ignored, and nobody waits for it. */
  readonly observe: boolean;
  /** Whether it sees the event as it was before any hook changed it. */
  readonly originalContext: boolean;
  /** Whether it is asked at the same time as its neighbours that are, too. */
  readonly parallel: boolean;
  /** Whether it goes after its first call. */
  readonly once: boolean;
  /** Whether it comes from a native library. */
  readonly native: boolean;
}

/** What a hook has done so far. */
export interface HookStats {
  /** By which decisions name it, too; never used again. */
  readonly id: number;
  /** The name that decisions and errors have. */
  readonly name: string;
  /** Where it is asked. */
  readonly point: PointName;
  /** Calls that `when` kept from the handler do not count. */
  readonly calls: number;
  /** Calls whose answer changed something. */
  readonly modifications: number;
  /** Calls that cancelled, by an answer or by failing closed. */
  readonly cancels: number;
  /** Calls that failed, those that cancelled so included. */
  readonly failures: number;
  /** Microseconds, all calls together, waiting included. */
  readonly totalUs: number;
}

/** One hook as the engine lists it. */
export interface HookListing {
  id: number;
  name: string;
  point: number;
  priority: number;
  deadline_ms: number;
  flags: string[];
  calls: number;
  modifications: number;
  cancels: number;
  failures: number;
  total_us: number;
}

export function infosFromWire(
  listing: readonly HookListing[],
  scripts: ReadonlyMap<number, { readonly once: boolean }>,
): HookInfo[] {
  return listing.map(({ id, name, point, priority, deadline_ms: deadlineMs, flags }) => ({
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
  }));
}

export function statsFromWire(
  listing: readonly HookListing[],
  observerFailures: ReadonlyMap<number, number>,
  keptBack: ReadonlyMap<number, number>,
): HookStats[] {
  return listing.map(({ id, name, point, calls, modifications, cancels, failures, total_us: totalUs }) => ({
    id,
    name,
    point: pointName(point),
    calls: calls - (keptBack.get(id) ?? 0),
    modifications,
    cancels,
    failures: failures + (observerFailures.get(id) ?? 0),
    totalUs,
  }));
}
