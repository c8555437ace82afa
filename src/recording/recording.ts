// The content of a recording: data only. Tools appear as declarations and results.
import type { JsonSchema } from "../generate/json-schema.js";
import type { Directive, Message, ToolAnnotations, ToolCall } from "../generated/points.js";
import type { RunResult, ToolRecord } from "../generated/results.js";
import type { WaitingAnswer } from "../sessions/session-options.js";

export const recordingFormat = "llama-hooks recording";
export const recordingVersion = 1;

/** A tool as the model saw it. */
export interface RecordedTool {
  /** Name of the tool. */
  readonly name: string;
  /** Its description; empty: none. */
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly parameters: JsonSchema;
  /** True: the session carried out the tool's directives [false]. */
  readonly trusted?: boolean;
  /** True: the tool's calls ran alone [false]. */
  readonly exclusive?: boolean;
  /** The hints about the tool; absent if there were none. */
  readonly annotations?: NonNullable<ToolAnnotations>;
  /** The origin that the tool states; absent if it states none. */
  readonly origin?: string;
}

/** The model's answer in one call. */
export interface RecordedCall {
  /** Identifies the call by run, iteration and position. */
  readonly name: string;
  /** The text, without reasoning and tool calls. */
  readonly content: string;
  /** The reasoning before it; empty: none. */
  readonly reasoning: string;
  /** The tool calls, in order. */
  readonly toolCalls: readonly Pick<ToolCall, "name" | "args">[];
  /** The reason for the end of the text; "length": it was cut off. */
  readonly finishReason: string;
}

/** The result of a tool call. */
export interface RecordedResult {
  /** Name of the tool. */
  readonly tool: string;
  /** The arguments that the tool was called with, after hooks. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The call's outcome: a `ResultKind`. */
  readonly resultKind: string;
  /** Text of the result. */
  readonly result: string;
  /** The directives that the tool requested, in order. */
  readonly directives: readonly Directive[];
  /** The parts that the tool gave for the caller; absent if there were none, or if hooks replaced the result. */
  readonly parts?: readonly unknown[];
}

/** A message that was queued during a run. */
export interface RecordedMessage {
  /** The number of the run, from 1. */
  readonly run: number;
  /** The iteration after which the run took it up; 0: before the first. */
  readonly iteration: number;
  /** The message. */
  readonly content: string;
}

/** The record of one tool call, as hooks left it. */
export type RecordedToolCall = Pick<
  ToolRecord,
  "name" | "args" | "resultKind" | "result" | "isError" | "decidedBy" | "parts"
>;

/** The outcome of a run. */
export interface RecordedOutcome extends Pick<
  RunResult,
  "finishReason" | "cancel" | "halt" | "limit" | "text" | "reasoning" | "messages"
> {
  /** The tool calls, in order. */
  readonly toolCalls: readonly RecordedToolCall[];
}

/** New tools or tiers of the session: `session.setTools()`, `session.setTiers()`. */
export interface RecordedChange {
  /** The number of the run, from 1. */
  readonly run: number;
  /** The iteration in which they were set; 0: before the first. */
  readonly iteration: number;
  /** All tools from then on; absent if they stay. */
  readonly tools?: readonly RecordedTool[];
  /** All tiers from then on; absent if they stay. */
  readonly tiers?: Readonly<Record<string, unknown>>;
}

/** An answer for a call that waits, passed to `session.resume()`. */
export interface RecordedAnswer {
  /** The place of the call among those that waited, from 1. */
  readonly call: number;
  /** The answer. */
  readonly answer: WaitingAnswer;
}

/** One run of a recording: its input and its outcome. */
export interface RecordedRun {
  /** The user's message; empty if the run continues with answers. */
  readonly input: string;
  /** The messages that were passed before it [none]. */
  readonly before?: readonly Message[];
  /** The options of `session.run()` or `session.resume()`. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The answers with which the previous run continues; absent if the run is a new one. */
  readonly resume?: readonly RecordedAnswer[];
  /**
   * The number of the run whose calls waited, the first if this run continues a chain of runs; absent if the run is a
   * new one.
   */
  readonly resumes?: number;
  /**
   * The number of messages of `history({ compacted: false })` to which the session was rewound before the run; absent
   * if it was not rewound.
   */
  readonly rewind?: number;
  /** The iteration after which `stopWhen` ended the run; absent if it did not. */
  readonly stopped?: number;
  /** The outcome; absent if the run failed. */
  readonly outcome?: RecordedOutcome;
  /** The error; absent if the run succeeded. */
  readonly error?: {
    /** The code of the error. */
    readonly code: string;
    /** Its message. */
    readonly message: string;
  };
}

/** Recorded runs of a session. */
export interface Recording {
  /** Marks the file as a recording. */
  readonly format: typeof recordingFormat;
  /** Version of the format. */
  readonly version: typeof recordingVersion;
  /** True: the recording contains texts as they were before hooks replaced them. */
  readonly raw: boolean;
  /** The options of `engine.session()` without the tools, and the history before the first run. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Tools of the session. */
  readonly tools: readonly RecordedTool[];
  /** Names of the models in use. */
  readonly models: readonly string[];
  /** Ended runs, in order. */
  readonly runs: readonly RecordedRun[];
  /** Answers of the model, in the order of the calls. */
  readonly calls: readonly RecordedCall[];
  /** Results of tools, in order. */
  readonly results: readonly RecordedResult[];
  /** Messages that were queued during runs. */
  readonly queued: readonly RecordedMessage[];
  /** New tools and tiers, in order; absent if there were none. */
  readonly changes?: readonly RecordedChange[];
  /** The history at the end. */
  readonly history: readonly Message[];
}
