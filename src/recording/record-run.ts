// recordRun(): watches a session and keeps what a replay needs. Must not: cost anything in sessions without a
// recording.
import { calledAt } from "../base/call-site.js";
import { checkObject, isObject, optionalBoolean, requiredString, wrong } from "../base/check.js";
import { LlamaHooksError } from "../base/errors.js";
import type { Message } from "../generated/points.js";
import { insideCall } from "../hooks/hook-calls.js";
import { Session } from "../sessions/session.js";
import { type Recording, recordingFormat, recordingVersion } from "./recording.js";
import { withoutIds } from "./outcome.js";
import { writeRecording } from "./recording-file.js";
import { Recorder } from "./recorder.js";
import { recordedTools } from "./recorded-tools.js";
import { sessionOptions, tierOptions } from "./public-options.js";

/** Options of `recordRun()`. */
export interface RecordOptions {
  /**
   * True: the recording keeps texts as they are before hooks replace them [false]. These are user messages, tool
   * results and the model's text (before `postGenerate` hooks, as `streamToken` hooks left it). A replay without a hook
   * that changes texts is exact only with `raw`, and so is one with a hook that would change its own output again. The
   * recording then contains every secret that hooks masked.
   */
  readonly raw?: boolean;
}

/** A running recording. `using` stops it. */
export interface RunRecording extends Disposable {
  /** Returns the recording so far, of runs that have ended. */
  toJSON(): Recording;
  /**
   * Writes the recording to a file, atomically; only its owner can read it. Outside of hooks and tools this first waits
   * for runs that were asked to stop (a left iteration, `cancel()`, an aborted signal) and includes them.
   */
  save(path: string): Promise<void>;
  /** Stops the recording and keeps what was recorded. A run under way is not included. */
  stop(): void;
}

/**
 * Records the runs that a session starts from now on: messages, model output, tool results and outcomes. `replayRun()`
 * of `llama-hooks/testing` and `llama-hooks replay` run the recording again without the model and the tools.
 * Content that hooks replaced is not recorded, unless `raw` is set. System prompts, tool declarations, options of the
 * session and the history before the first run are recorded unchanged. Answers of `session.resume()`, and calls of
 * `rewind()`, `setTools()` and `setTiers()`, are recorded with the run that follows. Not recorded: runs of forks, runs
 * that continue a run from before the recording, compactions between runs, and model calls of `engine.generate()`.
 * Errors: `TypeError`; NOT_FOUND if the session is closed.
 *
 * @example
 * ```ts
 * const recording = recordRun(session); // from its next run on
 * await session.run("Summarise the report.");
 * await recording.save("summary.json");
 * ```
 */
export function recordRun(session: Session, options?: RecordOptions): RunRecording {
  if (!(session instanceof Session)) throw wrong("The argument of recordRun()", "a session", session);
  const given = checkObject(options, "recordRun() options", ["raw"]);
  const raw = optionalBoolean(given.raw, "recordRun() options: raw") ?? false;
  const before = withoutIds(session.history());
  const { opened, stop } = Session.watch(session, (json, stopped) => recorder.watch(json, stopped), {
    rewound: () => recorder.rewound(),
    tools: (now) => recorder.changed({ tools: recordedTools(now) }),
    tiers: (now) => recorder.changed({ tiers: tierOptions(now) }),
  });
  const known = sessionOptions(opened.json);
  const tools = recordedTools(opened.tools);
  const recorder = new Recorder(
    { raw, tools: new Set(tools.map(({ name }) => name)), models: new Set(modelsOf(known)) },
    before,
    (compacted) => historyOf(session, compacted),
  );
  const end = (): void => {
    stop();
    recorder.stop();
  };
  const toJSON = (): Recording => ({
    format: recordingFormat,
    version: recordingVersion,
    raw,
    options: { ...known, ...(recorder.before.length > 0 && { history: recorder.before }) },
    tools,
    ...recorder.taken(),
  });
  const write = async (path: unknown): Promise<void> => {
    const file = requiredString(path, "The path of save()");
    if (!insideCall()) await recorder.stopping(); // such a run may be waiting for this hook or tool
    await writeRecording(file, toJSON());
  };
  const save = (path: string): Promise<void> => calledAt(save, () => write(path));
  return {
    toJSON,
    save,
    stop: end,
    [Symbol.dispose]: end,
  };
}

/** Undefined if the session or the engine is closed. */
function historyOf(session: Session, compacted = true): readonly Message[] | undefined {
  try {
    return withoutIds(session.history({ compacted }));
  } catch (error) {
    if (error instanceof LlamaHooksError) return undefined;
    throw error;
  }
}

function modelsOf({ model, tiers }: Record<string, unknown>): string[] {
  const all = [{ model }, ...(isObject(tiers) ? Object.values(tiers) : [])] as { model?: unknown }[];
  return all.flatMap((one) => (typeof one.model === "string" ? [one.model] : []));
}
