// The subpath llama-hooks/ai-sdk: the models of an engine for Vercel's AI SDK.
// Must not: import a package of the AI SDK; models are objects that fit its interface.
/// <reference lib="esnext.disposable" preserve="true" />
export { llamaHooks, type LlamaHooksProvider } from "./provider.js";
export type { LlamaHooksCallOptions, LlamaHooksSettings } from "./settings.js";
export type { LlamaHooksLanguageModel } from "./language-model.js";
export type { LlamaHooksEmbeddingModel } from "./embedding-model.js";
export type { LlamaHooksRerankingModel } from "./reranking-model.js";
