// Converts the engine's list of hooks to the public types.
import type { HookEndedEvent } from "../generated/results.js";
import { pointName, pointNames } from "../base/point-names.js";
import { camelTop, toCamel } from "../base/wire.js";
import type { HookInfo, HookStats } from "./hook-info.js";
import { shownMatcher } from "./matcher.js";

/** The counts of a hook. */
interface HookCounted {
  id: number;
  name: string;
  point: number;
  location: string | null;
  when: Record<string, unknown> | null;
  session_id: string | null;
  fired: number;
  matched: number;
  calls: number;
  modifications: number;
  cancels: number;
  failures: number;
  total_us: number;
}

/** A hook as the engine lists it. */
export interface HookListing extends HookCounted {
  level: HookInfo["level"];
  priority: number;
  deadline_ms: number;
  flags: string[];
  fields: string[] | null;
}

/** Facts about the hooks that only JavaScript knows. */
export interface HookKnowledge {
  readonly entries: ReadonlyMap<number, { readonly once: boolean; readonly when: HookInfo["when"] }>;
  readonly observerFailures: ReadonlyMap<number, number>;
  readonly keptBack: ReadonlyMap<number, number>;
}

const levels: readonly HookInfo["level"][] = ["engine", "session", "run", "generation"];

/** Sorts hooks of several lists: by point, then in the order in which they run. */
export function inOrder(listing: readonly HookListing[]): HookListing[] {
  const place = ({ point, flags, priority, level, id }: HookListing): readonly number[] => [
    pointNames.indexOf(pointName(point)),
    flags.includes("guard") ? 1 : 0,
    priority,
    levels.indexOf(level),
    id,
  ];
  const placed = listing.map((hook) => ({ hook, place: place(hook) }));
  placed.sort((a, b) => a.place.map((one, index) => one - (b.place[index] ?? 0)).find((by) => by !== 0) ?? 0);
  return placed.map(({ hook }) => hook);
}

export function infosFromWire(listing: readonly HookListing[], scripts: HookKnowledge["entries"]): HookInfo[] {
  return listing.map(({ id, name, point, level, priority, deadline_ms: deadlineMs, flags, location, ...rest }) => ({
    id,
    name,
    point: pointName(point),
    level,
    sessionId: rest.session_id,
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
    when: whenOf(id, rest.when, scripts),
    fields: rest.fields?.map((field) => toCamel(field)) ?? null,
  }));
}

function whenOf(id: number, ofEngine: HookCounted["when"], scripts: HookKnowledge["entries"]): HookInfo["when"] {
  return shownMatcher(scripts.get(id)?.when) ?? (ofEngine === null ? null : camelTop(ofEngine));
}

export function statsFromWire(
  listing: readonly HookCounted[],
  { observerFailures, keptBack }: HookKnowledge,
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

/** The event of a hook that is not called any more, while its entry is still known. */
export function endedFromWire(wire: Record<string, unknown>, known: HookKnowledge): HookEndedEvent {
  const counted = wire as unknown as HookCounted & { readonly time_us: number; readonly clock_us: number };
  const { id, when, location, session_id: sessionId, time_us: timeUs, clock_us: clockUs } = counted;
  const [stats] = statsFromWire([counted], known) as [HookStats];
  const what = { location, when: whenOf(id, when, known.entries), sessionId };
  return { type: "lifecycle", event: "hookEnded", timeUs, clockUs, ...what, ...stats };
}
