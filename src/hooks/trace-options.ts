// Checks the options of engine.trace().
import { checkObject, isObject, optionalInteger, requiredString, wrong } from "../base/check.js";
import type { AnyPoint } from "../base/point-names.js";
import type { PointName } from "../generated/points.js";
import { checkPoint } from "./points.js";
import type { TraceEvent } from "./trace-event.js";

/** A session, by its shape: this folder must not import sessions. */
type WithId = { readonly id: string };

/** Options of `engine.trace()`. */
export interface TraceOptions {
  /** Only decisions, failures of observers, and ends of hooks, at these points [all]. Other events are not filtered. */
  readonly points?: readonly AnyPoint[];
  /** Only events of these sessions, given as objects or ids [all, and events without a session]. */
  readonly sessions?: readonly (string | WithId)[];
  /** The number of events that may wait for one iteration [65536]. Beyond it, the older half is lost. */
  readonly limit?: number;
}

export interface CheckedTrace {
  readonly limit: number;
  wants(event: TraceEvent): boolean;
}

const keys = ["points", "sessions", "limit"] as const satisfies readonly (keyof TraceOptions)[];

export function checkTrace(options: TraceOptions | undefined): CheckedTrace {
  const what = "trace() options";
  const given = checkObject(options, what, keys);
  const points = setOf(given.points, `${what}.points`, (point): PointName => checkPoint(point).info.tsName);
  const sessions = setOf(given.sessions, `${what}.sessions`, (session, place) =>
    requiredString(isObject(session) ? session["id"] : session, place),
  );
  return {
    limit: optionalInteger(given.limit, `${what}.limit`, 1) ?? 65_536,
    wants: (event) => isAt(event, points) && isOf(event, sessions),
  };
}

function setOf<T>(value: unknown, what: string, check: (item: unknown, what: string) => T): Set<T> | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw wrong(what, "an array", value);
  return new Set(value.map((item: unknown, index) => check(item, `${what}[${index}]`)));
}

function isAt(event: TraceEvent, points: ReadonlySet<PointName> | undefined): boolean {
  return points === undefined || !("point" in event) || points.has(event.point);
}

function isOf(event: TraceEvent, sessions: ReadonlySet<string> | undefined): boolean {
  if (sessions === undefined) return true;
  return "sessionId" in event && event.sessionId !== null && sessions.has(event.sessionId);
}
