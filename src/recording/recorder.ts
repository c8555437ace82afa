// Takes down what is said and what tools give, in the session that it is for. Must not: change anything.
import type {
  LoopStartEvent,
  PostGenerateEvent,
  PostToolCallEvent,
  PreGenerateEvent,
  ToolResultPersistEvent,
  UserMessageEvent,
} from "../generated/points.js";
import type { RunResult } from "../generated/results.js";
import { LlamaHooksError } from "../base/errors.js";
import type { Outcome } from "../native/running.js";
import { CallNames } from "./call-names.js";
import type { RecordedCall, RecordedMessage, RecordedOutcome, RecordedResult, RecordedRun } from "./recording.js";
import { runOptions } from "./session-words.js";

type Open<T> = { -readonly [K in keyof T]: T[K] };

interface OpenRun extends Open<RecordedRun> {
  /** Of the run that has begun. */
  runId: string | undefined;
  heard: boolean;
  ended: boolean;
}

/** How a tool comes out that has run, or whose arguments it has refused. */
const ofTools = ["ok", "ok_empty", "error", "timeout", "cancelled", "rejected_schema"];

export class Recorder {
  readonly calls: RecordedCall[] = [];
  readonly results: Open<RecordedResult>[] = [];
  readonly queued: RecordedMessage[] = [];
  readonly models: Set<string>;
  readonly #names = new CallNames();
  readonly #runs: OpenRun[] = [];
  readonly #tools: ReadonlySet<string>;
  readonly #raw: boolean;
  /** Tool calls of the model by id: hooks may yet change them. */
  readonly #asked = new Map<string, { name: string; args: Readonly<Record<string, unknown>> }>();
  /** By run: the result that is about to be stored, and its text before hooks there. */
  readonly #storing = new Map<string, { result: Open<RecordedResult>; before?: string }>();

  constructor(tools: ReadonlySet<string>, raw: boolean, models: readonly string[]) {
    this.#tools = tools;
    this.#raw = raw;
    this.models = new Set(models);
  }

  /** Those that have ended, in order. */
  get runs(): RecordedRun[] {
    return this.#runs
      .filter(({ ended, runId }) => ended && runId !== undefined)
      .map(({ input, options, outcome, error }) => ({
        input,
        options,
        ...(outcome !== undefined && { outcome }),
        ...(error !== undefined && { error }),
      }));
  }

  /** A run is asked for. */
  readonly onRun = (json: string, outcome: Promise<Outcome<RunResult>>): void => {
    const run: OpenRun = { ...runOptions(json), runId: undefined, heard: this.#raw, ended: false };
    this.#runs.push(run);
    void outcome.then((came) => this.#end(run, came));
  };

  /** Before other hooks: which run it is. */
  begin(event: UserMessageEvent): void {
    this.#names.heard(event);
    const { runId } = event.meta;
    if (runId === null || event.queued || this.#runs.some((run) => run.runId === runId)) return;
    const run = this.#runs.find((one) => one.runId === undefined && !one.ended);
    if (run !== undefined) run.runId = runId;
  }

  userMessage({ meta: { runId, iteration }, content, queued }: UserMessageEvent): void {
    const run = this.#runs.find((one) => one.runId === runId);
    if (queued) this.queued.push({ run: this.#names.numberOf(runId), iteration: iteration ?? 0, content });
    else if (run !== undefined) Object.assign(run, { input: content, heard: true });
  }

  loopStart(event: LoopStartEvent): void {
    this.#names.started(event);
  }

  /** After other hooks, one of which may have answered in the model's stead. */
  preGenerate(event: PreGenerateEvent): void {
    if (event.response !== undefined) return;
    this.#names.asked(event);
    if (event.meta.modelId !== null) this.models.add(event.meta.modelId);
  }

  postGenerate({ meta: { runId }, content, reasoning, toolCalls, finishReason }: PostGenerateEvent): void {
    const name = this.#names.callOf(runId);
    if (name === undefined) return;
    const calls = toolCalls.map(({ name: tool, args }) => ({ name: tool, args }));
    toolCalls.forEach(({ id }, index) => {
      const call = calls[index];
      if (call !== undefined) this.#asked.set(`${runId} ${id}`, call);
    });
    this.calls.push({ name, content, reasoning, toolCalls: calls, finishReason });
  }

  postToolCall(event: PostToolCallEvent): void {
    const { toolName, args, toolCallId, elapsedMs, resultKind, result, directives, meta } = event;
    const call = this.#asked.get(`${meta.runId} ${toolCallId}`);
    if (!this.#raw && call !== undefined) Object.assign(call, { name: toolName, args });
    this.#storing.delete(meta.runId ?? "");
    // An answer of a hook has its kind too, and took no time.
    const ran = elapsedMs > 0 || resultKind === "rejected_schema";
    if (!ran || !this.#tools.has(toolName) || !ofTools.includes(resultKind)) return;
    const recorded = { tool: toolName, args, resultKind, result, directives };
    this.results.push(recorded);
    this.#storing.set(meta.runId ?? "", { result: recorded });
  }

  /** Before other hooks. */
  storing({ meta, result }: ToolResultPersistEvent): void {
    const stored = this.#storing.get(meta.runId ?? "");
    if (stored !== undefined) stored.before = result;
  }

  /** After them: what they have replaced is not kept. */
  toolResultPersist({ meta, result }: ToolResultPersistEvent): void {
    const stored = this.#storing.get(meta.runId ?? "");
    if (stored !== undefined && stored.before !== result) stored.result.result = result;
  }

  #end(run: OpenRun, came: Outcome<RunResult>): void {
    run.ended = true;
    // Never begun, or refused by a hook before it was heard: what was said then is nobody's to keep.
    if (run.runId === undefined || !run.heard) {
      if (run.runId !== undefined) this.#names.forgetLast();
      run.runId = undefined;
      return;
    }
    if ("error" in came) run.error = errorOf(came.error);
    else run.outcome = recordedOutcome(came.result);
  }
}

/** What of a result a replay is compared with. */
export function recordedOutcome(result: RunResult): RecordedOutcome {
  const { finishReason, cancel, halt, limit, text, reasoning, messages } = result;
  return {
    finishReason,
    ...(cancel !== undefined && { cancel }),
    ...(halt !== undefined && { halt }),
    limit,
    text,
    reasoning,
    messages,
    toolCalls: result.toolCalls.map(({ name, args, resultKind, result: told, isError, decidedBy }) => ({
      name,
      args,
      resultKind,
      result: told,
      isError,
      decidedBy,
    })),
  };
}

export function errorOf(error: unknown): { code: string; message: string } {
  const code = error instanceof LlamaHooksError ? error.code : "FAILED";
  return { code, message: error instanceof Error ? error.message : String(error) };
}
