// The file of --trace-file: what happened, as Chrome's trace events. Must not: keep more than memory has room for.
import { access, constants } from "node:fs/promises";
import path from "node:path";
import { replaceable, writeWholeFile } from "../../base/whole-file.js";
import { LlamaHooksError, type TraceEvent, traceEvents } from "../../index.js";

/** Events and calls of hooks. Some 200 MB of JavaScript objects, and a file of 100 MB. */
const most = 200_000;

export class TraceFile {
  readonly #path: string;
  #events: TraceEvent[] = [];
  #kept = 0;
  #dropped = 0;

  private constructor(file: string) {
    this.#path = file;
  }

  /** Before there is anything to write, so that what is wrong shows at once. Errors: INVALID_ARGUMENT where it cannot be written. */
  static async open(file: string): Promise<TraceFile> {
    try {
      await access(path.dirname(await replaceable(file)), constants.W_OK | constants.X_OK);
    } catch (cause) {
      throw new LlamaHooksError("INVALID_ARGUMENT", `${file} cannot be written: ${(cause as Error).message}`, {
        cause,
      });
    }
    return new TraceFile(file);
  }

  add(event: TraceEvent): void {
    this.#events.push(event);
    this.#kept += weight(event);
    if (this.#kept <= most) return;
    let first = 0;
    while (this.#kept > most / 2) this.#kept -= weight(this.#events[first++] as TraceEvent);
    this.#dropped += first;
    this.#events = this.#events.slice(first);
  }

  /** Errors: INVALID_ARGUMENT when it cannot be written; what was there is then as it was. */
  async write(): Promise<void> {
    const lost: TraceEvent[] = [];
    if (this.#dropped > 0) lost.push({ type: "lifecycle", event: "dropped", count: this.#dropped });
    await writeWholeFile(this.#path, lines(traceEvents([...lost, ...this.#events])));
  }
}

function weight(event: TraceEvent): number {
  return event.type === "decision" ? 1 + event.hooks.length : 1;
}

/** One at a time: a text of all might be longer than texts can be. */
function* lines({ traceEvents: events, ...rest }: ReturnType<typeof traceEvents>): Generator<string> {
  yield '{"traceEvents":[\n';
  for (const [index, event] of events.entries()) yield `${index > 0 ? ",\n" : ""}${JSON.stringify(event)}`;
  yield `\n],${JSON.stringify(rest).slice(1)}\n`;
}
