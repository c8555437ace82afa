// The runs of one session that are recorded, and what was said before and after them. Must not: know hooks or points.
import type { Message } from "../generated/points.js";
import type { RunResult } from "../generated/results.js";
import type { Outcome } from "../native/running.js";
import type { RunWatcher } from "../sessions/session.js";
import { CallNames } from "./call-names.js";
import type { Recording } from "./recording.js";
import { type NotesOf, RunNotes } from "./run-notes.js";

export class Recorder {
  readonly #of: NotesOf;
  /** Those that have ended, in order. */
  readonly #runs: RunNotes[] = [];
  readonly #now: () => readonly Message[] | undefined;
  /** Before the first of them, and after the last. */
  #before: readonly Message[];
  #history: readonly Message[];
  /** Of each run under way: when it has ended, if it was asked to stop. */
  readonly #stopping = new Set<() => Promise<void>>();
  #stopped = false;

  /** `now`: the history at any time; undefined once the session is closed. */
  constructor(
    { raw, tools, models }: Pick<NotesOf, "raw" | "tools" | "models">,
    history: readonly Message[],
    now: () => readonly Message[] | undefined,
  ) {
    this.#of = { raw, tools, models, names: new CallNames() };
    this.#before = this.#history = history;
    this.#now = now;
  }

  /** A run is asked for. */
  readonly watch: RunWatcher = (json, stopped) => {
    const notes = new RunNotes(json, this.#of);
    this.#stopping.add(stopped);
    const ended = (outcome: Outcome<RunResult>): void => {
      this.#stopping.delete(stopped);
      this.#ended(notes, outcome);
    };
    return { hooks: notes.hooks(), ended };
  };

  /** When the runs that were asked to stop have ended. */
  async stopping(): Promise<void> {
    await Promise.all([...this.#stopping].map((stopped) => stopped()));
  }

  /** Runs that are under way are not kept. */
  stop(): void {
    this.#stopped = true;
  }

  get before(): readonly Message[] {
    return this.#before;
  }

  taken(): Pick<Recording, "models" | "runs" | "calls" | "results" | "queued" | "history"> {
    return {
      models: [...this.#of.models],
      runs: this.#runs.map(({ run }) => run),
      calls: this.#runs.flatMap(({ calls }) => calls),
      results: this.#runs.flatMap(({ results }) => results),
      queued: this.#runs.flatMap(({ queued }) => queued),
      history: this.#history,
    };
  }

  #ended(notes: RunNotes, outcome: Outcome<RunResult>): void {
    if (this.#stopped || !notes.end(outcome)) return;
    const added = "result" in outcome ? outcome.result.messages : [];
    this.#history = this.#now() ?? [...this.#history, ...added];
    // A run that was refused, which a raw recording keeps, has left the history as it was.
    if (this.#runs.length === 0) this.#before = notes.before ?? this.#history;
    this.#runs.push(notes);
  }
}
