// A llama.cpp context with its thread pool, and the memory operations the scheduler needs.
// Must not: be used by two threads at once; the decode thread owns it.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "llama/base/handles.h"
#include "llama/decode/adapters.h"
#include "llama/decode/cached_state.h"
#include "model/generator.h"

namespace lh {

// Threads that a context on the model computes with.
[[nodiscard]] int threads_for(const llama_model* model, const LoadParams& params);

// Logits that a context reserves memory for: those of one step.
[[nodiscard]] int32_t most_outputs(const LoadParams& params);

// `what` names the context where it cannot be made, `size` what it is to hold. Errors: kInsufficientMemory,
// kModelLoadFailed, with llama.cpp's reason.
[[nodiscard]] Result<ContextPtr> init_context(llama_model* model, const llama_context_params& settings,
                                              const std::string& what, const std::string& size);

class LlamaContext {
 public:
  // With `beside`, it computes on that one's threads: the two are used in turn, by one thread, and that one goes last.
  static Result<std::unique_ptr<LlamaContext>> create(LlamaWeights& weights, const LoadParams& params,
                                                      int32_t context_size, const LlamaContext* beside = nullptr);
  // On a model that nobody else has.
  static Result<std::unique_ptr<LlamaContext>> create(llama_model* model, const LoadParams& params,
                                                      int32_t context_size, const LlamaContext* beside = nullptr);

  LlamaContext(const LlamaContext&) = delete;
  LlamaContext& operator=(const LlamaContext&) = delete;

  [[nodiscard]] llama_context* get() const { return context_.get(); }
  [[nodiscard]] int threads() const { return threads_; }

  // With what decode() computes from now on; null: no adapters. `list`: LlamaAdapters::list_mutex() of the model.
  void set_adapters(AdapterSetPtr adapters, Mutex& list);
  [[nodiscard]] const AdapterSetPtr& adapters() const { return adapters_; }
  // Waits until it is done. Gives what llama_decode gives, and throws what that throws.
  [[nodiscard]] int32_t decode(const llama_batch& batch);

  // Asked by compute threads while a decode runs; true aborts it. CPU backend only.
  void set_abort(std::function<bool()> should_abort) { should_abort_ = std::move(should_abort); }

  // To what lengths sequences can be cut back.
  [[nodiscard]] const CutRule& cut_rule() const { return cut_rule_; }
  // True where a sequence's memory is a state, without cells of its own for each token (hybrid models too).
  [[nodiscard]] bool recurrent() const { return !cut_rule_.anywhere && cut_rule_.window == 0; }
  // Forgets the tokens of `sequence` from position `from` on; what cut_rule() forbids is the caller's to know.
  void cut(int32_t sequence, int32_t from);
  // The lowest position that all layers hold; -1: the sequence is empty.
  [[nodiscard]] int32_t first_position(int32_t sequence) const;

  // True: all sequences share the cells of one cache, and a shared prefix is there once. False: each has its own.
  [[nodiscard]] bool unified() const { return unified_; }
  // In a unified cache: gives `to` the first `length` tokens of `from`; `to` must be empty. Nothing is copied.
  void share_prefix(int32_t from, int32_t to, int32_t length);

  // All of a sequence's memory, or what of it cannot be cut back (a Checkpoint's). Empty where there is no memory for
  // it.
  enum class Part { kAll, kUncuttable };
  [[nodiscard]] StateBytes save(int32_t sequence, Part part) const;
  // Puts it into a sequence in place of what that held. False: llama.cpp had no room for it; then the sequence is
  // empty.
  [[nodiscard]] bool restore(int32_t sequence, const StateBytes& state, Part part);

 private:
  LlamaContext() = default;
  int32_t compute(const llama_batch& batch);
  void steer(std::span<const float> steering);

  int threads_ = 1;
  bool unified_ = false;
  CutRule cut_rule_;
  std::function<bool()> should_abort_;
  Mutex* reads_list_ = nullptr;  // what guards the list that the next decode reads; null: it reads none
  AdapterSetPtr adapters_;
  enum class Steering { kNone, kSteers, kFailed };
  Steering steering_ = Steering::kNone;    // by control vectors
  std::shared_ptr<ggml_threadpool> pool_;  // both outlive the context, which computes with them
  ContextPtr context_;
};
static_assert(!std::is_copy_constructible_v<LlamaContext>);

}  // namespace lh
