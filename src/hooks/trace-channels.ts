// Publishes the trace on Node's diagnostics channels. Must not: create objects while nobody subscribes.
import { tracingChannel } from "node:diagnostics_channel";
import { LlamaHooksError } from "../base/errors.js";
import type { ErrorCode } from "../generated/errors.js";
import type { ResultKind } from "../generated/points.js";
import type { Decision, HookRecord, LifecycleEvent } from "../generated/results.js";
import type { TraceEvent } from "./trace-event.js";

type Ended = Extract<LifecycleEvent, { readonly durationUs: number }>;

/** The message of one operation: subscribers get the same object at its start and its end. */
type Message = Record<string, unknown> & { error?: unknown };

const channels = {
  modelLoad: tracingChannel<Message>("llama-hooks:modelLoad"),
  generation: tracingChannel<Message>("llama-hooks:generation"),
  run: tracingChannel<Message>("llama-hooks:run"),
  modelCall: tracingChannel<Message>("llama-hooks:modelCall"),
  toolCall: tracingChannel<Message>("llama-hooks:toolCall"),
  hookCall: tracingChannel<Message>("llama-hooks:hookCall"),
};
const all = Object.values(channels);

type Channel = (typeof channels)[keyof typeof channels];

const ofEvent: Partial<Record<LifecycleEvent["event"], Channel>> = {
  modelLoadStarted: channels.modelLoad,
  modelLoaded: channels.modelLoad,
  modelLoadFailed: channels.modelLoad,
  generationStarted: channels.generation,
  generationEnded: channels.generation,
  runStarted: channels.run,
  runEnded: channels.run,
  modelCallStarted: channels.modelCall,
  modelCallEnded: channels.modelCall,
  toolCallStarted: channels.toolCall,
  toolCallEnded: channels.toolCall,
};

/** True if any channel has a subscriber. */
export function hasChannelSubscribers(): boolean {
  return all.some((channel) => channel.hasSubscribers);
}

/** Publishes the events of one engine. */
export class TraceChannels {
  /** Messages of operations that are under way, by span. */
  readonly #open = new Map<number, Message>();

  push(event: TraceEvent): void {
    if (event.type === "decision") return this.#decision(event);
    const channel = ofEvent[event.event];
    if (channel === undefined || !("span" in event)) return;
    if ("durationUs" in event) this.#end(channel, event);
    else this.#begin(channel, event.span, fieldsOf(event));
  }

  end(): void {
    this.#open.clear();
  }

  #begin(channel: Channel, span: number, message: Message): void {
    this.#open.set(span, message);
    begin(channel, message);
  }

  #end(channel: Channel, event: Ended): void {
    const message = this.#open.get(event.span);
    if (message === undefined) return; // began before anybody subscribed
    this.#open.delete(event.span);
    const { clockUs: _, timeUs: __, ...result } = fieldsOf(event);
    Object.assign(message, result);
    end(channel, message, errorOf(event));
  }

  #decision(decision: Decision): void {
    if (!channels.hookCall.hasSubscribers) return;
    for (const record of decision.hooks) {
      const message = hookMessage(decision, record);
      begin(channels.hookCall, message);
      const { error } = record;
      end(channels.hookCall, message, error && new LlamaHooksError(error.code, error.message, { cause: error.cause }));
    }
  }
}

function begin(channel: Channel, message: Message): void {
  channel.start.publish(message);
  channel.end.publish(message);
}

function end(channel: Channel, message: Message, error: LlamaHooksError | undefined): void {
  if (error !== undefined) {
    message.error = error;
    channel.error.publish(message);
  }
  channel.asyncStart.publish(message);
  channel.asyncEnd.publish(message);
}

function fieldsOf(event: LifecycleEvent): Message {
  const { type: _, event: __, ...fields } = event;
  return fields;
}

function hookMessage(decision: Decision, record: HookRecord): Message {
  const { point, runId, sessionId } = decision;
  const { id, name, clockUs, durationUs, outcome, fields } = record;
  const timeUs = Math.round(decision.timeUs + clockUs - decision.clockUs);
  return { id, name, point, runId, sessionId, timeUs, clockUs, durationUs, outcome, fields, decision };
}

function errorOf(event: Ended): LlamaHooksError | undefined {
  switch (event.event) {
    case "modelLoaded":
      return undefined;
    case "modelLoadFailed":
      return new LlamaHooksError(event.code, `The model ${event.modelId} could not be loaded`);
    case "toolCallEnded":
      if (!event.isError) return undefined;
      return new LlamaHooksError(toolCodes[event.resultKind] ?? "TOOL_FAILED", `The tool ${event.toolName} failed`);
    default:
      return event.code && new LlamaHooksError(event.code, `${whats[event.event]} ${event.runId} failed`);
  }
}

const whats = { generationEnded: "The generation", runEnded: "The run", modelCallEnded: "A model call of the run" };

const toolCodes: Partial<Record<ResultKind, ErrorCode>> = {
  timeout: "TOOL_TIMEOUT",
  cancelled: "CANCELLED",
  delegation_failed: "DELEGATION_FAILED",
};
