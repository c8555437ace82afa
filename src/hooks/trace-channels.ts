// Publishes the trace on Node's diagnostics channels. Must not: create objects while a channel has no subscriber.
import { LlamaHooksError } from "../base/errors.js";
import { stopper } from "../base/stopper.js";
import {
  hasSubscribers,
  type TraceChannel,
  traceChannels as channels,
  type TraceMessage,
} from "../base/trace-channels.js";
import type { Decision, HookRecord, LifecycleEvent } from "../generated/results.js";
import { type Caller, callerOf } from "../native/callers.js";
import { failureOf, whatFailed } from "./trace-failures.js";
import type { TraceEvent } from "./trace-event.js";

type Started = Extract<LifecycleEvent, { readonly event: `${string}Started` }>;
type Ended = Extract<LifecycleEvent, { readonly durationUs: number }>;

/** An activity under way. */
interface Open {
  readonly channel: TraceChannel;
  readonly message: TraceMessage;
  readonly what: string;
  readonly caller: Caller | undefined;
}

const ofEvent: Partial<Record<LifecycleEvent["event"], TraceChannel>> = {
  modelLoadStarted: channels.modelLoad,
  generationStarted: channels.generation,
  embeddingStarted: channels.embedding,
  rerankStarted: channels.rerank,
  runStarted: channels.run,
  modelCallStarted: channels.modelCall,
  toolCallStarted: channels.toolCall,
  planStarted: channels.plan,
};

/** Returns the address of a remote model, by its id. */
export type AddressOf = (modelId: string) => string | undefined;

/** Publishes the events of one engine. */
export class TraceChannels {
  readonly #addressOf: AddressOf;
  /** Activities that are under way, by span. */
  readonly #open = new Map<number, Open>();

  constructor(addressOf: AddressOf) {
    this.#addressOf = addressOf;
  }

  push(event: TraceEvent): void {
    if (event.type === "decision") return this.#decision(event);
    if (!("span" in event)) return;
    if ("durationUs" in event) this.#end(event);
    else this.#begin(event);
  }

  /** Called after the last event. Work that has not ended by now has no end event: the engine has abandoned it. */
  end(): void {
    for (const { channel, message, what, caller } of this.#open.values()) {
      const error = new LlamaHooksError("STUCK", `${what} had not ended when the engine closed`);
      inContext(caller, () => end(channel, message, error));
    }
    this.#open.clear();
  }

  #begin(event: Started): void {
    const channel = ofEvent[event.event];
    if (channel === undefined) return;
    const parent = "parentSpan" in event ? event.parentSpan : undefined;
    const above = parent === undefined ? undefined : this.#open.get(parent);
    if (parent !== undefined && above === undefined) return; // a part of work that began before the first subscription
    const message = fieldsOf(event);
    const address = "modelId" in event ? this.#addressOf(event.modelId) : undefined;
    if (address !== undefined) message["address"] = address;
    const caller = callerOf(event.task) ?? above?.caller;
    this.#open.set(event.span, { channel, message, what: whatFailed(event), caller });
    inContext(caller, () => begin(channel, message));
  }

  #end(event: Ended): void {
    const open = this.#open.get(event.span);
    if (open === undefined) return; // began before the first subscription
    this.#open.delete(event.span);
    const { channel, message, what, caller } = open;
    const { clockUs: _, timeUs: __, ...result } = fieldsOf(event);
    Object.assign(message, result);
    if ("cancel" in event && event.cancel !== undefined) message["cancel"] = stopper(event.cancel, caller?.signal);
    inContext(caller, () => end(channel, message, failureOf(event, what)));
  }

  #decision(decision: Decision): void {
    if (!hasSubscribers(channels.hookCall)) return;
    const { span } = decision;
    const caller = span === null ? undefined : this.#open.get(span)?.caller;
    inContext(caller, () => {
      for (const record of decision.hooks) {
        const message = hookMessage(decision, record);
        begin(channels.hookCall, message);
        const error = record.outcome === "abandoned" ? undefined : record.error;
        end(
          channels.hookCall,
          message,
          error && new LlamaHooksError(error.code, error.message, { cause: error.cause }),
        );
      }
    });
  }
}

function inContext(caller: Caller | undefined, publish: () => void): void {
  if (caller === undefined) publish();
  else caller.run(publish);
}

function begin(channel: TraceChannel, message: TraceMessage): void {
  channel.start.publish(message);
  channel.end.publish(message);
}

function end(channel: TraceChannel, message: TraceMessage, error: LlamaHooksError | undefined): void {
  if (error !== undefined) {
    message.error = error;
    channel.error.publish(message);
  }
  channel.asyncStart.publish(message);
  channel.asyncEnd.publish(message);
}

function fieldsOf(event: LifecycleEvent): TraceMessage {
  const { type: _, event: __, ...fields } = event;
  return fields;
}

function hookMessage(decision: Decision, record: HookRecord): TraceMessage {
  const { point, runId, sessionId, span, toolCallId } = decision;
  const { id, name, clockUs, durationUs, outcome, fields } = record;
  const timeUs = Math.round(decision.timeUs + clockUs - decision.clockUs);
  const where = { point, runId, sessionId, span, toolCallId };
  return { id, name, ...where, timeUs, clockUs, durationUs, outcome, fields, decision };
}
