// Records one run and the runs that it delegates to: messages and tool results. Must not: change an event.
import { canonical } from "../base/canonical.js";
import { LlamaHooksError } from "../base/errors.js";
import type {
  Directive,
  DirectiveEvent,
  LoopIterationEvent,
  LoopStartEvent,
  PostGenerateEvent,
  PostToolCallEvent,
  PreGenerateEvent,
  ToolResultPersistEvent,
  UserMessageEvent,
} from "../generated/points.js";
import type { Decision, RunResult } from "../generated/results.js";
import { defineHooks, type HookSet } from "../hooks/define-hooks.js";
import type { HandlersOf } from "../hooks/hook-types.js";
import type { Outcome } from "../native/running.js";
import type { CallNames } from "./call-names.js";
import { isToolName } from "../base/names/tool-name.js";
import { errorOf, recordedOutcome } from "./outcome.js";
import type { RecordedCall, RecordedMessage, RecordedResult, RecordedRun } from "./recording.js";
import type { WaitingAnswer } from "../sessions/session-options.js";
import { runOptions } from "./public-options.js";

type Open<T> = { -readonly [K in keyof T]: T[K] };

/** A result that later hooks may still change. */
type Stored = Open<Omit<RecordedResult, "directives">> & { readonly directives: Directive[] };

/** Data that all runs of a recording share. */
export interface NotesOf {
  readonly raw: boolean;
  /** Called when a run has begun; returns the ids of the calls that wait since the last one. */
  readonly begins: (notes: RunNotes) => readonly string[] | undefined;
  /** Names of the tools that the session has had. */
  readonly tools: Set<string>;
  readonly names: CallNames;
  /** Names of the models in use. */
  readonly models: Set<string>;
}

/** Priorities before and after all other hooks. Only guards run later; they change nothing. */
const first = -(2 ** 31);
const last = 2 ** 31 - 1;

/** The fields of an answer that are recorded. */
const ofAnswer = ["content", "reasoning", "toolCalls", "finishReason"] as const;
type Answered = Pick<PostGenerateEvent, "meta" | (typeof ofAnswer)[number]>;

/** The result kinds of a tool that ran, or that refused its arguments. */
const ofTools = ["ok", "ok_empty", "error", "timeout", "cancelled", "rejected_schema"];

export class RunNotes {
  readonly calls: RecordedCall[] = [];
  readonly results: Stored[] = [];
  readonly run: Open<RecordedRun>;
  /** The iteration under way; 0: none yet. */
  iteration = 0;
  readonly #of: NotesOf;
  #runId: string | undefined;
  #heard: boolean;
  /** Answers for calls that wait, by id; undefined: the run begins with a message. */
  readonly #answers: Readonly<Record<string, WaitingAnswer>> | undefined;
  /** Each message with its dispatch, because the decision of that dispatch may have refused it. */
  #queued: { readonly seq: number; readonly message: RecordedMessage }[] = [];
  /** Tool calls of the model by id; hooks may still change them. */
  readonly #asked = new Map<string, { name: string; args: Readonly<Record<string, unknown>> }>();
  /** The arguments of calls before hooks, with the defaults and conversions of the tool's schema object. */
  readonly #prepared = new Map<string, string>();
  /** The text of the last result before hooks, by run. */
  readonly #came = new Map<string, string>();
  /** The result stored last, its text before hooks, and the number of its directives carried out, by run. */
  readonly #stored = new Map<string, { result: Stored; before?: string; directives: number }>();

  /** `json`: the request in the engine's form. */
  constructor(json: string, of: NotesOf) {
    this.#of = of;
    const { answers, ...run } = runOptions(json);
    this.run = run;
    this.#answers = answers;
    this.#heard = of.raw;
  }

  get queued(): RecordedMessage[] {
    return this.#queued.map(({ message }) => message);
  }

