// replayRun(): runs a recording again, without its model and its tools.
import { calledAt } from "../base/call-site.js";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { checkObject, optionalFunction, optionalSignal, wrong } from "../base/check.js";
import {
  createEngine,
  defineHooks,
  type Engine,
  type HookSet,
  LlamaHooksError,
  type Message,
  type PreGenerateEvent,
  readRecording,
  type Recording,
  type RunOptions,
  type RunResult,
  type Session,
  type SessionOptions,
  type ToolChoice,
  type WaitingAnswer,
} from "../index.js";
import { CallNames } from "../recording/call-names.js";
import { isToolName } from "../base/names/tool-name.js";
import { errorOf, recordedOutcome, withoutIds } from "../recording/outcome.js";
import { checkRecording, invalidRecording } from "../recording/recording-file.js";
import type { RecordedAnswer } from "../recording/recording.js";
import { playable, playableEach, sessionOptionsOf } from "../recording/replay-options.js";
import { differences, type ReplayDifference, withIdsOf } from "./replay-differences.js";
import { type ReplayModel, writeReplayModel } from "./replay-model.js";
import { type CannedTools, cannedTools } from "./replay-tools.js";

/** Options of `replayRun()`. */
export interface ReplayOptions {
  /** The hooks to apply [none]. */
  readonly hooks?: readonly HookSet[];
  /** Adds more hooks, such as guards and native hooks. Called once the engine has loaded its models. */
  readonly setup?: (engine: Engine) => unknown;
  /** Cancels the replay: it rejects with CANCELLED. */
  readonly signal?: AbortSignal;
}

/** The result of a replay. */
export interface Replay {
  /** True: the replay equals the recording. */
  readonly same: boolean;
  /** The differences, in order; empty if there are none. */
  readonly differences: readonly ReplayDifference[];
  /** The history, with the recorded ids of tool calls: equal runs give byte-identical histories. */
  readonly history: readonly Message[];
  /** The result of each run, in order; an error if the run failed. */
  readonly runs: readonly (RunResult | LlamaHooksError)[];
  /**
   * Tool calls without a recorded result, as hooks changed them. The model got `error: the recording has no result of
   * this call`.
   */
  readonly missing: readonly {
    /** Name of the tool. */
    readonly tool: string;
    /** Its arguments. */
    readonly args: unknown;
  }[];
}

const first = -(2 ** 31);
const last = 2 ** 31 - 1;

/**
 * Runs a recording again on the real engine: a script model gives the recorded answers, and tools give the recorded
 * results. Hooks act again, and every change in their decisions is a difference. Nothing is invented: a model call or a
 * tool call that was not recorded gets an answer that says so, and shows up as a difference.
 *
 * These differ from the recording: how answers are split into tokens, the size of prompts (they are not compacted),
 * time (`maxRunMs` and `maxRunTokens` do not apply), sampling, adapters, ids, and rules
 * of a zod `answer` that JSON Schema cannot express. Errors: those of `readRecording()`,
 * REPLAY_FAILED, and `TypeError`.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { redact } from "llama-hooks/hooks";
 *
 * const { differences } = await replayRun("summary.json", { hooks: [redact(/key-\d+/)] });
 * assert.deepEqual(differences, []);
 * ```
 */
export function replayRun(recording: Recording | string, options?: ReplayOptions): Promise<Replay> {
  return calledAt(replayRun, () => replay(recording, options));
}

