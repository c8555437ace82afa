// One run of a session under way: awaitable and iterable. Must not: check arguments.
import type { Causes } from "../base/causes.js";
import type { RunEndEvent, RunEvent, RunResult } from "../generated/results.js";
import type { NativeEngine } from "../native/addon.js";
import type { NativeErrors } from "../native/native-errors.js";
import { type Outcome, Running } from "../native/running.js";
import type { CheckedRun } from "./session-options.js";
import { runEventFromWire, runResultFromWire } from "./run-result.js";

/**
 * What `session.run()` returns: `await` it for the result, iterate over it for the events, or both, as with what
 * `engine.generate()` returns. Leaving an iteration early cancels the run, once nobody else iterates.
 */
export class Run extends Running<Exclude<RunEvent, RunEndEvent>, RunResult> {
  /** Made by `session.run()` only. */
  constructor(
    native: NativeEngine,
    sessionId: string,
    { json, signal }: CheckedRun,
    errors: NativeErrors,
    causes: Causes,
    after: Promise<void> | undefined,
  ) {
    super({
      start: native.runSession.bind(native, sessionId, json),
      errors,
      signal,
      after,
      event: (wire) => runEventFromWire(wire, causes),
      result: (text) => runResultFromWire(text, causes, signal),
    });
  }

  /** When the run of a session has ended, for the next one. */
  static ended(run: Run): Promise<void> {
    return run.settled();
  }

  /** What the run of a session comes to, for who watches it. */
  static outcomeOf(run: Run): Promise<Outcome<RunResult>> {
    return run.outcome();
  }
}
