// Implements Embedder with llama.cpp: what a model's file says about embeddings, and the contexts. Must not: outlive
// the model.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <type_traits>

#include "base/threads/mutex.h"
#include "gguf/check.h"
#include "llama/base/tokenizer.h"
#include "llama/embed/embedding_context.h"
#include "llama/prompt/mark_finder.h"

namespace lh {

class LlamaEmbedder final : public Embedder {
 public:
  // `params`: those of the model's load. `tokenizer` must outlive it.
  LlamaEmbedder(LlamaWeights& weights, const GgufSummary& file, LoadParams params, const Tokenizer& tokenizer);
  LlamaEmbedder(const LlamaEmbedder&) = delete;
  LlamaEmbedder& operator=(const LlamaEmbedder&) = delete;

  Result<PoolingType> pooling(std::optional<PoolingType> asked) const override;
  Status check_ranks() const override;
  Result<TokenText> text(std::string_view text, const CancelFlag& cancel) const override;
  Result<TokenText> pair(std::string_view query, std::string_view document, const CancelFlag& cancel) const override;
  int32_t max_tokens() const override { return max_tokens_; }
  int32_t dimensions() const override { return llama_model_n_embd_out(model_); }
  bool scores_are_probabilities() const override;
  bool has(PoolingType pooling) const override;
  uint64_t rough_bytes() const override;
  Result<Publish> make(PoolingType pooling) override;
  // Memory of all published contexts.
  [[nodiscard]] MemoryUse memory() const;
  Result<std::vector<std::vector<float>>> compute(PoolingType pooling, const std::vector<TokenText>& texts,
                                                  const CancelFlag& cancel) override;
  Json describe() const override { return description_; }

  // The pooling that the model was trained with; kRank for a reranker.
  [[nodiscard]] PoolingType own_pooling() const { return own_; }
  // Keeps the context that the load of an embedding-only model has created.
  void keep(PoolingType pooling, std::shared_ptr<EmbeddingContext> context);

 private:
  [[nodiscard]] Status check_size(size_t bytes) const;

  LlamaWeights& weights_;
  llama_model* const model_;
  const llama_vocab* const vocab_;
  const Tokenizer& tokenizer_;
  const std::unique_ptr<const MarkFinder> marks_;  // for the texts that a ranking template joins; null: no template
  const LoadParams params_;
  const int32_t max_tokens_;
  const std::string architecture_;
  const PoolingType own_;
  const std::string no_ranks_;  // why it does not rank; empty: it ranks
  const Json description_;
  mutable Mutex mutex_;
  std::map<PoolingType, std::shared_ptr<EmbeddingContext>> contexts_
      LH_GUARDED_BY(mutex_);  // all live as long as this object
};
static_assert(!std::is_copy_constructible_v<LlamaEmbedder>);

// The `embedding` of lh_model_describe.
[[nodiscard]] Json describe_embedding(const llama_model* model, const GgufSummary& file, const LoadParams& params);

// The pooling that the model's file names, else the one that suits its attention.
[[nodiscard]] PoolingType own_pooling(const llama_model* model);

// True if a model for which LlamaContext::create() failed with `no_context` can only embed.
[[nodiscard]] bool only_embeds(const llama_model* model, const LoadParams& params, const Status& no_context);

}  // namespace lh