  /** To be added after the run's own hooks, so that these run last. */
  hooks(): HookSet[] {
    const { raw } = this.#of;
    const texts = {
      postGenerate: (event: Answered) => this.#postGenerate(event),
      postToolCall: (event: PostToolCallEvent) => this.#postToolCall(event),
    };
    const fields = { preGenerate: ["tools", "response"], postGenerate: ofAnswer } as const;
    const before: HandlersOf<typeof fields> = {
      userMessage: (event) => {
        this.#begin(event);
        if (raw) this.#userMessage(event);
      },
      loopStart: (event) => this.#loopStart(event),
      preToolCall: ({ meta, toolCallId, args }) =>
        void this.#prepared.set(`${meta.runId} ${toolCallId}`, canonical(args)),
      loopIteration: (event) => this.#loopIteration(event),
      directive: (event) => this.#carryingOut(event),
      toolResultPersist: (event) => this.#storing(event),
      ...(raw ? texts : { postToolCall: ({ meta, result }) => void this.#came.set(meta.runId ?? "", result) }),
    };
    const after: HandlersOf<typeof fields> = {
      preGenerate: (event) => this.#preGenerate(event),
      ...(!raw && {
        userMessage: (event) => this.#userMessage(event),
        directive: (event) => this.#directive(event),
        toolResultPersist: (event) => this.#toolResultPersist(event),
        ...texts,
      }),
    };
    return [
      defineHooks("recordRun", before, { priority: first, originalContext: true, fields }),
      defineHooks("recordRun", after, { priority: last, fields }),
    ];
  }

  /**
   * Ends the record with the outcome of the run. False: the run never began, or was refused before its message was
   * taken up, and need not be kept.
   */
  end(came: Outcome<RunResult>, byStopWhen: boolean): boolean {
    if (this.#runId === undefined) return false;
    if (!this.#heard) {
      this.#of.names.forgetLast();
      return false;
    }
    const refused = new Set(decisionsOf(came).flatMap(({ action, seq }) => (action === "cancelled" ? [seq] : [])));
    if (!this.#of.raw) this.#queued = this.#queued.filter(({ seq }) => !refused.has(seq));
    if ("error" in came) this.run.error = errorOf(came.error);
    else {
      this.run.outcome = recordedOutcome(came.result);
      if (byStopWhen) this.run.stopped = came.result.iterations;
    }
    return true;
  }

  #begin(event: UserMessageEvent): void {
    if (this.#runId === undefined) this.#of.begins(this);
    this.#of.names.heard(event);
    this.#runId = event.meta.runId ?? undefined;
  }

  /** A run without a message continues the previous run: it is recorded if that one was. */
  #resume({ meta }: LoopStartEvent): void {
    const waiting = this.#of.begins(this);
    if (waiting === undefined) return;
    this.#of.names.heard({ meta });
    this.#runId = meta.runId ?? undefined;
    this.iteration = meta.iteration ?? 0;
    this.run.resume = Object.entries(this.#answers ?? {}).map(([id, answer]) => ({
      call: waiting.indexOf(id) + 1,
      answer,
    }));
  }

  #loopIteration({ meta, iteration }: LoopIterationEvent): void {
    if (meta.runId === this.#runId) this.iteration = iteration;
  }

  #userMessage({ meta: { runId, seq, iteration }, content, queued }: UserMessageEvent): void {
    if (!queued) {
      if (!this.#of.raw) this.run.input = content;
      return;
    }
    const run = this.#of.names.numberOf(runId);
    this.#queued.push({ seq, message: { run, iteration: iteration ?? 0, content } });
  }

  /** Fires whatever hooks and guards there are: the user's message is now in the conversation. */
  #loopStart(event: LoopStartEvent): void {
    if (this.#answers !== undefined && event.meta.depth === 0) this.#resume(event);
    this.#of.names.started(event);
    if (event.meta.runId === this.#runId) this.#heard = true;
  }

  /** Runs after other hooks, one of which may have answered instead of the model. */
  #preGenerate(event: Pick<PreGenerateEvent, "meta" | "tools" | "response">): void {
    if (event.response !== undefined) return;
    this.#of.names.asked(event);
    if (event.meta.modelId !== null) this.#of.models.add(event.meta.modelId);
  }

  #postGenerate({ meta: { runId }, content, reasoning, toolCalls, finishReason }: Answered): void {
    const name = this.#of.names.callOf(runId);
    if (name === undefined) return;
    const calls = toolCalls.map(({ name: tool, args }) => ({ name: tool, args }));
    toolCalls.forEach(({ id }, index) => {
      const call = calls[index];
      if (call !== undefined) this.#asked.set(`${runId} ${id}`, call);
    });
    this.calls.push({ name, content, reasoning, toolCalls: calls, finishReason });
  }

