// Implements Embedder with a model in the other process.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "isolation/client/child_model.h"
#include "model/embedder.h"

namespace lh {

class ChildEmbedder final : public Embedder {
 public:
  explicit ChildEmbedder(std::shared_ptr<ChildModel> model) : model_(std::move(model)) {}
  ChildEmbedder(const ChildEmbedder&) = delete;
  ChildEmbedder& operator=(const ChildEmbedder&) = delete;

  Result<PoolingType> pooling(std::optional<PoolingType> asked) const override;
  Status check_ranks() const override;
  Result<TokenText> text(std::string_view text, const CancelFlag& cancel) const override;
  Result<TokenText> pair(std::string_view query, std::string_view document, const CancelFlag& cancel) const override;
  int32_t max_tokens() const override { return facts().at("max_tokens"); }
  int32_t dimensions() const override { return facts().at("dimensions"); }
  bool scores_are_probabilities() const override { return facts().at("probabilities"); }
  bool has(PoolingType pooling) const override { return model_->has_embeddings(pooling); }
  uint64_t rough_bytes() const override { return facts().at("rough_bytes"); }
  Result<Publish> make(PoolingType pooling) override { return model_->make_embeddings(pooling); }
  Result<std::vector<std::vector<float>>> compute(PoolingType pooling, const std::vector<TokenText>& texts,
                                                  const CancelFlag& cancel) override;
  Json describe() const override { return facts().at("description"); }

 private:
  [[nodiscard]] const Json& facts() const { return model_->facts().at("embedder"); }
  [[nodiscard]] Result<TokenText> tokens(std::string_view all, size_t split, bool is_pair,
                                         const CancelFlag& cancel) const;

  const std::shared_ptr<ChildModel> model_;
};
static_assert(!std::is_copy_constructible_v<ChildEmbedder>);

}  // namespace lh
