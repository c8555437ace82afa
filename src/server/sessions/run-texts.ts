// The events of a run as server-sent events, and its result as JSON. Must not: show clients decisions of hooks, except
// the one that ended the run.
import type { RunResult } from "../../index.js";
import type { EventTexts } from "../http/event-stream.js";
import { apiErrorOf } from "../http/failure.js";
import type { StreamEvent } from "./run-events.js";

const untold: ReadonlySet<string> = new Set(["decisions", "steps", "childToolCalls"] satisfies (keyof RunResult)[]);

/** The members of a result that clients get. */
export function resultOf(result: RunResult): object {
  return Object.fromEntries(Object.entries(result).filter(([name]) => !untold.has(name)));
}

/** Options for the stream of a run. */
export interface RunTextsOptions {
  /** Id of the request. */
  readonly id: string;
  /** True: a hook may still change what the model writes, so the pieces of it are not sent. */
  readonly isHeld: boolean;
  /** Called with an error that ends the stream. */
  onError(error: unknown): void;
}

const pieces: ReadonlySet<string> = new Set(["token", "toolCallDelta", "replaced"]);

/** The texts of one stream; events are numbered from 1. */
export class RunTexts implements EventTexts<StreamEvent> {
  readonly #options: RunTextsOptions;
  #count = 0;

  constructor(options: RunTextsOptions) {
    this.#options = options;
  }

  event(event: StreamEvent): string {
    if (this.#options.isHeld && pieces.has(event.type)) return "";
    return this.#text(event.type, event.type === "end" ? { type: "end", result: resultOf(event.result) } : event);
  }

  failure(error: unknown): string {
    const { id, onError } = this.#options;
    onError(error);
    return this.#text("error", apiErrorOf(error, id).envelope);
  }

  #text(type: string, data: object): string {
    return `id: ${++this.#count}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
  }
}
