// The stream of an answer, as doStream() gives it.
import { type GenerateEvent, type GenerateResult, type Generation, LlamaHooksError } from "../index.js";
import { finishReasonOf, metadataOf, usageOf } from "./answer.js";
import { callError, isOwn } from "./errors.js";
import { OpenParts } from "./open-parts.js";
import { providerKey } from "./settings.js";
import type { StreamPart, Warning } from "./specification.js";

export interface StreamFacts {
  readonly warnings: Warning[];
  /** True: only the end of the answer is streamed. */
  readonly isHeld: boolean;
  /** The engine's events are streamed, too. */
  readonly isRaw: boolean;
  readonly signal: AbortSignal | undefined;
}

/**
 * Waits until the prompt is made, so that the errors before that reject and may be retried. The reader of the stream
 * sets the pace of the model.
 */
export async function streamOf(call: Generation, facts: StreamFacts): Promise<ReadableStream<StreamPart>> {
  const events = call[Symbol.asyncIterator]();
  const first = await nextOf(events, facts.signal);
  if (first?.type === "end") refuseCancelled(first.result, facts.signal);
  const parts = partsOf(first, events, facts);
  return new ReadableStream<StreamPart>({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel() {
      call.cancel("the stream was cancelled");
    },
  });
}

/**
 * Throws if the signal has stopped the call, or the close of the engine: a cut answer must not look like a whole one.
 */
export function refuseCancelled({ cancel }: GenerateResult, signal: AbortSignal | undefined): void {
  if (cancel?.by === "signal" && signal?.aborted === true) throw signal.reason;
  if (cancel?.by === "caller")
    throw new LlamaHooksError("CANCELLED", `The generation was cancelled: ${cancel.reason ?? "no reason was given"}`);
}

type Events = AsyncIterator<GenerateEvent>;

async function nextOf(events: Events, signal: AbortSignal | undefined): Promise<GenerateEvent | undefined> {
  try {
    const { done, value } = await events.next();
    return done === true ? undefined : value;
  } catch (error) {
    throw callError(error, signal);
  }
}

async function* partsOf(
  first: GenerateEvent | undefined,
  events: Events,
  facts: StreamFacts,
): AsyncGenerator<StreamPart> {
  yield { type: "stream-start", warnings: facts.warnings };
  const open = new OpenParts();
  try {
    for (let event = first; event !== undefined; event = await nextOf(events, facts.signal)) {
      if (facts.isRaw) yield { type: "raw", rawValue: event };
      if (event.type === "start")
        yield { type: "response-metadata", id: event.runId, modelId: event.modelId, timestamp: new Date() };
      else if (event.type === "end") yield* endOf(event.result, open, facts.signal);
      else if (!facts.isHeld) yield* open.take(event);
    }
  } catch (error) {
    if (facts.signal?.aborted === true && error === facts.signal.reason) throw error;
    yield* open.close();
    yield { type: "error", error };
    yield failedFinish(error);
  }
}

function* endOf(result: GenerateResult, open: OpenParts, signal: AbortSignal | undefined): Generator<StreamPart> {
  refuseCancelled(result, signal);
  yield* open.end(result);
  yield {
    type: "finish",
    finishReason: finishReasonOf(result),
    usage: usageOf(result),
    providerMetadata: metadataOf(result),
  };
}

/** The AI SDK needs an end after an error, too. */
function failedFinish(error: unknown): StreamPart {
  const raw = isOwn(error) ? error.code : "error";
  const unknown = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
  return {
    type: "finish",
    finishReason: { unified: "error", raw },
    usage: { inputTokens: unknown, outputTokens: { total: undefined, text: undefined, reasoning: undefined } },
    providerMetadata: { [providerKey]: { decisions: [] } },
  };
}
