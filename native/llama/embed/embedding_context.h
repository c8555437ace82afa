// A llama.cpp context that embeds texts with one pooling type, with separate threads.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "base/threads/mutex.h"
#include "llama/base/assertions.h"
#include "llama/base/weights.h"
#include "model/embedder.h"
#include "model/memory_footprint.h"
#include "model/parameters.h"

namespace lh {

class EmbeddingContext {
 public:
  // The model outlives it. Computes params.batch_size tokens at a time. Errors: kInsufficientMemory, kNoThread,
  // kModelLoadFailed.
  static Result<std::unique_ptr<EmbeddingContext>> create(LlamaWeights& weights, const LoadParams& params,
                                                          PoolingType pooling);
  // Creates a context on weights that no other context shares.
  static Result<std::unique_ptr<EmbeddingContext>> create(llama_model* model, const LoadParams& params,
                                                          PoolingType pooling);
  // An estimate of what create() takes on a device, rarely too low. `feed_forward`: the width of the model's networks.
  static uint64_t rough_bytes(const llama_model* model, const LoadParams& params, uint64_t feed_forward);

  EmbeddingContext(const EmbeddingContext&) = delete;
  EmbeddingContext& operator=(const EmbeddingContext&) = delete;

  // Like Embedder::compute. Any thread: concurrent calls take turns in order of arrival, and a cancelled call does not
  // wait for its turn.
  [[nodiscard]] Result<std::vector<std::vector<float>>> compute(const std::vector<TokenText>& texts,
                                                                const CancelFlag& cancel);

  // The footprint of the model, whose weights have that key, and of this context.
  [[nodiscard]] MemoryFootprint memory_with_model(std::string weights_key) const;
  // The memory of this context alone.
  [[nodiscard]] const MemoryUse& memory() const { return own_; }

 private:
  EmbeddingContext(const llama_model* model, const LoadParams& params, PoolingType pooling);
  class Turn;
  // Fills a batch with texts from index `first` on, and returns the index after the last one.
  [[nodiscard]] size_t fill(const std::vector<TokenText>& texts, size_t first);
  [[nodiscard]] Status run(const CancelFlag& cancel);
  [[nodiscard]] int32_t decode();
  // The vector of the `sequence`th text of the batch, from its token `at` on.
  [[nodiscard]] Result<std::vector<float>> vector_of(int32_t sequence, int32_t at, int32_t length) const;

  const llama_model* const model_;
  const PoolingType pooling_;
  const int32_t tokens_;     // of a batch
  const int32_t sequences_;  // of a batch, at most
  const bool mmap_;
  MemoryUse own_;  // read at creation, because llama.cpp cannot report it during a computation
  Mutex mutex_;
  std::condition_variable changed_;
  std::deque<const Turn*> turns_ LH_GUARDED_BY(mutex_);  // the first is under way
  // From here on guarded by the turn. The pool outlives the context, which computes with it.
  const MappedFiles* files_ = nullptr;  // of the weights; null: they are not checked
  const CancelFlag* cancel_ = nullptr;
  Batch batch_;
  ThreadPoolPtr pool_;
  UntilAssertion unbroken_;
  ContextPtr context_;
};
static_assert(!std::is_copy_constructible_v<EmbeddingContext>);

}  // namespace lh