  #postToolCall(event: PostToolCallEvent): void {
    const { toolName, toolCallId, elapsedMs, resultKind, result, directives, parts, meta } = event;
    const id = `${meta.runId} ${toolCallId}`;
    const call = this.#asked.get(id);
    // Keeps the arguments as the model wrote them, unless hooks have changed them: a replay's tools make no
    // conversions.
    const args = call !== undefined && this.#prepared.get(id) === canonical(event.args) ? call.args : event.args;
    this.#prepared.delete(id);
    if (!this.#of.raw && call !== undefined)
      Object.assign(call, { name: isToolName(toolName) ? toolName : call.name, args });
    this.#stored.delete(meta.runId ?? "");
    // A hook's answer also has a result kind, but took no time.
    const ran = elapsedMs > 0 || resultKind === "rejected_schema";
    if (!ran || !this.#of.tools.has(toolName) || !ofTools.includes(resultKind)) return;
    // The replay's engine refuses it by itself then, for which its tool, which took it before, must not refuse it.
    if (resultKind === "rejected_schema" && call === undefined && !this.#hasOtherArgs(toolCallId)) return;
    // A hook that replaces the result replaces its parts, too.
    const kept = parts !== undefined && (this.#of.raw || this.#came.get(meta.runId ?? "") === result);
    const recorded = { tool: toolName, args, resultKind, result, directives: [...directives], ...(kept && { parts }) };
    this.results.push(recorded);
    this.#stored.set(meta.runId ?? "", { result: recorded, directives: 0 });
  }

  /** True if an answer gave a waiting call other arguments than those that its tool took. */
  #hasOtherArgs(toolCallId: string): boolean {
    const answer = this.#answers?.[toolCallId];
    return this.#answers === undefined || (typeof answer === "object" && "args" in answer);
  }

  /** Runs before other hooks: each directive of a result, including one that other hooks refuse. */
  #carryingOut({ meta }: DirectiveEvent): void {
    const stored = this.#stored.get(meta.runId ?? "");
    if (stored !== undefined) stored.directives++;
  }

  /** Runs after other hooks: content that they replaced is not kept. */
  #directive({ meta, type, params }: DirectiveEvent): void {
    const stored = this.#stored.get(meta.runId ?? "");
    if (stored !== undefined) stored.result.directives[stored.directives - 1] = { type, params };
  }

  /** Runs before other hooks. */
  #storing({ meta, result }: ToolResultPersistEvent): void {
    const stored = this.#stored.get(meta.runId ?? "");
    if (stored !== undefined) stored.before = result;
  }

  /** Runs after other hooks: content that they replaced is not kept. */
  #toolResultPersist({ meta, result }: ToolResultPersistEvent): void {
    const stored = this.#stored.get(meta.runId ?? "");
    if (stored !== undefined && stored.before !== result) {
      stored.result.result = result;
      delete stored.result.parts;
    }
  }
}

function decisionsOf(came: Outcome<RunResult>): readonly Decision[] {
  if ("result" in came) return came.result.decisions;
  const details = came.error instanceof LlamaHooksError ? came.error.details : undefined;
  return (details?.["decisions"] as Decision[] | undefined) ?? [];
}
