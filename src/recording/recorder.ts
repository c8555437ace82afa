// Collects the recorded runs of one session, and the history before and after them.
import type { Message } from "../generated/points.js";
import type { RunResult } from "../generated/results.js";
import type { Outcome } from "../native/running.js";
import type { RunWatcher } from "../sessions/session.js";
import { CallNames } from "./call-names.js";
import type { Recording } from "./recording.js";
import { type NotesOf, RunNotes } from "./run-notes.js";

export class Recorder {
  readonly #of: NotesOf;
  /** Ended runs, in order. */
  readonly #runs: RunNotes[] = [];
  readonly #now: () => readonly Message[] | undefined;
  /** The history before the first run, and after the last. */
  #before: readonly Message[];
  #history: readonly Message[];
  /** For each run under way: resolves when the run has ended, if it was asked to stop. */
  readonly #stopping = new Set<() => Promise<void>>();
  #stopped = false;

  /** `now` returns the current history; undefined once the session is closed. */
  constructor(
    { raw, tools, models }: Pick<NotesOf, "raw" | "tools" | "models">,
    history: readonly Message[],
    now: () => readonly Message[] | undefined,
  ) {
    this.#of = { raw, tools, models, names: new CallNames() };
    this.#before = this.#history = history;
    this.#now = now;
  }

  /** Called when a run is requested. */
  readonly watch: RunWatcher = (json, stopped) => {
    const notes = new RunNotes(json, this.#of);
    this.#stopping.add(stopped);
    const ended = (outcome: Outcome<RunResult>): void => {
      this.#stopping.delete(stopped);
      this.#ended(notes, outcome);
    };
    return { hooks: notes.hooks(), ended };
  };

  /** Resolves when the runs that were asked to stop have ended. */
  async stopping(): Promise<void> {
    await Promise.all([...this.#stopping].map((stopped) => stopped()));
  }

  /** Drops runs that are under way. */
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
    // A refused run, which a raw recording keeps, left the history unchanged.
    if (this.#runs.length === 0) this.#before = notes.before ?? this.#history;
    this.#runs.push(notes);
  }
}
