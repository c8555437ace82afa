// What of a message may be shown: nothing that a hook may yet replace. Must not: show it.
import type { Hooks, RunEvent } from "../../index.js";

/**
 * Holds the events of a message back while hooks can still replace it: those at postGenerate are asked when all of it is
 * there, and what has been written to a pipe or a file cannot be taken back. Without such hooks nothing waits.
 */
export class MessageBuffer {
  readonly #hooks: Pick<Hooks, "list">;
  readonly #waiting: RunEvent[] = [];
  /** Undefined: no message has begun. */
  #holds: boolean | undefined;

  constructor(hooks: Pick<Hooks, "list">) {
    this.#hooks = hooks;
  }

  /** The events that may be shown now that this one has come, in order. */
  take(event: RunEvent): readonly RunEvent[] {
    if (event.type !== "token" && event.type !== "replaced") {
      this.#holds = undefined;
      return [...this.rest(), event];
    }
    this.#holds ??= this.#hooks.list().some(({ point, observe }) => point === "postGenerate" && !observe);
    if (!this.#holds) return [event];
    // The parser may correct a message before the hooks are asked, so this is not the last word either.
    if (event.type === "replaced") this.#waiting.length = 0;
    this.#waiting.push(event);
    return [];
  }

  /** What is still held, when there will be no further event. */
  rest(): RunEvent[] {
    return this.#waiting.splice(0);
  }
}
