// What a dispatch decided, as JavaScript sees it. Must not: judge it, or hold code that runs.
import type { ErrorCode } from "./error-codes.js";
import type { PointName } from "../generated/points.js";

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
  /** Who cancelled; null where the operation itself was cancelled while a hook held it up, which is no veto. */
  readonly decidedBy: { readonly id: number; readonly name: string } | null;
  /** Why it was cancelled. */
  readonly reason: string | null;
  /** With a hook that failed closed: how it failed. CANCELLED where the operation was cancelled. */
  readonly status: ErrorCode | null;
  /** The hooks that were called, in order. */
  readonly hooks: readonly HookRecord[];
  readonly durationUs: number;
}
