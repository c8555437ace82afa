// A language model of the AI SDK that an engine computes.
import { answerOf } from "./answer.js";
import { callError } from "./errors.js";
import { isHeld } from "./held.js";
import { requestOf } from "./request.js";
import type { Setup } from "./settings.js";
import type { Answer, CallOptions, Spec, StreamPart } from "./specification.js";
import { refuseCancelled, streamOf } from "./stream.js";

/** A language model, for `generateText({ model })`, `streamText({ model })` and others. */
export interface LlamaHooksLanguageModel<S extends Spec = Spec> {
  /** Version of the provider interface. */
  readonly specificationVersion: S;
  /** Always "llama-hooks". */
  readonly provider: string;
  /** Id of the model in the engine. */
  readonly modelId: string;
  /** None: models read text only. */
  readonly supportedUrls: Record<string, RegExp[]>;
  /** Answers with one model call. For the AI SDK. */
  doGenerate(options: CallOptions): Promise<Answer>;
  /** Streams the answer of one model call. For the AI SDK. */
  doStream(options: CallOptions): Promise<{
    /** The parts of the answer. */
    stream: ReadableStream<StreamPart>;
  }>;
}

/** The name of the provider in errors and telemetry. */
export const providerName = "llama-hooks";

export function languageModel<S extends Spec>(setup: Setup<S>, modelId: string): LlamaHooksLanguageModel<S> {
  const { engine } = setup;
  return {
    specificationVersion: setup.spec,
    provider: providerName,
    modelId,
    supportedUrls: {},
    async doGenerate(call) {
      call.abortSignal?.throwIfAborted();
      const { input, options, warnings } = requestOf(setup, modelId, call);
      try {
        const result = await engine.generate(input, options);
        refuseCancelled(result, call.abortSignal);
        return answerOf(result, warnings);
      } catch (error) {
        throw callError(error, call.abortSignal);
      }
    },
    async doStream(call) {
      call.abortSignal?.throwIfAborted();
      const { input, options, warnings } = requestOf(setup, modelId, call);
      const held = isHeld(engine, options);
      const generation = engine.generate(input, { ...options, stream: held ? "held" : "live" });
      return {
        stream: await streamOf(generation, {
          warnings,
          isHeld: held,
          isRaw: call.includeRawChunks === true,
          signal: call.abortSignal,
        }),
      };
    },
  };
}
