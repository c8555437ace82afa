// The adapters (LoRA, control vectors) of one loaded model by name, and the sets of them that batches are computed
// with. Another model on the same weights has other adapters. Must not: outlive the weights, or be destroyed before the
// contexts that use it.
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

// One adapter, which lives as long as it has a holder.
class LlamaAdapter {
 public:
  LlamaAdapter(LlamaAdapters& of, AdapterInfo what, uint64_t which, AdapterPtr lora, std::vector<float> steering);
  ~LlamaAdapter();
  LlamaAdapter(const LlamaAdapter&) = delete;
  LlamaAdapter& operator=(const LlamaAdapter&) = delete;

  [[nodiscard]] llama_adapter_lora* lora() const { return lora_.get(); }  // null: it is a control vector
  // The values for llama.cpp; empty: a LoRA.
  [[nodiscard]] const std::vector<float>& steering() const { return steering_; }

  const AdapterInfo info;
  const uint64_t number;             // unique among all adapters of the model, past and future
  std::atomic<bool> unloads{false};  // an unload waits until it has no holder

 private:
  LlamaAdapters& of_;
  AdapterPtr lora_;
  const std::vector<float> steering_;
};
static_assert(!std::is_copy_constructible_v<LlamaAdapter>);

// Adapters in the order of their numbers with their strengths, acting from the first token on. Immutable, never empty.
struct AdapterSet {
  std::vector<std::shared_ptr<LlamaAdapter>> adapters;
  std::vector<float> scales;
  std::vector<float> steering;  // sum of all control vectors; empty: none
  AdapterKey key;
};
using AdapterSetPtr = std::shared_ptr<const AdapterSet>;  // null: none

[[nodiscard]] inline bool same_adapters(const AdapterSetPtr& a, const AdapterSetPtr& b) {
  return a == b || (a && b && a->key == b->key);
}

// The set that computes each token of a sequence: an aLoRA acts from the last occurrence of its invocation tokens in
// the prompt on, and not at all without one.
struct AdapterStages {
  struct Stage {
    int32_t from;
    AdapterSetPtr set;
  };
  std::vector<Stage> stages;  // by increasing `from`; before the first, no adapters
  AdapterKey key;             // identifies the memory of the whole sequence

  // The set that computes the token with this index.
  [[nodiscard]] const AdapterSetPtr& at(int32_t token) const;
};

class LlamaAdapters {
 public:
  // The adapters of a model with that architecture and those tensor shapes.
  LlamaAdapters(LlamaWeights& weights, std::string architecture, TensorShapes tensors)
      : weights_(weights), architecture_(std::move(architecture)), tensors_(std::move(tensors)) {}
  LlamaAdapters(const LlamaAdapters&) = delete;
  LlamaAdapters& operator=(const LlamaAdapters&) = delete;

  // Any thread. Errors of need() and load(): as Generator::load_adapter().
  [[nodiscard]] Result<MemoryUse> need(const std::string& path) const;
  [[nodiscard]] Result<Publish> load(const std::string& id, const std::string& path, double scale);
  // Removes the adapter, and returns when it has no holder. `wake` makes contexts release it if they hold it
  // needlessly. Errors: kNotFound.
  [[nodiscard]] Status unload(const std::string& id, const std::function<void()>& wake);
  // Errors: kNotFound.
  [[nodiscard]] Result<AdapterInfo> find(const std::string& id) const;
  [[nodiscard]] std::vector<AdapterInfo> list() const;
  // Memory of published adapters that unload() has not removed.
  [[nodiscard]] MemoryUse memory() const;
  // The stages for a sequence that begins with `prompt`; adapters of strength 0 are omitted. Errors: kNotFound,
  // kInvalidArgument.
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
  std::map<std::string, std::shared_ptr<LlamaAdapter>> by_id_
      LH_GUARDED_BY(mutex_);  // last, because its destructor needs the others
};
static_assert(!std::is_copy_constructible_v<LlamaAdapters>);

}  // namespace lh
