// What the layers above see of a model that makes vectors of texts: tokens in; vectors, or scores, out. The llama.cpp
// implementation is in llama_embedder.*. Must not: know llama.cpp, or fire a hook.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/status.h"
#include "base/threads/cancel.h"
#include "model/holding.h"

namespace lh {

// How the vectors of a text's tokens become one; kNone: they do not; kRank: they become a score. The numbers are those
// that GGUF files have.
enum class PoolingType : int8_t { kNone = 0, kMean = 1, kCls = 2, kLast = 3, kRank = 4 };
[[nodiscard]] const char* pooling_name(PoolingType pooling);

using TokenText = std::vector<int32_t>;

// What one model makes of texts. For each pooling type there is a context of its own beside that of generation, with
// threads of its own: make() and publish it before compute(). Any thread.
class Embedder {
 public:
  virtual ~Embedder() = default;

  // `asked`, or the model's own; mean where it has none. Errors: kUnsupportedByModel: what it has is for ranking.
  [[nodiscard]] virtual Result<PoolingType> pooling(std::optional<PoolingType> asked) const = 0;
  // Whether it ranks. Errors: kUnsupportedByModel, with what is missing.
  [[nodiscard]] virtual Status check_ranks() const = 0;

  // A text, and a query with a document, as such models are given them.
  [[nodiscard]] virtual TokenText text(std::string_view text) const = 0;
  [[nodiscard]] virtual TokenText pair(std::string_view query, std::string_view document) const = 0;

  // The most tokens that a text may have, and what bounds that, in words.
  [[nodiscard]] virtual int32_t max_tokens() const = 0;
  [[nodiscard]] virtual int32_t dimensions() const = 0;
  [[nodiscard]] virtual bool scores_are_probabilities() const = 0;

  [[nodiscard]] virtual bool has(PoolingType pooling) const = 0;
  // About what make() will take on a device, and hardly less.
  [[nodiscard]] virtual uint64_t rough_bytes() const = 0;
  // Not at the same time as another. Errors: kInsufficientMemory, kNoThread, kModelLoadFailed.
  [[nodiscard]] virtual Result<Publish> make(PoolingType pooling) = 0;
  // Of all that were published.
  [[nodiscard]] virtual MemoryUse memory() const = 0;

  // One vector of each text: with kNone one after the other for each token, with kRank the score alone. Several texts
  // at a time, as many as there is room for; calls take turns between those. No text may be empty or have more than
  // max_tokens(). Errors: kCancelled, kDecodeFailed.
  [[nodiscard]] virtual Result<std::vector<std::vector<float>>> compute(PoolingType pooling,
                                                                        const std::vector<TokenText>& texts,
                                                                        const CancelFlag& cancel) = 0;
  [[nodiscard]] virtual Json describe() const = 0;  // `embedding` of lh_model_describe
};

}  // namespace lh
