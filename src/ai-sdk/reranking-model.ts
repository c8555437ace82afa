// A reranking model of the AI SDK that an engine computes.
import { callError } from "./errors.js";
import { providerName } from "./language-model.js";
import { providerOptionsOf, type Setup } from "./settings.js";
import type { RerankingAnswer, RerankingCallOptions, Spec, Warning } from "./specification.js";

/** A reranking model, for `rerank({ model })`. */
export interface LlamaHooksRerankingModel<S extends Spec = Spec> {
  /** Version of the provider interface. */
  readonly specificationVersion: S;
  /** Always "llama-hooks". */
  readonly provider: string;
  /** Id of the model in the engine. */
  readonly modelId: string;
  /** Sorts documents by relevance. For the AI SDK. */
  doRerank(options: RerankingCallOptions): Promise<RerankingAnswer>;
}

export function rerankingModel<S extends Spec>(
  { engine, spec }: Setup<S>,
  modelId: string,
): LlamaHooksRerankingModel<S> {
  return {
    specificationVersion: spec,
    provider: providerName,
    modelId,
    async doRerank({ documents, query, topN, abortSignal: signal, providerOptions }) {
      const own = providerOptionsOf(providerOptions);
      const options = {
        ...(topN !== undefined && { topN }),
        ...own,
        model: modelId,
        ...(signal !== undefined && { signal }),
      };
      try {
        const { results } = await engine.rerank(query, textsOf(documents), options);
        return {
          ranking: results.map(({ index, relevanceScore }) => ({ index, relevanceScore })),
          response: { modelId, timestamp: new Date() },
          warnings: warningsOf(documents),
        };
      } catch (error) {
        throw callError(error, signal);
      }
    },
  };
}

function textsOf({ type, values }: RerankingCallOptions["documents"]): string[] {
  return values.map((value) => (type === "text" ? (value as string) : JSON.stringify(value)));
}

function warningsOf({ type }: RerankingCallOptions["documents"]): Warning[] {
  if (type === "text") return [];
  return [{ type: "compatibility", feature: "object documents", details: "The model ranks their JSON." }];
}
