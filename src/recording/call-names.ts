// Names of model calls that are the same whenever the same is done: by them a replay finds what the model said.
// Must not: depend on ids or on time.
import { createHash } from "node:crypto";
import type { LoopStartEvent, PreGenerateEvent, UserMessageEvent } from "../generated/points.js";

interface Named {
  readonly name: string;
  /** Runs that it delegated to, and calls of each kind, so far. */
  readonly counts: Map<string, number>;
  /** The call under way. */
  call: string | undefined;
}

/**
 * A run of the session goes by its number, one that is delegated to by its parent, its tier and its task, whichever of several at
 * once begins first; a call by its run, its iteration, and whether it has tools: asides (a summary, a reflection) have none.
 */
export class CallNames {
  readonly #runs = new Map<string, Named>();
  #last = 0;

  /** The number of the run that a user message is said in. */
  heard({ meta: { runId } }: UserMessageEvent): number {
    if (runId !== null && !this.#runs.has(runId)) this.#add(runId, String(++this.#last));
    return this.numberOf(runId);
  }

  /** A run that came to nothing, the last one: its number is the next one's. */
  forgetLast(): void {
    this.#last--;
  }

  started({ meta: { runId, parentRunId }, tier, messages }: LoopStartEvent): void {
    const parent = this.#runs.get(parentRunId ?? "");
    if (runId === null || parent === undefined || this.#runs.has(runId)) return;
    const task = messages.findLast(({ role }) => role === "user")?.content ?? "";
    const hash = createHash("sha256").update(task).digest("hex").slice(0, 12);
    this.#add(runId, `${parent.name}/${tier ?? ""}:${hash}${count(parent, `${tier ?? ""}:${hash}`)}`);
  }

  /** The name of the call that is about to be made; undefined for one of no run. */
  asked({ meta: { runId, iteration }, tools }: PreGenerateEvent): string | undefined {
    const run = this.#runs.get(runId ?? "");
    if (run === undefined) return undefined;
    const kind = `${iteration ?? 0}${tools.length > 0 ? "" : " aside"}`;
    return (run.call = `${run.name} ${kind}${count(run, kind)}`);
  }

  /** The name of the call under way. */
  callOf(runId: string | null): string | undefined {
    return this.#runs.get(runId ?? "")?.call;
  }

  /** From 1; 0 for a run that is not known or was delegated to. */
  numberOf(runId: string | null): number {
    return Number(this.#runs.get(runId ?? "")?.name) || 0;
  }

  #add(runId: string, name: string): void {
    this.#runs.set(runId, { name, counts: new Map(), call: undefined });
  }
}

/** Nothing for the first, "#2" for the second. */
function count({ counts }: Named, key: string): string {
  const number = (counts.get(key) ?? 0) + 1;
  counts.set(key, number);
  return number === 1 ? "" : `#${number}`;
}
