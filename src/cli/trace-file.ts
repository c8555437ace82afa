// The file of --trace-file: what happened, as Chrome's trace events. Must not: keep more than memory has room for.
import { access, constants, stat } from "node:fs/promises";
import path from "node:path";
import { writeWholeFile } from "../base/whole-file.js";
import { LlamaHooksError, type TraceEvent, traceEvents } from "../index.js";

/** Some 200 MB of JavaScript objects, and a file of 100 MB. */
const most = 200_000;

export class TraceFile {
  readonly #path: string;
  #events: TraceEvent[] = [];
  #dropped = 0;

  private constructor(file: string) {
    this.#path = file;
  }

  /** Before there is anything to write, so that what is wrong shows at once. Errors: INVALID_ARGUMENT where it cannot be written. */
  static async open(file: string): Promise<TraceFile> {
    try {
      await access(path.dirname(file), constants.W_OK);
      if (await isFolder(file)) throw new Error("it is a folder");
    } catch (cause) {
      throw new LlamaHooksError("INVALID_ARGUMENT", `${file} cannot be written: ${(cause as Error).message}`, {
        cause,
      });
    }
    return new TraceFile(file);
  }

  add(event: TraceEvent): void {
    this.#events.push(event);
    if (this.#events.length <= most) return;
    const half = most / 2;
    this.#dropped += half;
    this.#events = this.#events.slice(half);
  }

  /** Errors: INVALID_ARGUMENT when it cannot be written; what was there is then as it was. */
  async write(): Promise<void> {
    const lost: TraceEvent[] = [];
    if (this.#dropped > 0) lost.push({ type: "lifecycle", event: "dropped", count: this.#dropped });
    const { traceEvents: events, ...rest } = traceEvents([...lost, ...this.#events]);
    const lines = events.map((event) => JSON.stringify(event)).join(",\n");
    await writeWholeFile(this.#path, `{"traceEvents":[\n${lines}\n],${JSON.stringify(rest).slice(1)}\n`);
  }
}

async function isFolder(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isDirectory();
  } catch {
    return false; // not there yet
  }
}
