// The messages of the tracing channels, typed from the events of the trace that they are made of.
import type { Decision, HookRecord, LifecycleEvent, LlamaHooksError } from "../index.js";

type Of<Name extends LifecycleEvent["event"]> = Omit<
  Extract<LifecycleEvent, { readonly event: Name }>,
  "type" | "event"
>;

/** An activity: the fields of its end come when it is over. */
type Activity<Start extends LifecycleEvent["event"], End extends LifecycleEvent["event"]> = Of<Start> &
  Partial<Omit<Of<End>, keyof Of<Start>>> & {
    readonly parentSpan?: number;
    readonly queueMs?: number;
    /** The address, or the provider's name, of a remote model. */
    readonly address?: string;
    readonly durationUs?: number;
    readonly error?: LlamaHooksError;
  };

export interface Messages {
  readonly modelLoad: Activity<"modelLoadStarted", "modelLoaded">;
  readonly generation: Activity<"generationStarted", "generationEnded">;
  readonly embedding: Activity<"embeddingStarted", "embeddingEnded">;
  readonly rerank: Activity<"rerankStarted", "rerankEnded">;
  readonly run: Activity<"runStarted", "runEnded">;
  readonly modelCall: Activity<"modelCallStarted", "modelCallEnded">;
  readonly toolCall: Activity<"toolCallStarted", "toolCallEnded">;
  readonly plan: Activity<"planStarted", "planEnded">;
}

export type Kind = keyof Messages;
export type Message = Messages[Kind];

export interface HookMessage extends HookRecord {
  readonly point: Decision["point"];
  readonly span: number | null;
  readonly toolCallId: string | null;
  readonly timeUs: number;
  readonly decision: Decision;
}
