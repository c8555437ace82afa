// The receivers of a session's runs and changes: recordings, and the places of stored sessions.
import type { RunResult } from "../generated/results.js";
import type { HookSet } from "../hooks/define-hooks.js";
import type { Outcome } from "../native/running.js";
import type { RunStart } from "./run.js";
import type { CheckedRun, CheckedSession, CheckedTool } from "./session-options.js";

/**
 * Called for each run when it is requested, with the request in the engine's form. Its hooks run last in that run, and
 * it gets the outcome before all others. `stopped` resolves when the run has ended if it was asked to stop, and at once
 * if not.
 */
export type RunWatcher = (
  json: string,
  stopped: () => Promise<void>,
) => {
  readonly hooks: readonly HookSet[];
  /** Called when the run is about to start; what it throws is the run's error. */
  admits?(): void;
  /** `byStopWhen`: the run has ended because `stopWhen` answered with true. */
  ended(outcome: Outcome<RunResult>, byStopWhen: boolean): void;
  /** The run resolves, or rejects, once this has resolved. Called when the engine has ended the run. */
  settled?(): Promise<void>;
};

/** Is notified of changes to a session, apart from its runs. */
export interface ChangeWatcher {
  /** The conversation was rewound. */
  rewound(): void;
  tools(tools: readonly CheckedTool[]): void;
  /** `tiers`: in the engine's form. */
  tiers(tiers: Record<string, unknown>): void;
}

/** The parts of a session that a recording uses. */
export interface WatchedSession {
  readonly opened: CheckedSession;
  stop(): void;
}

/** The hooks that watchers add to a run, and the parts of its start that are theirs. */
export interface WatchedRun extends Pick<RunStart, "admits" | "came" | "settled"> {
  readonly hooks: readonly HookSet[];
}

export class Watchers implements ChangeWatcher {
  readonly #ofRuns = new Set<RunWatcher>();
  readonly #ofChanges = new Set<ChangeWatcher>();

  /** Returns what ends the watch; runs under way are watched to their end. */
  add(watcher: RunWatcher, changes?: ChangeWatcher): () => void {
    this.#ofRuns.add(watcher);
    if (changes !== undefined) this.#ofChanges.add(changes);
    return () => {
      this.#ofRuns.delete(watcher);
      if (changes !== undefined) this.#ofChanges.delete(changes);
    };
  }

  /** Calls the watchers for a run that is requested. */
  begin({ json, stop }: CheckedRun, stopped: () => Promise<void>): WatchedRun {
    const watched = [...this.#ofRuns].map((watcher) => watcher(json, stopped));
    const waits = watched.flatMap(({ settled }) => settled ?? []);
    return {
      hooks: watched.flatMap(({ hooks }) => hooks),
      admits: () => {
        for (const one of watched) one.admits?.();
      },
      came: (outcome) => {
        for (const one of watched) one.ended(outcome, stop?.hasStopped === true);
      },
      settled: waits.length === 0 ? undefined : () => Promise.all(waits.map((wait) => wait())),
    };
  }

  rewound(): void {
    for (const one of this.#ofChanges) one.rewound();
  }

  tools(tools: readonly CheckedTool[]): void {
    for (const one of this.#ofChanges) one.tools(tools);
  }

  tiers(tiers: Record<string, unknown>): void {
    for (const one of this.#ofChanges) one.tiers(tiers);
  }
}
