// Collects the recorded runs of one session, and the history before and after them.
import type { Message } from "../generated/points.js";
import type { RunResult } from "../generated/results.js";
import type { Outcome } from "../native/running.js";
import type { RunWatcher } from "../sessions/watchers.js";
import { CallNames } from "./call-names.js";
import type { RecordedChange, Recording } from "./recording.js";
import { type NotesOf, RunNotes } from "./run-notes.js";

export class Recorder {
  readonly #of: NotesOf;
  /** Ended runs, in order. */
  readonly #runs: RunNotes[] = [];
  readonly #now: (compacted?: boolean) => readonly Message[] | undefined;
  readonly #changes: RecordedChange[] = [];
  /** The run under way. */
  #current: RunNotes | undefined;
  /** The number of messages to which the session was rewound since the last run. */
  #rewind: number | undefined;
  /** Messages that compactions had dropped before the first run. */
  #leftOut = 0;
  /** Ids of the calls that wait since the last run. */
  #waiting: readonly string[] | undefined;
  /** The history before the first run, and after the last. */
  #before: readonly Message[];
  #history: readonly Message[];
  /** Functions of the runs under way: each resolves when its run has ended, if it was asked to stop. */
  readonly #stopping = new Set<() => Promise<void>>();
  #stopped = false;

  /** `now` returns the current history, or all of it; undefined once the session is closed. */
  constructor(
    { raw, tools, models }: Pick<NotesOf, "raw" | "tools" | "models">,
    history: readonly Message[],
    now: (compacted?: boolean) => readonly Message[] | undefined,
  ) {
    this.#of = { raw, tools, models, names: new CallNames(), begins: (notes) => this.#begins(notes) };
    this.#before = this.#history = history;
    this.#now = now;
  }

  /** Called when a run is requested. */
  readonly watch: RunWatcher = (json, stopped) => {
    const notes = new RunNotes(json, this.#of);
    this.#stopping.add(stopped);
    const ended = (outcome: Outcome<RunResult>, byStopWhen: boolean): void => {
      this.#stopping.delete(stopped);
      this.#ended(notes, outcome, byStopWhen);
    };
    return { hooks: notes.hooks(), ended };
  };

  /** The conversation was rewound. */
  rewound(): void {
    if (this.#stopped) return;
    this.#waiting = undefined;
    if (this.#runs.length > 0) this.#rewind = Math.max(0, (this.#now(false)?.length ?? 0) - this.#leftOut);
  }

  /** The session has received other tools or tiers. */
  changed(change: Pick<RecordedChange, "tools" | "tiers">): void {
    if (this.#stopped) return;
    for (const { name } of change.tools ?? []) this.#of.tools.add(name);
    this.#changes.push({ run: this.#runs.length + 1, iteration: this.#current?.iteration ?? 0, ...change });
  }

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

  taken(): Pick<Recording, "models" | "runs" | "calls" | "results" | "queued" | "changes" | "history"> {
    return {
      models: [...this.#of.models],
      runs: this.#runs.map(({ run }) => run),
      calls: this.#runs.flatMap(({ calls }) => calls),
      results: this.#runs.flatMap(({ results }) => results),
      queued: this.#runs.flatMap(({ queued }) => queued),
      ...(this.#changes.length > 0 && { changes: this.#changes }),
      history: this.#history,
    };
  }

  /** Returns the ids of the calls that wait; undefined: none of a recorded run. */
  #begins(notes: RunNotes): readonly string[] | undefined {
    this.#current = notes;
    if (this.#runs.length === 0) {
      this.#before = this.#now() ?? this.#before;
      this.#leftOut = (this.#now(false) ?? this.#before).length - this.#before.length;
    }
    return this.#waiting;
  }

  #ended(notes: RunNotes, outcome: Outcome<RunResult>, byStopWhen: boolean): void {
    if (this.#current === notes) this.#current = undefined;
    if (this.#stopped || !notes.end(outcome, byStopWhen)) return;
    if (this.#rewind !== undefined) notes.run.rewind = this.#rewind;
    this.#rewind = undefined;
    if (notes.run.resume !== undefined) notes.run.resumes = this.#runs.at(-1)?.run.resumes ?? this.#runs.length;
    this.#waiting = "result" in outcome ? outcome.result.waiting?.map(({ id }) => id) : undefined;
    const added = "result" in outcome ? outcome.result.messages : [];
    this.#history = this.#now() ?? [...this.#history, ...added];
    this.#runs.push(notes);
  }
}
