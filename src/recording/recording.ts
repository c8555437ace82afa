// What a recording holds. Must not: hold code; tools are there by their declarations and by what they gave.
import type { JsonSchema } from "../generate/json-schema.js";
import type { Directive, Message, ToolCall } from "../generated/points.js";
import type { RunResult, ToolRecord } from "../generated/results.js";

export const recordingFormat = "llama-hooks recording";
export const recordingVersion = 1;

/** A tool as the model was told of it. */
export interface RecordedTool {
  /** Its name. */
  readonly name: string;
  /** Empty: it had none. */
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly parameters: JsonSchema;
  /** Whether its directives were carried out [false]. */
  readonly trusted?: boolean;
  /** Whether it ran alone [false]. */
  readonly exclusive?: boolean;
}

/** What the model said in one call. */
export interface RecordedCall {
  /** Which call it was: by run, iteration and place. */
  readonly name: string;
  /** What it said, without reasoning and tool calls. */
  readonly content: string;
  /** What it thought before; empty if nothing. */
  readonly reasoning: string;
  /** Tools that it called, in order. */
  readonly toolCalls: readonly Pick<ToolCall, "name" | "args">[];
  /** "length": it was cut off. */
  readonly finishReason: string;
}

/** What a tool gave. */
export interface RecordedResult {
  /** Name of the tool. */
  readonly tool: string;
  /** As hooks had left them, which is what the tool was called with. */
  readonly args: Readonly<Record<string, unknown>>;
  /** How the call came out: a `ResultKind`. */
  readonly resultKind: string;
  /** Text of the result. */
  readonly result: string;
  /** What it asked for beside the result, in order. */
  readonly directives: readonly Directive[];
}

/** What somebody said while a run was under way. */
export interface RecordedMessage {
  /** Which run, from 1. */
  readonly run: number;
  /** The iteration that it was heard after; 0: before the first. */
  readonly iteration: number;
  /** What was said. */
  readonly content: string;
}

/** What one tool call came to, as hooks left it. */
export type RecordedToolCall = Pick<ToolRecord, "name" | "args" | "resultKind" | "result" | "isError" | "decidedBy">;

/** What a run came to. */
export interface RecordedOutcome extends Pick<
  RunResult,
  "finishReason" | "cancel" | "halt" | "limit" | "text" | "reasoning" | "messages"
> {
  /** The tool calls, in order. */
  readonly toolCalls: readonly RecordedToolCall[];
}

/** One run of a recording: what it was given, and what it came to. */
export interface RecordedRun {
  /** What the user said. */
  readonly input: string;
  /** Those of `session.run()`. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Absent where it ended with an error. */
  readonly outcome?: RecordedOutcome;
  /** Absent where it ended without one. */
  readonly error?: {
    /** The code of the error. */
    readonly code: string;
    /** Its message. */
    readonly message: string;
  };
}

/** Runs of a session, as `recordRun()` has seen them. */
export interface Recording {
  /** Says that it is a recording. */
  readonly format: typeof recordingFormat;
  /** Of the format. */
  readonly version: typeof recordingVersion;
  /** Whether it has texts as they were before hooks replaced them. */
  readonly raw: boolean;
  /** Those of `engine.session()` but for the tools, and the history that the first run began with. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Tools of the session. */
  readonly tools: readonly RecordedTool[];
  /** Names of the models that were used. */
  readonly models: readonly string[];
  /** Runs that have ended, in order. */
  readonly runs: readonly RecordedRun[];
  /** What the model said, in the order of the calls. */
  readonly calls: readonly RecordedCall[];
  /** What tools gave, in order. */
  readonly results: readonly RecordedResult[];
  /** What was said while runs were under way. */
  readonly queued: readonly RecordedMessage[];
  /** What was said, at the end. */
  readonly history: readonly Message[];
}
