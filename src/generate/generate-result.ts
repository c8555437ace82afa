// Converts the results and events of a model call to the public types.
import type { Causes } from "../base/causes.js";
import { decisionsFromWire } from "../native/decisions.js";
import type { ToolCall, Usage } from "../generated/points.js";
import type {
  EndEvent,
  GenerateEvent,
  GenerateResult,
  Stopper,
  TokenEvent,
  TokenLogprob,
} from "../generated/results.js";
import { stopper } from "../base/stopper.js";
import { messagesFromWire } from "./messages.js";
import { camelDeep, camelTop, toCamel } from "../base/wire.js";

/** Only tokens without log probabilities come often, and all their keys are single words. */
export function eventFromWire(wire: Record<string, unknown>): Exclude<GenerateEvent, EndEvent> {
  if (wire["type"] === "token" && wire["logprobs"] === undefined) return wire as unknown as TokenEvent;
  const event = Object.assign(camelTop(wire), logprobsFromWire(wire));
  event["type"] = toCamel(wire["type"] as string);
  return event as unknown as Exclude<GenerateEvent, EndEvent>;
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
    ...(wire["stop_text"] === undefined ? {} : { stopText: wire["stop_text"] as string }),
    limit: typeof wire["limit"] === "string" ? (toCamel(wire["limit"]) as GenerateResult["limit"]) : null,
    usage: camelDeep(wire["usage"]) as Usage,
    ...logprobsFromWire(wire),
    ...(cancel ? { cancel: stopper(cancel, signal) } : {}),
    ...(halt ? { halt } : {}),
    messages: messagesFromWire(wire["messages"]),
    decisions: decisionsFromWire(wire["decisions"], causes),
  };
}

/** Returns no key if there are no logprobs. */
export function logprobsFromWire({ logprobs }: Record<string, unknown>): { logprobs?: readonly TokenLogprob[] } {
  return logprobs === undefined ? {} : { logprobs: camelDeep(logprobs) as readonly TokenLogprob[] };
}
