// A llama.cpp context with its thread pool, and the memory operations the scheduler needs.
// Must not: be used by two threads at once; the decode thread owns it.
#pragma once

#include <functional>
#include <type_traits>

#include "inference/generator.h"
#include "inference/llama_handles.h"

namespace lh {

class LlamaContext {
 public:
  static Result<std::unique_ptr<LlamaContext>> create(llama_model* model, const LoadParams& params,
                                                      int32_t context_size);

  LlamaContext(const LlamaContext&) = delete;
  LlamaContext& operator=(const LlamaContext&) = delete;

  [[nodiscard]] llama_context* get() const { return context_.get(); }
  [[nodiscard]] int threads() const { return threads_; }

  // Asked by compute threads while a decode runs; true aborts it. CPU backend only.
  void set_abort(std::function<bool()> should_abort) { should_abort_ = std::move(should_abort); }

  // Forgets the tokens of `sequence` from position `from` on. False when the memory cannot forget a part (recurrent
  // models): the whole sequence is forgotten then.
  bool truncate(int32_t sequence, int32_t from);

  // Gives `to` the first `length` tokens of `from`; `to` must be empty. Cells are shared, nothing is copied.
  void share_prefix(int32_t from, int32_t to, int32_t length);
  [[nodiscard]] bool can_share() const { return can_share_; }

 private:
  LlamaContext() = default;

  int threads_ = 1;
  bool can_share_ = false;
  std::function<bool()> should_abort_;
  ThreadPoolPtr pool_;  // outlives the context, which computes with it
  ContextPtr context_;
};
static_assert(!std::is_copy_constructible_v<LlamaContext>);

}  // namespace lh
