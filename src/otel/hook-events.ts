// Calls of hooks as events of the span that they belong to.
import type { Attributes, Span } from "@opentelemetry/api";
import { own, toolCallId } from "./conventions.js";
import type { HookMessage } from "./messages.js";
import { hrTime } from "./times.js";

/** These fire for each piece of text or of a prompt: their calls would crowd out all other events of a span. */
const oftenFired = new Set<string>(["streamToken", "promptProgress"]);

/** False: the call is not worth an event. Vetoes and failures always are. */
export function isReported({ point, outcome, error }: HookMessage): boolean {
  return !oftenFired.has(point) || outcome === "cancelled" || outcome === "failed" || error !== undefined;
}

export function addHookEvent(span: Span, message: HookMessage, atUs: number): void {
  const { error, durationUs } = message;
  span.addEvent(own.hookEvent, attributesOf(message), hrTime(atUs));
  if (error !== undefined) span.recordException(error as unknown as Error, hrTime(atUs + durationUs));
}

function attributesOf({
  id,
  name,
  point,
  outcome,
  fields,
  durationUs,
  decision,
  toolCallId: call,
}: HookMessage): Attributes {
  const decided = decision.decidedBy?.id === id;
  return {
    [own.hookName]: name === "" ? `hook ${id}` : name,
    [own.hookPoint]: point,
    [own.hookOutcome]: outcome,
    [own.hookDuration]: durationUs / 1_000_000,
    ...(fields.length > 0 && { [own.hookFields]: [...fields] }),
    ...(decided && decision.reason !== null && { [own.hookReason]: decision.reason }),
    ...(call !== null && { [toolCallId]: call }),
  };
}
