// Names model calls such that equal work gets equal names; a replay finds the model's answers by them. Must not: depend
// on ids or on time.
import { createHash } from "node:crypto";
import type { LoopStartEvent, PreGenerateEvent, UserMessageEvent } from "../generated/points.js";

interface Named {
  readonly name: string;
  /** Delegated runs and calls of each kind so far. */
  readonly counts: Map<string, number>;
  /** The current call. */
  call: string | undefined;
}

/**
 * A run of the session is named by its number; a delegated run by its parent, tier and task, so that concurrent runs
 * may start in any order. A call is named by its run, its iteration, and whether it has tools: side calls (a summary, a
 * reflection) have none.
 */
export class CallNames {
  readonly #runs = new Map<string, Named>();
  #last = 0;

  /** Returns the number of the run of a user message, or of a run that continues with answers. */
  heard({ meta: { runId } }: Pick<UserMessageEvent, "meta">): number {
    if (runId !== null && !this.#runs.has(runId)) this.#add(runId, String(++this.#last));
    return this.numberOf(runId);
  }

  /** Skips the number of a run that never began. */
  skip(number: number): void {
    this.#last = Math.max(this.#last, number);
  }

  /** Forgets the last run, which never began: the next run gets its number. */
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

  /** Returns the name of the call that is about to be made; undefined outside of runs. */
  asked({ meta: { runId, iteration }, tools }: Pick<PreGenerateEvent, "meta" | "tools">): string | undefined {
    const run = this.#runs.get(runId ?? "");
    if (run === undefined) return undefined;
    const kind = `${iteration ?? 0}${tools.length > 0 ? "" : " aside"}`;
    return (run.call = `${run.name} ${kind}${count(run, kind)}`);
  }

  /** Returns the name of the current call. */
  callOf(runId: string | null): string | undefined {
    return this.#runs.get(runId ?? "")?.call;
  }

  /** The number of a run, from 1; 0 for unknown and delegated runs. */
  numberOf(runId: string | null): number {
    return Number(this.#runs.get(runId ?? "")?.name) || 0;
  }

  #add(runId: string, name: string): void {
    this.#runs.set(runId, { name, counts: new Map(), call: undefined });
  }
}

/** "" for the first call of its kind, "#2" for the second. */
function count({ counts }: Named, key: string): string {
  const number = (counts.get(key) ?? 0) + 1;
  counts.set(key, number);
  return number === 1 ? "" : `#${number}`;
}
