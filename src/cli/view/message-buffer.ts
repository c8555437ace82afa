// Delays the events of a message until no hook can replace it.
import type { Hooks, RunEvent } from "../../index.js";

/**
 * Hooks at postGenerate may replace a message when it is complete, and text that was written to a pipe or a file cannot
 * be taken back. Without such hooks, no event waits.
 */
export class MessageBuffer {
  readonly #hooks: Pick<Hooks, "list">;
  readonly #waiting: RunEvent[] = [];
  /** True: the current message waits; undefined between messages. */
  #holds: boolean | undefined;

  constructor(hooks: Pick<Hooks, "list">) {
    this.#hooks = hooks;
  }

  /** Takes the next event, and returns the events that may be shown now, in order. */
  take(event: RunEvent): readonly RunEvent[] {
    if (event.type !== "token" && event.type !== "toolCallDelta" && event.type !== "replaced") {
      this.#holds = undefined;
      return [...this.rest(), event];
    }
    this.#holds ??= this.#hooks.list().some(({ point, observe }) => point === "postGenerate" && !observe);
    if (!this.#holds) return [event];
    // The parser may correct a message before the hooks run, so this text may still be replaced.
    if (event.type === "replaced") this.#waiting.length = 0;
    this.#waiting.push(event);
    return [];
  }

  /** Removes and returns the waiting events when no further event will come. */
  rest(): RunEvent[] {
    return this.#waiting.splice(0);
  }
}
