// Which tool call a decision of the trace is about, which it does not say itself. Must not: change anything.
import type { Engine, TraceEvent } from "../../index.js";
import { callPoints } from "./call-points.js";

/**
 * At the two points whose events name their call it has a hook of its own, and the decision has the number of the event. All
 * that a run decides between two of these is about the first one's call.
 */
export class CallTracker {
  /** Of its hooks. */
  static readonly hookName = "call-tracker";
  readonly #marked = new Map<number, string>();
  readonly #current = new Map<string, string>();

  constructor(engine: Engine) {
    // First, as a veto ends the dispatch; and waited for, so that the mark is there before the decision is.
    const options = { name: CallTracker.hookName, priority: -(2 ** 31), deadlineMs: 0 };
    const mark = ({ toolCallId, meta }: { toolCallId: string; meta: { seq: number } }): undefined =>
      void this.#marked.set(meta.seq, toolCallId);
    engine.hooks.on("preToolCall", mark, options);
    engine.hooks.on("postToolCall", mark, options);
  }

  /** The id of the call that an event of the trace is about, each of which is to be given to it once, in order. */
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
