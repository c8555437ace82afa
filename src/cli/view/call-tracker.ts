// Finds the tool call that a decision of the trace belongs to, because not all decisions contain it.
import type { Engine, TraceEvent } from "../../index.js";
import { callPoints } from "./call-points.js";

/**
 * Adds a hook at the two points whose events name their call. The event and its decision have the same number. Every
 * further decision of the run belongs to the same call until a decision names the next one.
 */
export class CallTracker {
  /** The name of the tracker's hooks. */
  static readonly hookName = "call-tracker";
  readonly #marked = new Map<number, string>();
  readonly #current = new Map<string, string>();

  constructor(engine: Engine) {
    // It runs first, because a veto ends the dispatch, and is awaited, so that the mark exists before the decision.
    const options = {
      name: CallTracker.hookName,
      priority: -(2 ** 31),
      deadlineMs: 0,
      fields: ["toolCallId"],
    } as const;
    const mark = ({ toolCallId, meta }: { toolCallId: string; meta: { seq: number } }): undefined =>
      void this.#marked.set(meta.seq, toolCallId);
    engine.hooks.on("preToolCall", mark, options);
    engine.hooks.on("postToolCall", mark, options);
  }

  /** Returns the id of the call that a trace event belongs to. The caller passes every event once, in order. */
  callOf(event: TraceEvent): string | undefined {
    if (event.type === "decision") {
      const { seq, runId, point } = event;
      if (runId === null) return undefined;
      const marked = this.#marked.get(seq);
      if (marked !== undefined) this.#current.set(runId, marked);
      this.#marked.delete(seq);
      return callPoints.has(point) ? this.#current.get(runId) : undefined;
    }
    if (event.event === "toolCallStarted") this.#current.set(event.runId, event.toolCallId);
    else if (event.event === "runEnded") this.#current.delete(event.runId);
    return undefined;
  }
}
