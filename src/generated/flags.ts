// How a hook is run. Generated from native/contract/flags.json by scripts/generate-contract.mjs; do not edit.

/** Bits of LH_HOOK_*. */
export const hookFlags = {
  guard: 1,
  failClosed: 2,
  observe: 4,
  originalContext: 8,
  jsonResult: 16,
  parallel: 32,
  once: 64,
} as const;

/** The same as options of a registration. */
export interface HookFlags {
  /**
   * Pre points: runs after all that are not guards, may cancel but not change, fails closed
   * [false].
   */
  readonly guard?: boolean;
  /** Pre points: a failure counts as a cancel [false: the failing hook is skipped]. */
  readonly failClosed?: boolean;
  /** The answer is ignored and nobody waits for it. Events come later, in batches [false]. */
  readonly observe?: boolean;
  /** See the event as it was before earlier hooks changed it; the last writer wins [false]. */
  readonly originalContext?: boolean;
  /** Answers with a JSON object also at the points whose answer is plain text [false]. */
  readonly jsonResult?: boolean;
  /**
   * `contextAssemble` and `bootstrap`: asked at the same time as those beside it that are parallel,
   * too; may give parts, which are joined in the order of the hooks, and neither change nor cancel
   * [false].
   */
  readonly parallel?: boolean;
  /**
   * Removed after its first call, which is the only one however many runs reach it; calls that
   * `when` keeps back do not count [false].
   */
  readonly once?: boolean;
}
