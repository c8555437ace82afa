// The flags of hooks and tools. Generated from native/contract/flags.json by scripts/generate-contract.mjs; do not edit.

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

/** Bits of LH_TOOL_*. */
export const toolFlags = {
  jsonResult: 1,
  trusted: 2,
  exclusive: 4,
  prepares: 8,
} as const;

/** The same as options of a registration. */
export interface HookFlags {
  /**
   * Pre points: the hook runs after all hooks that are not guards, may cancel but not change, and
   * fails closed [false].
   */
  readonly guard?: boolean;
  /**
   * Pre points: a failure of the hook counts as a cancel [false: the engine skips the failing
   * hook].
   */
  readonly failClosed?: boolean;
  /**
   * The engine ignores the answer and does not wait for it; events come later, in batches [false].
   */
  readonly observe?: boolean;
  /**
   * The hook sees the event as it was before other hooks changed it; the last writer wins [false].
   */
  readonly originalContext?: boolean;
  /** The hook answers with a JSON object also at the points whose answer is plain text [false]. */
  readonly jsonResult?: boolean;
  /**
   * `contextAssemble`, `bootstrap`, `userMessage`, `preToolCall` and `postToolCall`: the engine
   * calls neighbouring parallel hooks at the same time and joins their parts in the order of the
   * hooks; such a hook may only answer parts, not change or cancel [false].
   */
  readonly parallel?: boolean;
  /**
   * Called at most once, across concurrent runs, and then removed; calls that do not match `when`
   * do not count [false].
   */
  readonly once?: boolean;
}
