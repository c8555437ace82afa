// A llama.cpp context with its thread pool, and the memory operations that the scheduler needs.
// Must not: be used by two threads at once; the decode thread owns it.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/system/mapped_files.h"
#include "llama/base/assertions.h"
#include "llama/base/handles.h"
#include "llama/decode/adapters.h"
#include "llama/decode/cached_state.h"
#include "model/generator.h"

namespace lh {

// The number of threads of a context for the model.
[[nodiscard]] int threads_for(const llama_model* model, const LoadParams& params);

// The number of logits that a context reserves memory for: those of one step.
[[nodiscard]] int32_t most_outputs(const LoadParams& params);

// `what` and `size` name the context and its size in error messages. Errors: kInsufficientMemory, kModelLoadFailed,
// with llama.cpp's reason.
[[nodiscard]] Result<ContextPtr> init_context(llama_model* model, const llama_context_params& settings,
                                              const std::string& what, const std::string& size);

class LlamaContext {
 public:
  // The context uses the threads of `beside`, if it is given: a single thread uses the two in turn, and `beside` is
  // destroyed last.
  static Result<std::unique_ptr<LlamaContext>> create(LlamaWeights& weights, const LoadParams& params,
                                                      int32_t context_size, const LlamaContext* beside = nullptr);
  // Creates a context on a model that no other code uses.
  static Result<std::unique_ptr<LlamaContext>> create(llama_model* model, const LoadParams& params,
                                                      int32_t context_size, const LlamaContext* beside = nullptr);

  LlamaContext(const LlamaContext&) = delete;
  LlamaContext& operator=(const LlamaContext&) = delete;

  [[nodiscard]] llama_context* get() const { return context_.get(); }
  [[nodiscard]] int threads() const { return threads_; }

  // Sets the adapters that decode() computes with; null: none. `list`: LlamaAdapters::list_mutex() of the model.
  void set_adapters(AdapterSetPtr adapters, Mutex& list);
  [[nodiscard]] const AdapterSetPtr& adapters() const { return adapters_; }
  // Waits for the result. Returns what llama_decode returns, and throws what it throws.
  [[nodiscard]] int32_t decode(const llama_batch& batch);

  // Called by compute threads during a decode; true aborts it. CPU backend only.
  void set_abort(std::function<bool()> should_abort) { should_abort_ = std::move(should_abort); }

  // The lengths to which sequences can be cut back.
  [[nodiscard]] const CutRule& cut_rule() const { return cut_rule_; }
  // True if a sequence's memory is a state without cells for each token (hybrid models, too).
  [[nodiscard]] bool recurrent() const { return !cut_rule_.anywhere && cut_rule_.window == 0; }
  // Removes the tokens of `sequence` from position `from` on. The caller must respect cut_rule().
  void cut(int32_t sequence, int32_t from);
  // The lowest position that all layers hold; -1: the sequence is empty.
  [[nodiscard]] int32_t first_position(int32_t sequence) const;

  // True: all sequences share the cells of one cache, which holds a common prefix once. False: each has separate cells.
  [[nodiscard]] bool unified() const { return unified_; }
  // Requires a unified cache: adds the first `length` tokens of `from` to the empty sequence `to`, without a copy.
  void share_prefix(int32_t from, int32_t to, int32_t length);

  // Saves all of a sequence's memory, or the part that cannot be cut back (for a Checkpoint). Empty if memory for the
  // copy is exhausted.
  enum class Part { kAll, kUncuttable };
  [[nodiscard]] StateBytes save(int32_t sequence, Part part) const;
  // Replaces a sequence's memory. False: llama.cpp had no room for it, and the sequence is now empty.
  [[nodiscard]] bool restore(int32_t sequence, const StateBytes& state, Part part);

 private:
  LlamaContext() = default;
  int32_t compute(const llama_batch& batch);
  void steer(std::span<const float> steering);

  int threads_ = 1;
  bool unified_ = false;
  CutRule cut_rule_;
  std::function<bool()> should_abort_;
  const MappedFiles* files_ = nullptr;  // of the weights; null: they are not checked
  Mutex* reads_list_ = nullptr;         // guards the list that the next decode reads; null: it reads none
  UntilAssertion unbroken_;
  AdapterSetPtr adapters_;
  enum class Steering { kNone, kSteers, kFailed };
  Steering steering_ = Steering::kNone;    // whether control vectors are set
  std::shared_ptr<ggml_threadpool> pool_;  // both outlive the context, which computes with them
  ContextPtr context_;
};
static_assert(!std::is_copy_constructible_v<LlamaContext>);

}  // namespace lh