async function replay(recording: Recording | string, options?: ReplayOptions): Promise<Replay> {
  const given = checkObject(options, "replayRun() options", ["hooks", "setup", "signal"]);
  if (given.hooks !== undefined && !Array.isArray(given.hooks))
    throw wrong("replayRun() options: hooks", "an array of hook sets", given.hooks);
  optionalFunction(given.setup, "replayRun() options: setup");
  const signal = optionalSignal(given.signal, "replayRun() options: signal");
  const what = typeof recording === "string" ? recording : "The argument";
  const recorded = typeof recording === "string" ? await readRecording(recording) : checkRecording(recording, what);
  const folder = await mkdtemp(path.join(tmpdir(), "llama-hooks-replay-"));
  try {
    const file = path.join(folder, "replay.gguf");
    const model = await writeReplayModel(file, recorded);
    await using engine = await createEngine({ models: {}, gpu: false, threads: 1 });
    const load = { path: file, contextSize: model.contextSize };
    const names = recorded.models.length > 0 ? recorded.models : ["default"];
    for (const [index, name] of names.entries()) {
      const loaded = (): unknown => engine.models.load(name, load, signal && { signal });
      await refusedAs(loaded, what, `/models/${index}`);
    }
    engine.hooks.use(options?.hooks ?? []);
    await options?.setup?.(engine);
    return await replayOn(engine, { recorded, what }, model, signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function replayOn(
  engine: Engine,
  { recorded, what }: { readonly recorded: Recording; readonly what: string },
  model: ReplayModel,
  signal: AbortSignal | undefined,
): Promise<Replay> {
  const canned = cannedTools(recorded);
  const options = { ...sessionOptionsOf(recorded), tools: canned.toolsFor(recorded.tools) } as SessionOptions;
  const session = await refusedAs(() => engine.session(options), what, "/options");
  const found: ReplayDifference[] = [];
  const replaying: Replaying = { model, canned, session, names: new CallNames(), found, strayed: [], heard: 0 };
  engine.hooks.use(driver(recorded, replaying));
  const runs: (RunResult | LlamaHooksError)[] = [];
  for (const [index, { input, before = [], options, resume, rewind, outcome, error }] of recorded.runs.entries()) {
    if (rewind !== undefined) found.push(...rewound(session, index + 1, rewind));
    meanwhile(recorded, replaying, index + 1, 0);
    const runOptions = { ...playable(options), ...(signal && { signal }) } as RunOptions;
    const begin = (): PromiseLike<RunResult> =>
      resume === undefined
        ? session.run([...before, { role: "user", content: input }], runOptions)
        : session.resume(answersOf(resume, session.waiting), runOptions);
    const [came, result] = await endOf(begin());
    if (signal?.aborted === true)
      throw new LlamaHooksError("CANCELLED", "The replay was cancelled", { cause: signal.reason });
    if (replaying.strayed.length > 0) throw astray(replaying.strayed);
    // The engine itself has refused the input.
    const refused = result instanceof LlamaHooksError && replaying.heard <= index && result.code !== "CLOSED";
    if (refused && found.length === 0) throw invalidRecording(what, `/runs/${index}`, result);
    replaying.names.skip(index + 1);
    runs.push(result);
    found.push(...differences(index + 1, outcome ?? { error: error ?? { code: "FAILED", message: "" } }, came));
  }
  const history = withIdsOf(withoutIds(session.history()), recorded.history);
  if (found.length === 0 && JSON.stringify(history) !== JSON.stringify(recorded.history))
    found.push({ run: runs.length, what: "history", recorded: recorded.history, replayed: history, by: null });
  return { same: found.length === 0, differences: found, history, runs, missing: canned.missing };
}

/** Changes the session as the recorded one was changed. Returns the difference if this is not possible. */
function changed(run: number, what: string, recorded: object, change: () => void): ReplayDifference[] {
  try {
    change();
    return [];
  } catch (refused) {
    if (!(refused instanceof LlamaHooksError)) throw refused;
    return [{ run, what, recorded, replayed: { error: refused.code }, by: null }];
  }
}

function rewound(session: Session, run: number, count: number): ReplayDifference[] {
  return changed(run, "rewind", { messages: count }, () => {
    const all = session.history({ compacted: false });
    session.rewind(count === 0 ? null : (all[count - 1]?.id ?? "none"));
  });
}

/** The answers by id. If other calls wait than the recorded ones, the ids are those of no call. */
function answersOf(resume: readonly RecordedAnswer[], waiting: Session["waiting"]): Record<string, WaitingAnswer> {
  return Object.fromEntries(resume.map(({ call, answer }) => [waiting[call - 1]?.id ?? `none-${call}`, answer]));
}

/** Queues messages, and sets tools and tiers, as recorded for that iteration; 0: before the run begins. */
function meanwhile(recorded: Recording, { session, canned, found }: Replaying, run: number, iteration: number): void {
  const isNow = (one: { readonly run: number; readonly iteration: number }): boolean =>
    one.run === run && one.iteration === iteration;
  for (const { content } of recorded.queued.filter(isNow)) session.queue(content);
  for (const { tools, tiers } of recorded.changes?.filter(isNow) ?? []) {
    const set = (what: string, names: readonly string[], change: () => void): void =>
      void found.push(...changed(run, what, { iteration, [what]: names }, change));
    if (tools !== undefined)
      set(
        "tools",
        tools.map(({ name }) => name),
        () => session.setTools(canned.toolsFor(tools)),
      );
    if (tiers !== undefined)
      set("tiers", Object.keys(tiers), () =>
        session.setTiers(playableEach(tiers) as Parameters<Session["setTiers"]>[0]),
      );
  }
}

/** If the engine refuses a part of a recording, the recording is invalid. */
async function refusedAs<T>(ask: () => T, what: string, place: string): Promise<Awaited<T>> {
  try {
    return await ask();
  } catch (cause) {
    const refused = cause instanceof LlamaHooksError && /^(INVALID_|NOT_FOUND$|MODEL_NOT_LOADED$)/.test(cause.code);
    if (refused || cause instanceof TypeError) throw invalidRecording(what, place, cause);
    throw cause;
  }
}

async function endOf(
  run: PromiseLike<RunResult>,
): Promise<[came: Parameters<typeof differences>[1], result: RunResult | LlamaHooksError]> {
  try {
    const result = await run;
    return [recordedOutcome(result), result];
  } catch (error) {
    if (!(error instanceof LlamaHooksError)) throw error;
    return [{ error: errorOf(error) }, error];
  }
}

function astray([call]: readonly string[]): LlamaHooksError {
  const why = "the script model cannot say what was recorded, and wrote something else without an end";
  return new LlamaHooksError("REPLAY_FAILED", `The model call "${call}" of the recording cannot be replayed: ${why}`);
}

interface Replaying {
  readonly model: ReplayModel;
  readonly canned: CannedTools;
  readonly session: Session;
  readonly names: CallNames;
  readonly found: ReplayDifference[];
  /** Names of the model calls that did not end where they should. */
  readonly strayed: string[];
  /** The number of the last run that has begun. */
  heard: number;
}

/** The hooks that tell the script model and the canned tools which call is next. */
function driver(recorded: Recording, replaying: Replaying): HookSet[] {
  const { model, canned, names, strayed } = replaying;
  const before = defineHooks(
    "replay",
    {
      userMessage: (event) => void (replaying.heard = names.heard(event)),
      loopStart(event) {
        const { depth, iteration } = event.meta;
        if (depth === 0) replaying.heard = names.heard(event);
        names.started(event);
        // A run that continues with answers is within an iteration.
        if (depth === 0 && iteration !== null && iteration > 0)
          meanwhile(recorded, replaying, replaying.heard, iteration);
      },
      loopIteration({ meta: { runId }, iteration }) {
        meanwhile(recorded, replaying, names.numberOf(runId), iteration);
      },
      iterationEnd({ meta: { runId }, iteration }) {
        const run = recorded.runs[names.numberOf(runId) - 1];
        return run?.stopped === iteration ? { complete: true } : undefined;
      },
      postGenerate({ meta: { runId }, finishReason }) {
        const name = names.callOf(runId) ?? "";
        const { cut, unspoken } = model.replyOf(name);
        if (finishReason === "length" && !cut) {
          strayed.push(name);
          return { halt: "the replay has gone astray" };
        }
        return unspoken === undefined ? undefined : { content: unspoken };
      },
      postToolCall({ resultKind, result }) {
        const failure = resultKind === "error" ? canned.failures.get(result) : undefined;
        return failure === undefined ? undefined : { result: failure };
      },
    },
    { priority: first, fields: { postGenerate: ["finishReason"] } },
  );
  const after = defineHooks(
    "replay",
    {
      preGenerate(event) {
        if (event.response !== undefined) return undefined;
        const { index, maxTokens, called } = model.replyOf(names.asked(event) ?? "");
        const chatTemplateArgs = { ...event.params.chatTemplateArgs, script_reply: index };
        const toolChoice: ToolChoice = event.params.toolChoice === "none" ? "none" : "auto";
        const params = { ...event.params, ...exact, toolChoice, maxTokens, chatTemplateArgs };
        return { params, tools: openTools(event.tools, called) };
      },
    },
    { priority: last, fields: { preGenerate: ["response", "params", "tools"] } },
  );
  return [before, after];
}

/**
 * A call that hooks changed need not fit the schema of its tool, which may be gone, but the model must still write it:
 * the grammar checks names only. Arguments are checked when the call runs.
 */
function openTools(tools: PreGenerateEvent["tools"], called: readonly string[]): PreGenerateEvent["tools"] {
  if (tools.length === 0) return [];
  const known = new Map(tools.map(({ name, description }) => [name, description]));
  for (const name of called) if (!known.has(name) && isToolName(name)) known.set(name, "");
  return [...known].map(([name, description]) => ({ name, description, parameters: { type: "object" } }));
}

/** Options that would change the text of a script model. */
const exact = {
  temperature: 0,
  repeatPenalty: 1,
  presencePenalty: 0,
  frequencyPenalty: 0,
  dryMultiplier: 0,
  xtcProbability: 0,
  mirostat: 0,
  logitBias: [],
  stop: [],
  grammar: null,
  jsonSchema: null,
  reasoningBudget: null,
  adapters: [],
} as const;
