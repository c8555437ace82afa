// The interface of a model that embeds: tokens in; vectors or scores out. Implemented with llama.cpp in
// llama_embedder.*.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/status.h"
#include "base/threads/cancel.h"
#include "model/memory_footprint.h"

namespace lh {

// The way in which the vectors of a text's tokens are combined; kNone: not at all; kRank: into a score. The numbers are
// those of GGUF files.
enum class PoolingType : int8_t { kNone = 0, kMean = 1, kCls = 2, kLast = 3, kRank = 4 };
[[nodiscard]] const char* pooling_name(PoolingType pooling);

using TokenText = std::vector<int32_t>;

// Computes embeddings with one model. Each pooling type has a separate context and threads, besides those of
// generation: make() and publish the context before compute(). Any thread.
class Embedder {
 public:
  virtual ~Embedder() = default;

  // `asked`, or the pooling of the model file, or mean. Errors: kUnsupportedByModel if the pooling of the model file is
  // for ranking.
  [[nodiscard]] virtual Result<PoolingType> pooling(std::optional<PoolingType> asked) const = 0;
  // Checks that the model can rank. Errors: kUnsupportedByModel, with what is missing.
  [[nodiscard]] virtual Status check_ranks() const = 0;

  // A text, and a query with a document, in the form that such models take. Control tokens in them are plain text.
  // Errors: those of `cancel`; kTextTooLong for a text that is far too long, which is not tokenized.
  [[nodiscard]] virtual Result<TokenText> text(std::string_view text, const CancelFlag& cancel) const = 0;
  [[nodiscard]] virtual Result<TokenText> pair(std::string_view query, std::string_view document,
                                               const CancelFlag& cancel) const = 0;

  // The maximum number of tokens of a text, and the reason for that limit.
  [[nodiscard]] virtual int32_t max_tokens() const = 0;
  [[nodiscard]] virtual int32_t dimensions() const = 0;
  [[nodiscard]] virtual bool scores_are_probabilities() const = 0;

  [[nodiscard]] virtual bool has(PoolingType pooling) const = 0;
  // An estimate of what make() takes on a device, rarely too low.
  [[nodiscard]] virtual uint64_t rough_bytes() const = 0;
  // One call at a time. Errors: kInsufficientMemory, kNoThread, kModelLoadFailed.
  [[nodiscard]] virtual Result<Publish> make(PoolingType pooling) = 0;

  // Returns one vector per text: with kNone the vectors of its tokens in order, with kRank only the score. Computes as
  // many texts at once as fit; concurrent calls take turns. No text may be empty or exceed max_tokens(). Errors:
  // kCancelled, kDecodeFailed.
  [[nodiscard]] virtual Result<std::vector<std::vector<float>>> compute(PoolingType pooling,
                                                                        const std::vector<TokenText>& texts,
                                                                        const CancelFlag& cancel) = 0;
  [[nodiscard]] virtual Json describe() const = 0;  // `embedding` of lh_model_describe
};

}  // namespace lh
