// The diagnostics channels of the package.
import { tracingChannel } from "node:diagnostics_channel";

/** The message of one activity: subscribers get the same object at its start and its end. */
export type TraceMessage = Record<string, unknown> & { error?: unknown };

export const traceChannels = {
  modelLoad: tracingChannel<TraceMessage>("llama-hooks:modelLoad"),
  generation: tracingChannel<TraceMessage>("llama-hooks:generation"),
  embedding: tracingChannel<TraceMessage>("llama-hooks:embedding"),
  rerank: tracingChannel<TraceMessage>("llama-hooks:rerank"),
  run: tracingChannel<TraceMessage>("llama-hooks:run"),
  modelCall: tracingChannel<TraceMessage>("llama-hooks:modelCall"),
  toolCall: tracingChannel<TraceMessage>("llama-hooks:toolCall"),
  plan: tracingChannel<TraceMessage>("llama-hooks:plan"),
  hookCall: tracingChannel<TraceMessage>("llama-hooks:hookCall"),
};

export type TraceChannel = (typeof traceChannels)[keyof typeof traceChannels];

const all = Object.values(traceChannels);
const parts = ["start", "end", "asyncStart", "asyncEnd", "error"] as const;

/** True if the channel has a subscriber. */
export function hasSubscribers(channel: TraceChannel): boolean {
  // Bun's tracing channels lack the property; their parts have it.
  const known = (channel as { readonly hasSubscribers?: boolean }).hasSubscribers;
  return known ?? parts.some((part) => channel[part].hasSubscribers);
}

/** True if any channel has a subscriber. */
export function hasChannelSubscribers(): boolean {
  return all.some(hasSubscribers);
}
