// The entries of the list of hooks. Must not: import more than types of points, because the inspector's page reads it.
import type { PointName } from "../generated/points.js";

/** A registered hook, as `hooks.list()` returns it. */
export interface HookInfo {
  /** The id of the hook, also in decisions. Ids are never reused. */
  readonly id: number;
  /** The name in decisions and errors. */
  readonly name: string;
  /** The point at which the hook runs. */
  readonly point: PointName;
  /** The owner of the hook, for whose events it is called: the engine, one session, one run or one generation. */
  readonly level: "engine" | "session" | "run" | "generation";
  /** The id of the session that it belongs to; null: it belongs to no session. */
  readonly sessionId: string | null;
  /** Hooks run in ascending order of priority. */
  readonly priority: number;
  /** Milliseconds until a call times out; 0: no timeout. */
  readonly deadlineMs: number;
  /** True: the hook is a guard. It runs after all other hooks, may cancel but not change, and fails closed. */
  readonly guard: boolean;
  /** True: the hook's failure cancels. */
  readonly failClosed: boolean;
  /** True: the hook is an observer. Its answer is ignored, and the engine does not wait for it. */
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
  /** The fields that the hook's event has beside `meta`, those that `when` tests in JavaScript included. Null: all. */
  readonly fields: readonly string[] | null;
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
   * Number of events at the point since the hook was added: in the engine, or in the session, run or call that the hook
   * belongs to.
   */
  readonly fired: number;
  /**
   * Number of these events that also matched `when`. The others did not match, or an earlier hook cancelled or
   * otherwise ended the dispatch.
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

/** Options of `hooks.list()` and `hooks.stats()`. */
export interface HookListOptions {
  /**
   * True, for the hooks of an engine: also those of its sessions, and of runs and generations that have not ended
   * [false].
   */
  readonly all?: boolean;
}
