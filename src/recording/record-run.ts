// recordRun(): a session is watched, and what a replay needs is kept. Must not: be paid for by sessions that nobody records.
import { checkObject, isObject, optionalBoolean, requiredString, wrong } from "../base/check.js";
import type { HookEvents, PointName } from "../generated/points.js";
import { groupOf } from "../hooks/registration.js";
import { Session } from "../sessions/session.js";
import type { Handler } from "../hooks/hook-types.js";
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
  /** Writes it to a file, whole or not at all, for its owner alone to read. */
  save(path: string): Promise<void>;
  /** Ends the recording; what was recorded stays. */
  stop(): void;
}

/** Before all hooks, and after them. */
const first = -(2 ** 31);
const last = 2 ** 31 - 1;

/**
 * Records the runs of a session that begin from now on: what was said, what the model said, what tools gave, and what came of
 * it. `replayRun()` of `llama-hooks/testing`, and `llama-hooks replay`, run it again, without the model and the tools. What hooks have
 * replaced is not kept, unless `raw` says so; system prompts, declarations of tools, options of the session, and the history that
 * it has by now are kept as they are. Not recorded: runs of its forks, compactions between runs, model calls of
 * `engine.generate()`. Errors: `TypeError`; NOT_FOUND when the session is closed.
 */
export function recordRun(session: Session, options?: RecordOptions): RunRecording {
  if (!(session instanceof Session)) throw wrong("The argument of recordRun()", "a session", session);
  const given = checkObject(options, "recordRun() options", ["raw"]);
  const raw = optionalBoolean(given.raw, "recordRun() options: raw") ?? false;
  const before = session.history();
  let recorder: Recorder | undefined;
  const { hooks, opened, stop } = Session.watch(session, (json, outcome) => recorder?.onRun(json, outcome));
  const { history: _, ...known } = sessionOptions(opened.json);
  const tools = opened.tools.map(({ name, description, parameters, settings: { trusted, exclusive } }) => ({
    name,
    description,
    parameters,
    ...(trusted !== undefined && { trusted }),
    ...(exclusive !== undefined && { exclusive }),
  }));
  const taken = (recorder = new Recorder(new Set(tools.map(({ name }) => name)), raw, modelsOf(known)));
  const on = <P extends PointName>(point: P, priority: number, note: (event: HookEvents[P]) => void) =>
    hooks.on(
      point,
      ((event: HookEvents[P]) => {
        if (event.meta.sessionId === session.id) note(event);
      }) as unknown as Handler<P> as never,
      { name: "recordRun", priority },
    );
  const texts = raw ? first : last;
  const added = [
    on("userMessage", first, (event) => taken.begin(event)),
    on("userMessage", texts, (event) => taken.userMessage(event)),
    on("loopStart", first, (event) => taken.loopStart(event)),
    on("preGenerate", last, (event) => taken.preGenerate(event)),
    on("postGenerate", texts, (event) => taken.postGenerate(event)),
    on("postToolCall", texts, (event) => taken.postToolCall(event)),
    on("toolResultPersist", first, (event) => taken.storing(event)),
    ...(raw ? [] : [on("toolResultPersist", last, (event) => taken.toolResultPersist(event))]),
  ];
  const registration = groupOf(added);
  let ended: Recording["history"] | undefined;
  const end = (): void => {
    if (ended !== undefined) return;
    ended = session.history();
    stop();
    registration.dispose();
  };
  const toJSON = (): Recording => ({
    format: recordingFormat,
    version: recordingVersion,
    raw,
    options: { ...known, ...(before.length > 0 && { history: before }) },
    tools,
    models: [...taken.models],
    runs: taken.runs,
    calls: taken.calls,
    results: taken.results,
    queued: taken.queued,
    history: ended ?? session.history(),
  });
  return {
    toJSON,
    save: async (path) => writeRecording(requiredString(path, "The path of save()"), toJSON()),
    stop: end,
    [Symbol.dispose]: end,
  };
}

function modelsOf({ model, tiers }: Record<string, unknown>): string[] {
  const all = [{ model }, ...(isObject(tiers) ? Object.values(tiers) : [])] as { model?: unknown }[];
  return all.flatMap((one) => (typeof one.model === "string" ? [one.model] : []));
}
