// What a model call gives: its result and its events. Must not: know how they are delivered.
import type { Causes } from "../base/causes.js";
import type { Decision } from "../base/decision.js";
import { decisionFromWire } from "../native/decisions.js";
import type { Message, ToolCall, Usage } from "../generated/points.js";
import { messagesFromWire } from "./messages.js";
import { camelDeep } from "../base/wire.js";

/** Who stopped something, and why. */
export interface Stopper {
  /** Name of the hook; "signal" for an abort signal; "caller" for `cancel()` or an iteration that was left. */
  readonly by: string;
  readonly reason: string | null;
}

export interface GenerateResult {
  readonly runId: string;
  readonly modelId: string;
  /** As the hooks left it, and as it was streamed. */
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  /** "cancelled": by a hook, a signal or the caller: see `cancel`. The text so far is kept. */
  readonly finishReason: "stop" | "length" | "cancelled";
  readonly usage: Usage;
  /** Who cancelled, with `finishReason` "cancelled". */
  readonly cancel?: Stopper;
  /** A postGenerate hook ended the run here: no tool call of this message may be carried out. */
  readonly halt?: Stopper;
  /**
   * What this call adds to the conversation: the answer, if there is one, and after `halt` or `cancel` a refusal for each
   * tool call, so that none is without a result.
   */
  readonly messages: readonly Message[];
  /**
   * What hooks decided during this call, in order. Points without hooks leave none, and of streamToken only decisions in
   * which a hook failed are kept; `engine.trace()` has them all.
   */
  readonly decisions: readonly Decision[];
}

export interface TokenEvent {
  readonly type: "token";
  readonly index: number;
  /** Number of the token in the model's vocabulary. */
  readonly token: number;
  readonly text: string;
  readonly kind: "content" | "reasoning" | "tool_call";
  /** With `logprobs`. */
  readonly logprob?: number;
}

export interface PromptProgressEvent {
  readonly type: "promptProgress";
  readonly processed: number;
  readonly total: number;
  readonly cached: number;
}

/** A postGenerate hook changed what was streamed already: this is what holds. Never with `stream: "held"`. */
export interface ReplacedEvent {
  readonly type: "replaced";
  readonly text: string;
  readonly reasoning: string;
}

/** Always the last event. */
export interface EndEvent {
  readonly type: "end";
  readonly result: GenerateResult;
}

export type GenerateEvent = TokenEvent | PromptProgressEvent | ReplacedEvent | EndEvent;

const eventTypes: Readonly<Record<string, string>> = { prompt_progress: "promptProgress" };

/** Events hold no data of the user's, and their keys are single words. */
export function eventFromWire(wire: Record<string, unknown>): GenerateEvent {
  const type = wire["type"] as string;
  wire["type"] = eventTypes[type] ?? type;
  return wire as unknown as GenerateEvent;
}

export function resultFromWire(json: string, causes: Causes, signal: AbortSignal | undefined): GenerateResult {
  const wire = JSON.parse(json) as Record<string, unknown>;
  const cancel = wire["cancel"] as Stopper | null | undefined;
  const halt = wire["halt"] as Stopper | null | undefined;
  return {
    runId: wire["run_id"] as string,
    modelId: wire["model_id"] as string,
    text: wire["text"] as string,
    reasoning: (wire["reasoning"] as string | null) ?? "",
    toolCalls: (wire["tool_calls"] as ToolCall[] | null) ?? [],
    finishReason: wire["finish_reason"] as GenerateResult["finishReason"],
    usage: camelDeep(wire["usage"]) as Usage,
    ...(cancel ? { cancel: stopper(cancel, signal) } : {}),
    ...(halt ? { halt } : {}),
    messages: messagesFromWire(wire["messages"]),
    decisions: ((wire["decisions"] as Record<string, unknown>[] | null) ?? []).map((one) =>
      decisionFromWire(one, causes),
    ),
  };
}

/** The engine knows one caller; here a signal that aborted is told apart from `cancel()`. */
function stopper(cancel: Stopper, signal: AbortSignal | undefined): Stopper {
  return cancel.by === "caller" && signal?.aborted === true ? { ...cancel, by: "signal" } : cancel;
}
