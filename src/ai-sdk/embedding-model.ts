// An embedding model of the AI SDK that an engine computes.
import { optionError } from "../base/check.js";
import type { EmbedOptions } from "../index.js";
import { callError } from "./errors.js";
import { providerName } from "./language-model.js";
import { providerOptionsOf, type Setup } from "./settings.js";
import type { EmbeddingAnswer, EmbeddingCallOptions, Spec, Warning } from "./specification.js";

/** An embedding model, for `embed({ model })` and `embedMany({ model })`. */
export interface LlamaHooksEmbeddingModel<S extends Spec = Spec> {
  /** Version of the provider interface. */
  readonly specificationVersion: S;
  /** Always "llama-hooks". */
  readonly provider: string;
  /** Id of the model in the engine. */
  readonly modelId: string;
  /** No limit: the engine divides the texts itself. */
  readonly maxEmbeddingsPerCall: number;
  /** Always true. */
  readonly supportsParallelCalls: boolean;
  /** Computes the vectors of texts. For the AI SDK. */
  doEmbed(options: EmbeddingCallOptions): Promise<EmbeddingAnswer>;
}

export function embeddingModel<S extends Spec>(
  { engine, spec }: Setup<S>,
  modelId: string,
): LlamaHooksEmbeddingModel<S> {
  return {
    specificationVersion: spec,
    provider: providerName,
    modelId,
    maxEmbeddingsPerCall: Infinity,
    supportsParallelCalls: true,
    async doEmbed({ values, dimensions, abortSignal: signal, providerOptions }) {
      const own = embedOptions(providerOptionsOf(providerOptions));
      const warnings: Warning[] =
        dimensions === undefined
          ? []
          : [{ type: "unsupported", feature: "dimensions", details: "Vectors have the dimensions of the model." }];
      try {
        const options = { ...own, model: modelId, ...(signal !== undefined && { signal }) };
        const { embeddings, tokens } = await engine.embed(values, options);
        const sum = tokens.reduce((total, count) => total + count, 0);
        return { embeddings: embeddings.map((vector) => [...vector]), usage: { tokens: sum }, warnings };
      } catch (error) {
        throw callError(error, signal);
      }
    },
  };
}

/** One vector a text is all that the AI SDK knows. The engine checks the rest. */
function embedOptions(given: Readonly<Record<string, unknown>>): EmbedOptions {
  const at = "providerOptions.llamaHooks.pooling";
  if (given["pooling"] === "none")
    throw optionError(at, `${at} must not be "none": the AI SDK takes one vector a text`);
  return given;
}
