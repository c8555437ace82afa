// The adapters (LoRA, control vectors) of one loaded model, by name, and sets of them for batches to be computed with.
// Another that computes with the same weights has its own. Must not: outlive the weights, or go before the contexts
// that compute with them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "base/threads/mutex.h"
#include "gguf/attention.h"
#include "llama/base/handles.h"
#include "llama/base/weights.h"
#include "llama/decode/cached_state.h"
#include "model/generator.h"
#include "model/memory_use.h"

namespace lh {

class LlamaAdapters;

// One of them, for as long as somebody holds it.
class LlamaAdapter {
 public:
  LlamaAdapter(LlamaAdapters& of, AdapterInfo what, uint64_t which, AdapterPtr lora, std::vector<float> steering);
  ~LlamaAdapter();
  LlamaAdapter(const LlamaAdapter&) = delete;
  LlamaAdapter& operator=(const LlamaAdapter&) = delete;

  [[nodiscard]] llama_adapter_lora* lora() const { return lora_.get(); }  // null: it is a control vector
  // As llama.cpp takes it; empty: it is a LoRA.
  [[nodiscard]] const std::vector<float>& steering() const { return steering_; }

  const AdapterInfo info;
  const uint64_t number;             // of no other adapter of the model, before or after
  std::atomic<bool> unloads{false};  // somebody waits until nobody holds it

 private:
  LlamaAdapters& of_;
  AdapterPtr lora_;
  const std::vector<float> steering_;
};
static_assert(!std::is_copy_constructible_v<LlamaAdapter>);

// Adapters in the order of their numbers, each with what it acts with, all from the first token on. Immutable, never
// empty.
struct AdapterSet {
  std::vector<std::shared_ptr<LlamaAdapter>> adapters;
  std::vector<float> scales;
  std::vector<float> steering;  // of all control vectors together; empty: there are none
  AdapterKey key;
};
using AdapterSetPtr = std::shared_ptr<const AdapterSet>;  // null: none

[[nodiscard]] inline bool same_adapters(const AdapterSetPtr& a, const AdapterSetPtr& b) {
  return a == b || (a && b && a->key == b->key);
}

// Which set computes which tokens of a sequence: an aLoRA acts from the last place on where the prompt has its
// invocation tokens, and not at all where it has none.
struct AdapterStages {
  struct Stage {
    int32_t from;
    AdapterSetPtr set;
  };
  std::vector<Stage> stages;  // by increasing `from`; before the first, no adapters
  AdapterKey key;             // of the memory of the whole

  // What computes the token with this index.
  [[nodiscard]] const AdapterSetPtr& at(int32_t token) const;
};

class LlamaAdapters {
 public:
  // For a model of that architecture, with tensors of those shapes.
  LlamaAdapters(LlamaWeights& weights, std::string architecture, TensorShapes tensors)
      : weights_(weights), architecture_(std::move(architecture)), tensors_(std::move(tensors)) {}
  LlamaAdapters(const LlamaAdapters&) = delete;
  LlamaAdapters& operator=(const LlamaAdapters&) = delete;

  // Any thread. Errors of need() and load(): as Generator::load_adapter().
  [[nodiscard]] Result<MemoryUse> need(const std::string& path) const;
  [[nodiscard]] Result<Publish> load(const std::string& id, const std::string& path, double scale);
  // Nobody gets it any more; returns when nobody has it. `wake` has contexts look whether they hold it without need.
  // Errors: kNotFound.
  [[nodiscard]] Status unload(const std::string& id, const std::function<void()>& wake);
  // Errors: kNotFound.
  [[nodiscard]] Result<AdapterInfo> find(const std::string& id) const;
  [[nodiscard]] std::vector<AdapterInfo> list() const;
  // Of those that were published, and that unload() has not taken away.
  [[nodiscard]] MemoryUse memory() const;
  // For a sequence that begins with `prompt`. Without those of strength 0. Errors: kNotFound, kInvalidArgument.
  [[nodiscard]] Result<AdapterStages> stages_of(const std::vector<AdapterChoice>& choices,
                                                const std::vector<int32_t>& prompt) const;

  [[nodiscard]] Mutex& list_mutex() { return weights_.adapter_list; }

 private:
  friend class LlamaAdapter;
  struct Looked;
  [[nodiscard]] Result<Looked> look_at(const std::string& path) const;
  [[nodiscard]] Result<AdapterPtr> load_lora(const std::string& path);
  void gone(uint64_t number);

  LlamaWeights& weights_;
  const std::string architecture_;
  const TensorShapes tensors_;
  mutable Mutex mutex_;
  std::condition_variable gone_;
  uint64_t last_number_ LH_GUARDED_BY(mutex_) = 0;
  std::set<uint64_t> held_ LH_GUARDED_BY(mutex_);  // numbers of all that are still in memory
  std::map<std::string, std::shared_ptr<LlamaAdapter>> by_id_ LH_GUARDED_BY(mutex_);  // last: its end needs the others
};
static_assert(!std::is_copy_constructible_v<LlamaAdapters>);

}  // namespace lh
