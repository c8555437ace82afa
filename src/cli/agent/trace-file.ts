// Writes the file of --trace-file: the trace as Chrome trace events. Keeps a bounded number of events in memory.
import { access, constants } from "node:fs/promises";
import path from "node:path";
import { replaceable, writeFileAtomically } from "../../base/files/atomic-write.js";
import { LlamaHooksError, type TraceEvent, traceEvents } from "../../index.js";

/**
 * The number of events and hook calls that are kept. They take about 200 MB as JavaScript objects, and 100 MB as a
 * file.
 */
const most = 200_000;

export class TraceFile {
  readonly #path: string;
  #events: TraceEvent[] = [];
  #kept = 0;
  #dropped = 0;

  private constructor(file: string) {
    this.#path = file;
  }

  /**
   * Checks the path before the run starts, so that a wrong path fails at once. Errors: INVALID_ARGUMENT if the file
   * cannot be written.
   */
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

  /** Errors: INVALID_ARGUMENT if the file cannot be written; the old file then stays as it was. */
  async write(): Promise<void> {
    const lost: TraceEvent[] = [];
    if (this.#dropped > 0) lost.push({ type: "lifecycle", event: "dropped", count: this.#dropped });
    await writeFileAtomically(this.#path, lines(traceEvents([...lost, ...this.#events])), {
      followsLink: true,
    });
  }
}

function weight(event: TraceEvent): number {
  return event.type === "decision" ? 1 + event.hooks.length : 1;
}

/** Yields one line at a time, because the whole text may exceed the longest possible string. */
function* lines({ traceEvents: events, ...rest }: ReturnType<typeof traceEvents>): Generator<string> {
  yield '{"traceEvents":[\n';
  for (const [index, event] of events.entries()) yield `${index > 0 ? ",\n" : ""}${JSON.stringify(event)}`;
  yield `\n],${JSON.stringify(rest).slice(1)}\n`;
}
