// Names of the engine's own tools and of directives. Generated from native/contract/{control_tools,directives}.json by scripts/generate-contract.mjs; do not edit.

/** The tools that the engine itself implements. */
export const controlTools = [
  /** Ends the run with that text, unless a `complete` hook sends it back. */
  "complete",
  /** Has another tier do the task; its answer is the result. */
  "delegate",
  /**
   * Has several tiers work in turn, each with the result of the one before; `stages` is `[{ tier,
   * task? }]`.
   */
  "pipeline",
  /** Carries out several tool calls and tasks, in sequence or at once. */
  "plan",
  /**
   * Replaces the to-do list; `todos` is `[{ content, status }]`, each `status` `pending`,
   * `in_progress` or `completed`.
   */
  "todo",
  /** Shortens earlier results that are long; `context_inspect` gives them back. */
  "prune_context",
  /** Switches to a phase: its tools and sampling hold from the next iteration. */
  "phase_change",
  /** Returns the whole of a shortened result, or of a shortened text of a hook or directive. */
  "context_inspect",
] as const;

/** The name of a tool that the engine itself implements. `docs/concepts/delegation.md` describes each. */
export type ControlTool = (typeof controlTools)[number];

/** The types of directives. Any other text is a custom directive for `customDirective` hooks. */
export type DirectiveType =
  /** Ends the run after this message's results, as `halted` by the tool. */
  | "stop_processing"
  /** Continues the conversation with that tier. */
  | "tier_change"
  /** As the control tool; the outcome is added to the tool's result. */
  | "delegate"
  /** As the control tool; the outcome is added to the tool's result. */
  | "pipeline"
  /** As the control tool, after all results of the message. */
  | "complete"
  /** Empties the list of `todo`. */
  | "clear_todos"
  /**
   * Adds a user message after the results, which stays in the conversation; cut at
   * `maxResultBytes`.
   */
  | "inject_context"
  /** As the control tool `prune_context`. */
  | "prune_messages"
  /** Adds a message that compaction keeps; a later anchor with the same key replaces it. */
  | "context_anchor"
  /** As the control tool. */
  | "phase_change"
  /** Sends the event `notify` to the caller; the model is not told. */
  | "notify"
  // oxlint-disable-next-line typescript/ban-types -- keeps the list for editors, and takes any string
  | (string & {});
