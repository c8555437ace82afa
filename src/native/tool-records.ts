// Converts the engine's records of tool calls. Must not: convert keys of arguments; they are the tool's own.
import type { Causes } from "../base/causes.js";
import { camelTop } from "../base/wire.js";
import type { ToolRecord } from "../generated/results.js";

/** Adds the value that the tool threw, if it is still known. */
export function toolRecordFromWire(wire: unknown, causes: Causes | undefined): ToolRecord {
  const { cause_id: causeId, ...rest } = wire as Record<string, unknown>;
  const cause = typeof causeId === "number" && causes?.has(causeId) === true ? { cause: causes.get(causeId) } : {};
  return { ...(camelTop(rest) as unknown as ToolRecord), ...cause };
}

export function toolRecordsFromWire(wire: unknown, causes: Causes | undefined): ToolRecord[] {
  return (wire as unknown[]).map((one) => toolRecordFromWire(one, causes));
}
