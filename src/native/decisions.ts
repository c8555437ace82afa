// Converts decisions from the addon's JSON and attaches the thrown values that belong to them.
import type { Causes } from "../base/causes.js";
import type { Decision, HookRecord } from "../generated/results.js";
import type { ErrorCode } from "../generated/errors.js";
import { pointName } from "../base/point-names.js";
import { camelDeep, toCamel } from "../base/wire.js";

/** Converts a decision of the engine and attaches thrown values to its failures. */
export function decisionFromWire(wire: Record<string, unknown>, causes: Causes | undefined): Decision {
  const { point, name: _, hooks, ...rest } = wire;
  return {
    ...(camelDeep(rest) as Omit<Decision, "point" | "hooks">),
    type: "decision",
    point: pointName(point as number),
    hooks: ((hooks as WireRecord[] | null) ?? []).map((record) => recordFromWire(record, causes)),
  };
}

/** Converts the decisions of a result; an empty list if it has none. */
export function decisionsFromWire(wire: unknown, causes: Causes | undefined): Decision[] {
  return ((wire as Record<string, unknown>[] | null | undefined) ?? []).map((one) => decisionFromWire(one, causes));
}

interface WireRecord {
  id: number;
  name: string;
  outcome: HookRecord["outcome"];
  fields: string[];
  clock_us: number;
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
    clockUs: wire.clock_us,
    durationUs: wire.duration_us,
  };
  if (late === true) record.late = true;
  if (error !== undefined && error !== null) {
    const { code, message, cause_id: causeId } = error;
    record.error = causes?.has(causeId) === true ? { code, message, cause: causes.get(causeId) } : { code, message };
  }
  return record;
}
