// recordRun(): a session is watched, and what a replay needs is kept. Must not: be paid for by sessions that nobody records.
import { checkObject, isObject, optionalBoolean, requiredString, wrong } from "../base/check.js";
import { LlamaHooksError } from "../base/errors.js";
import type { Message } from "../generated/points.js";
import { insideCall } from "../hooks/hook-calls.js";
import { Session } from "../sessions/session.js";
import { type Recording, recordingFormat, recordingVersion } from "./recording.js";
import { writeRecording } from "./recording-file.js";
import { Recorder } from "./recorder.js";
import { sessionOptions } from "./session-words.js";

/** Options of `recordRun()`. */
export interface RecordOptions {
  /**
   * Keeps texts as they are before hooks replace them [false]: what users say, what the model says (before `postGenerate` hooks,
   * as `streamToken` hooks left it) and what tools give. Only then does a replay show what becomes of them without such a hook;
   * and only then is it exact where a hook makes something else of its own work. The recording has every secret that
   * hooks have masked.
   */
  readonly raw?: boolean;
}

/** A recording under way. `using` ends it. */
export interface RunRecording extends Disposable {
  /** What was recorded so far, of runs that have ended. */
  toJSON(): Recording;
  /**
   * Writes it to a file, whole or not at all, for its owner alone to read. Outside of hooks and tools it first waits for runs that
   * were asked to stop (an iteration that was left, `cancel()`, an aborted signal): they are part of it.
   */
  save(path: string): Promise<void>;
  /** Ends the recording; what was recorded stays. A run that is under way is no part of it. */
  stop(): void;
}

/**
 * Records the runs of a session that are asked for from now on: what was said, what the model said, what tools gave, and what came of
 * it. `replayRun()` of `llama-hooks/testing`, and `llama-hooks replay`, run it again, without the model and the tools. What hooks have
 * replaced is not kept, unless `raw` says so; system prompts, declarations of tools, options of the session, and the history that
 * the first of them begins with are kept as they are. Not recorded: runs of its forks, compactions between runs, model calls of
 * `engine.generate()`. Errors: `TypeError`; NOT_FOUND when the session is closed.
 */
export function recordRun(session: Session, options?: RecordOptions): RunRecording {
  if (!(session instanceof Session)) throw wrong("The argument of recordRun()", "a session", session);
  const given = checkObject(options, "recordRun() options", ["raw"]);
  const raw = optionalBoolean(given.raw, "recordRun() options: raw") ?? false;
  const before = session.history();
  const { opened, stop } = Session.watch(session, (json, stopped) => recorder.watch(json, stopped));
  const { history: _, ...known } = sessionOptions(opened.json);
  const offered = opened.tools.filter(({ fault }) => fault === null);
  const tools = offered.map(({ name, description, parameters, settings: { trusted, exclusive } }) => ({
    name,
    description,
    parameters,
    ...(trusted !== undefined && { trusted }),
    ...(exclusive !== undefined && { exclusive }),
  }));
  const recorder = new Recorder(
    { raw, tools: new Set(tools.map(({ name }) => name)), models: new Set(modelsOf(known)) },
    before,
    () => historyOf(session),
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
  return {
    toJSON,
    async save(path) {
      const file = requiredString(path, "The path of save()");
      if (!insideCall()) await recorder.stopping(); // a hook or a tool may be what such a run waits for
      await writeRecording(file, toJSON());
    },
    stop: end,
    [Symbol.dispose]: end,
  };
}

/** Undefined when the session is closed, or the engine. */
function historyOf(session: Session): readonly Message[] | undefined {
  try {
    return session.history();
  } catch (error) {
    if (error instanceof LlamaHooksError) return undefined;
    throw error;
  }
}

function modelsOf({ model, tiers }: Record<string, unknown>): string[] {
  const all = [{ model }, ...(isObject(tiers) ? Object.values(tiers) : [])] as { model?: unknown }[];
  return all.flatMap((one) => (typeof one.model === "string" ? [one.model] : []));
}
