// One running run of a session: can be awaited and iterated over.
import type { Causes } from "../base/causes.js";
import type { RunEndEvent, RunEvent, RunResult } from "../generated/results.js";
import { textsOf } from "../generate/text-stream.js";
import { CallHooks } from "../hooks/call-hooks.js";
import type { HookHost } from "../hooks/hooks.js";
import { type Outcome, Running } from "../native/running.js";
import type { CheckedRun } from "./session-options.js";
import { runEventFromWire, runResultFromWire } from "./run-result.js";

/** The start of a run, and the functions that are called at its steps. */
export interface RunStart {
  /** The run starts once this has resolved. */
  readonly after: Promise<void> | undefined;
  /** Called when the run starts, and when it has ended or could not start. */
  begins(): void;
  /** Called when the run starts; what it throws is the run's error. */
  admits(): void;
  /** Called with the outcome, before any other code gets it. */
  came(outcome: Outcome<RunResult>): void;
  /** The outcome comes once this has resolved; it never rejects. */
  readonly settled: (() => Promise<unknown>) | undefined;
}

/** The result of a run with the option `answer`. */
export interface AnsweredResult<Answer> extends RunResult {
  /** The answer, as the schema describes it. Undefined: the run has ended without one, as `finishReason` says. */
  readonly answer: Answer | undefined;
}

/**
 * One run, returned by `session.run()`. `await` it for the result, iterate over it for the events, or both, as with
 * `engine.generate()`. Leaving the last iteration early cancels the run.
 */
export class Run<Result = RunResult, Event = RunEvent> extends Running<Exclude<Event, RunEndEvent>, Result> {
  /** Called by `session.run()` only. */
  constructor(
    host: HookHost,
    sessionId: string,
    { json, signal, hooks, answer }: CheckedRun,
    causes: Causes,
    { after, begins, admits, came, settled }: RunStart,
  ) {
    const own = new CallHooks(host, "run", answer === undefined ? hooks : [...hooks, answer.hooks]);
    super({
      start: (onWake, onEnd, subscribed, cancelled) => {
        begins();
        admits();
        return host.native.runSession(sessionId, json, onWake, onEnd, subscribed, own.begin(), cancelled);
      },
      ended: () => {
        begins();
        own.end();
      },
      errors: host.errors,
      signal,
      after,
      came: (outcome) => came(outcome as Outcome<RunResult>),
      settled,
      event: (wire) => runEventFromWire(wire, causes) as Exclude<Event, RunEndEvent>,
      result: (text) => {
        const result = runResultFromWire(text, causes, signal);
        return (answer === undefined ? result : { ...result, answer: answer.of(result) }) as Result;
      },
    });
  }

  /**
   * The text that the model says to the user, piece by piece, without reasoning, tool calls and delegated runs:
   * `for await (const text of run.textStream)`. Each read of the property begins a new iteration; leaving it early
   * cancels the run, as with any other iteration. The last message is `text` of the result. Messages before it (the
   * text before a tool call, an answer that hooks send back or replace) are streamed as well; an empty line separates
   * messages.
   *
   * @example
   * ```ts
   * for await (const text of session.run("Hello!").textStream) process.stdout.write(text);
   * ```
   */
  get textStream(): AsyncGenerator<string, void, undefined> {
    return textsOf(this[Symbol.asyncIterator]());
  }

  /** Resolves when the run has ended, so that the next one can start. */
  static ended(run: Run): Promise<void> {
    return run.settled();
  }

  /** Resolves when a run that was asked to stop has ended; at once for any other run. */
  static async stopped(run: Run): Promise<void> {
    if (run.stopping) await run.settled();
  }
}
