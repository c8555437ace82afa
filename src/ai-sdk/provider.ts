// llamaHooks(): a provider of the AI SDK.
import { requiredString } from "../base/check.js";
import type { Engine } from "../index.js";
import { embeddingModel, type LlamaHooksEmbeddingModel } from "./embedding-model.js";
import { noSuchModel } from "./errors.js";
import { languageModel, type LlamaHooksLanguageModel } from "./language-model.js";
import { rerankingModel, type LlamaHooksRerankingModel } from "./reranking-model.js";
import { checkSettings, type LlamaHooksSettings } from "./settings.js";
import type { Spec } from "./specification.js";

/** A provider: called with the id of a model of the engine, it gives a language model. */
export interface LlamaHooksProvider<S extends Spec = Spec> {
  /** Returns a language model. The id is that of a model of the engine, which is looked up when the model is used. */
  (modelId?: string): LlamaHooksLanguageModel<S>;
  /** Version of the provider interface. */
  readonly specificationVersion: S;
  /** Returns a language model, as a call of the provider does. */
  languageModel(modelId: string): LlamaHooksLanguageModel<S>;
  /** Returns an embedding model. */
  embeddingModel(modelId: string): LlamaHooksEmbeddingModel<S>;
  /** The former name of `embeddingModel()`. */
  textEmbeddingModel(modelId: string): LlamaHooksEmbeddingModel<S>;
  /** Returns a reranking model. */
  rerankingModel(modelId: string): LlamaHooksRerankingModel<S>;
  /** Throws: engines make no images. */
  imageModel(modelId: string): never;
  /** Throws: engines transcribe no speech. */
  transcriptionModel(modelId: string): never;
  /** Throws: engines do not speak. */
  speechModel(modelId: string): never;
}

/**
 * Makes the models of an engine available to Vercel's AI SDK: `generateText({ model: llamaHooks(engine)("default") })`.
 * The engine's hooks see every call; docs/guides/ai-sdk.md says how a veto, an abort and an error reach callers of the
 * AI SDK. The provider does not close the engine. Errors: `TypeError`.
 *
 * @example
 * ```ts
 * import { generateText } from "ai";
 *
 * const model = llamaHooks(engine)("default");
 * const { text } = await generateText({ model, prompt: "What is 12 * 7?", temperature: 0 });
 * ```
 */
export function llamaHooks<const S extends Spec = "v3">(
  engine: Engine,
  options?: LlamaHooksSettings<S>,
): LlamaHooksProvider<S> {
  const setup = checkSettings(engine, options);
  const id = (modelId: string): string => requiredString(modelId, "The id of a model");
  const language = (modelId: string): LlamaHooksLanguageModel<S> => languageModel(setup, id(modelId));
  const embedding = (modelId: string): LlamaHooksEmbeddingModel<S> => embeddingModel(setup, id(modelId));
  const none =
    (kind: string) =>
    (modelId: string): never => {
      throw noSuchModel(kind, modelId);
    };
  return Object.assign((modelId: string = setup.model) => language(modelId), {
    specificationVersion: setup.spec,
    languageModel: language,
    embeddingModel: embedding,
    textEmbeddingModel: embedding,
    rerankingModel: (modelId: string) => rerankingModel(setup, id(modelId)),
    imageModel: none("imageModel"),
    transcriptionModel: none("transcriptionModel"),
    speechModel: none("speechModel"),
  });
}
