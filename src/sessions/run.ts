// One run of a session under way: awaitable and iterable. Must not: check arguments.
import type { Causes } from "../base/causes.js";
import type { RunEndEvent, RunEvent, RunResult } from "../generated/results.js";
import { CallHooks } from "../hooks/call-hooks.js";
import type { HookHost } from "../hooks/hooks.js";
import { type Outcome, Running } from "../native/running.js";
import type { CheckedRun } from "./session-options.js";
import { runEventFromWire, runResultFromWire } from "./run-result.js";

/** When the run of a session starts. */
export interface RunStart {
  /** It starts when this has resolved. */
  readonly after: Promise<void> | undefined;
  /** Called as it starts, and when it has ended or could not. */
  begins(): void;
  /** Called with what it came to, before anybody else is told. */
  came(outcome: Outcome<RunResult>): void;
}

/**
 * What `session.run()` returns: `await` it for the result, iterate over it for the events, or both, as with what
 * `engine.generate()` returns. Leaving an iteration early cancels the run, once nobody else iterates.
 */
export class Run extends Running<Exclude<RunEvent, RunEndEvent>, RunResult> {
  /** Made by `session.run()` only. */
  constructor(
    host: HookHost,
    sessionId: string,
    { json, signal, hooks }: CheckedRun,
    causes: Causes,
    { after, begins, came }: RunStart,
  ) {
    const own = new CallHooks(host, "run", hooks);
    super({
      start: (onWake, onEnd, subscribed) => {
        begins();
        return host.native.runSession(sessionId, json, onWake, onEnd, subscribed, own.begin());
      },
      ended: () => {
        begins();
        own.end();
      },
      errors: host.errors,
      signal,
      after,
      came,
      event: (wire) => runEventFromWire(wire, causes),
      result: (text) => runResultFromWire(text, causes, signal),
    });
  }

  /** When the run of a session has ended, for the next one. */
  static ended(run: Run): Promise<void> {
    return run.settled();
  }

  /** When a run that was asked to stop has ended; at once for any other. */
  static async stopped(run: Run): Promise<void> {
    if (run.stopping) await run.settled();
  }
}
