// The types of results and events of a session whose tools are known: the calls are a union by the name of the tool.
// Must not: change a value.
import type { RunEvent, RunResult, ToolCallEvent, ToolRecord, ToolResultEvent } from "../generated/results.js";
import type { ControlTool } from "../generated/tools.js";
import type { AnsweredResult } from "./run.js";
import type { SessionTool } from "./session-options.js";

/** Tools of a session, in an array whose type has the name of each. */
export type SessionTools = readonly SessionTool[];

type AnyArgs = Readonly<Record<string, unknown>>;

/** The arguments of a call, as the model writes them: before defaults and transforms of a schema object. */
type ArgsOf<One> = One extends { readonly types?: { readonly args: infer Args } | undefined }
  ? unknown extends Args
    ? AnyArgs
    : Args
  : AnyArgs;

/** `Call` with the name and the arguments of each tool, and of the engine's own. */
type CallOf<Call, One> =
  | (One extends { readonly name: infer Name }
      ? Omit<Call, "name" | "args"> & { readonly name: Name; readonly args: ArgsOf<One> }
      : never)
  | (Omit<Call, "name" | "args"> & { readonly name: ControlTool; readonly args: AnyArgs });

/** `Typed` if the names of all tools are known, else `Plain`. */
type IfNamed<Tools extends SessionTools, Typed, Plain> = string extends Tools[number]["name"] ? Plain : Typed;

/**
 * The record of a call of one of the tools: a union by name, in which `call.name === "weather"` narrows `call.args`.
 * The types hold for calls that the engine has accepted. A refused call (its `resultKind` begins with "rejected_") has
 * the name and the arguments that the model wrote: the arguments may not fit, and the name may be one that no tool has.
 */
export type ToolRecordOf<Tools extends SessionTools> = IfNamed<Tools, CallOf<ToolRecord, Tools[number]>, ToolRecord>;

/** The result of a run whose calls have the type `Call`. */
export interface RunResultWith<Call> extends Omit<RunResult, "toolCalls"> {
  /** The tool calls of the run itself, in order. */
  readonly toolCalls: readonly Call[];
}

/** The result of such a run with the option `answer`. */
export interface AnsweredResultWith<Answer, Call> extends RunResultWith<Call>, Pick<AnsweredResult<Answer>, "answer"> {}

type OfTools = { readonly type: "toolCall" | "toolResult" };
type InRun<Event> = Event & Pick<Extract<RunEvent, OfTools>, "runId" | "depth">;
type ResultOf<Record> = Omit<ToolResultEvent, "record"> & { readonly record: Record };

/** The events of a run whose `toolCall` and `toolResult` are those of the tools. */
export type RunEventOf<Tools extends SessionTools> = IfNamed<
  Tools,
  Exclude<RunEvent, OfTools> | InRun<CallOf<ToolCallEvent, Tools[number]>> | InRun<ResultOf<ToolRecordOf<Tools>>>,
  RunEvent
>;
