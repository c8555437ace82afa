// Converts the engine's list of hooks to the public types.
import { pointName } from "../base/point-names.js";
import { camelTop } from "../base/wire.js";
import type { HookInfo, HookStats } from "./hook-info.js";
import { shownMatcher } from "./matcher.js";

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
