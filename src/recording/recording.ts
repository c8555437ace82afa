// What a recording holds. Must not: hold code; tools are there by their declarations and by what they gave.
import type { JsonSchema } from "../generate/json-schema.js";
import type { Directive, Message, ToolCall } from "../generated/points.js";
import type { RunResult, ToolRecord } from "../generated/results.js";

export const recordingFormat = "llama-hooks recording";
export const recordingVersion = 1;

/** A tool as the model was told of it. */
export interface RecordedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly trusted?: boolean;
  readonly exclusive?: boolean;
}

/** What the model said in one call. */
export interface RecordedCall {
  /** Which call it was: by run, iteration and place. */
  readonly name: string;
  readonly content: string;
  readonly reasoning: string;
  readonly toolCalls: readonly Pick<ToolCall, "name" | "args">[];
  /** "length": it was cut off. */
  readonly finishReason: string;
}

/** What a tool gave. */
export interface RecordedResult {
  readonly tool: string;
  /** As hooks had left them, which is what the tool was called with. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly resultKind: string;
  readonly result: string;
  readonly directives: readonly Directive[];
}

/** What somebody said while a run was under way. */
export interface RecordedMessage {
  /** Which run, from 1. */
  readonly run: number;
  /** The iteration that it was heard after; 0: before the first. */
  readonly iteration: number;
  readonly content: string;
}

/** What one tool call came to, as hooks left it. */
export type RecordedToolCall = Pick<ToolRecord, "name" | "args" | "resultKind" | "result" | "isError" | "decidedBy">;

/** What a run came to. */
export interface RecordedOutcome extends Pick<
  RunResult,
  "finishReason" | "cancel" | "halt" | "limit" | "text" | "reasoning" | "messages"
> {
  readonly toolCalls: readonly RecordedToolCall[];
}

/** One run of a recording: what it was given, and what it came to. */
export interface RecordedRun {
  readonly input: string;
  /** Those of `session.run()`. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Absent where it ended with an error. */
  readonly outcome?: RecordedOutcome;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Runs of a session, as `recordRun()` has seen them. */
export interface Recording {
  readonly format: typeof recordingFormat;
  readonly version: typeof recordingVersion;
  /** Whether it has texts as they were before hooks replaced them. */
  readonly raw: boolean;
  /** Those of `engine.session()` but for the tools, and the history when the recording began. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly tools: readonly RecordedTool[];
  /** Names of the models that were used. */
  readonly models: readonly string[];
  readonly runs: readonly RecordedRun[];
  readonly calls: readonly RecordedCall[];
  readonly results: readonly RecordedResult[];
  readonly queued: readonly RecordedMessage[];
  /** What was said, at the end. */
  readonly history: readonly Message[];
}
