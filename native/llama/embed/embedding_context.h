// A llama.cpp context that makes vectors of texts by one pooling type, with threads of its own.
// Must not: know what texts are, or be taken for one that generates.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "base/threads/mutex.h"
#include "llama/base/weights.h"
#include "model/embedder.h"
#include "model/holding.h"
#include "model/parameters.h"

namespace lh {

class EmbeddingContext {
 public:
  // The model outlives it. Computes params.batch_size tokens at a time. Errors: kInsufficientMemory, kNoThread,
  // kModelLoadFailed.
  static Result<std::unique_ptr<EmbeddingContext>> create(LlamaWeights& weights, const LoadParams& params,
                                                          PoolingType pooling);
  // On weights that nobody shares.
  static Result<std::unique_ptr<EmbeddingContext>> create(llama_model* model, const LoadParams& params,
                                                          PoolingType pooling);
  // About what create() will take on a device, and hardly less. `feed_forward`: the width of the model's networks.
  static uint64_t rough_bytes(const llama_model* model, const LoadParams& params, uint64_t feed_forward);

  EmbeddingContext(const EmbeddingContext&) = delete;
  EmbeddingContext& operator=(const EmbeddingContext&) = delete;

  // As Embedder::compute. Any thread: those that compute at once take turns, first come first served.
  [[nodiscard]] Result<std::vector<std::vector<float>>> compute(const std::vector<TokenText>& texts,
                                                                const CancelFlag& cancel);

  // Of the model, whose weights have that key, and this context.
  [[nodiscard]] Holding memory_with_model(std::string weights_key) const;
  // Of this context alone.
  [[nodiscard]] const MemoryUse& memory() const { return own_; }

 private:
  EmbeddingContext(const llama_model* model, const LoadParams& params, PoolingType pooling);
  class Turn;
  // Texts from `first` on that are computed together; they end before the index that it gives.
  [[nodiscard]] size_t fill(const std::vector<TokenText>& texts, size_t first);
  [[nodiscard]] Status run(const CancelFlag& cancel);
  [[nodiscard]] int32_t decode();
  // Of the text that was the `sequence`th of the batch, from its token `at` on.
  [[nodiscard]] Result<std::vector<float>> vector_of(int32_t sequence, int32_t at, int32_t length) const;

  const llama_model* const model_;
  const PoolingType pooling_;
  const int32_t tokens_;     // of a batch
  const int32_t sequences_;  // of a batch, at most
  const bool mmap_;
  MemoryUse own_;  // asked when it was made: llama.cpp cannot be asked while it computes
  Mutex mutex_;
  std::condition_variable changed_;
  uint64_t next_turn_ LH_GUARDED_BY(mutex_) = 0;
  uint64_t turn_ LH_GUARDED_BY(mutex_) = 0;
  // From here on of whose turn it is. The pool outlives the context, which computes with it.
  const CancelFlag* cancel_ = nullptr;
  Batch batch_;
  ThreadPoolPtr pool_;
  ContextPtr context_;
};
static_assert(!std::is_copy_constructible_v<EmbeddingContext>);

}  // namespace lh
