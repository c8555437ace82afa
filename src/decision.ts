// What a dispatch decided, as JavaScript sees it. Must not: judge it.
import type { Causes } from "./causes.js";
import type { ErrorCode } from "./errors.js";
import type { PointName } from "./generated/points.js";
import { pointName } from "./points.js";
import { camelDeep, toCamel } from "./wire.js";

/** Why one hook failed. */
export interface HookFailure {
  /** HOOK_FAILED, HOOK_TIMEOUT, HOOK_BAD_ANSWER, or CANCELLED when the operation ended before the hook answered. */
  readonly code: ErrorCode;
  readonly message: string;
  /** What the handler threw or rejected with: any value. Absent for native hooks, and when it is too long ago. */
  readonly cause?: unknown;
}

/** What one hook did in a dispatch. */
export interface HookRecord {
  readonly id: number;
  readonly name: string;
  /** "observed": its answer does not count. "failed": it was skipped; a failure that cancels is "cancelled". */
  readonly outcome: "proceed" | "modified" | "cancelled" | "failed" | "observed";
  /** The fields that it changed or set. */
  readonly fields: readonly string[];
  readonly durationUs: number;
  /** A native hook that passed its deadline. */
  readonly late?: boolean;
  readonly error?: HookFailure;
}

/** What the hooks of one point decided on one occasion: who did what, in order, how long it took, and why. */
export interface Decision {
  readonly type: "decision";
  /** Counts the dispatches of the engine; the same as `meta.seq` of the event. */
  readonly seq: number;
  readonly point: PointName;
  readonly runId: string | null;
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  readonly action: "proceed" | "modified" | "cancelled";
  /** Who cancelled. */
  readonly decidedBy: { readonly id: number; readonly name: string } | null;
  /** Why it was cancelled. */
  readonly reason: string | null;
  /** With a hook that failed closed: how it failed. */
  readonly status: ErrorCode | null;
  /** The hooks that were called, in order. */
  readonly hooks: readonly HookRecord[];
  readonly durationUs: number;
}

/** Reads a decision of the engine, and joins thrown values to its failures. */
export function decisionFromWire(wire: Record<string, unknown>, causes: Causes | undefined): Decision {
  const { point, name: _, hooks, ...rest } = wire;
  return {
    ...(camelDeep(rest) as Omit<Decision, "point" | "hooks">),
    type: "decision",
    point: pointName(point as number),
    hooks: ((hooks as WireRecord[] | null) ?? []).map((record) => recordFromWire(record, causes)),
  };
}

interface WireRecord {
  id: number;
  name: string;
  outcome: HookRecord["outcome"];
  fields: string[];
  duration_us: number;
  late?: boolean;
  error?: { code: ErrorCode; message: string; cause_id: number };
}

function recordFromWire(wire: WireRecord, causes: Causes | undefined): HookRecord {
  const { id, name, outcome, fields, late, error } = wire;
  const record: { -readonly [K in keyof HookRecord]: HookRecord[K] } = {
    id,
    name,
    outcome,
    fields: (fields ?? []).map(toCamel),
    durationUs: wire.duration_us,
  };
  if (late === true) record.late = true;
  if (error !== undefined && error !== null) {
    const { code, message, cause_id: causeId } = error;
    record.error = causes?.has(causeId) === true ? { code, message, cause: causes.get(causeId) } : { code, message };
  }
  return record;
}
