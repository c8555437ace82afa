// Owning pointers for llama.cpp's and ggml's handles.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include "ggml-cpu.h"
#include "llama.h"

namespace lh {

struct ModelDeleter {
  void operator()(llama_model* model) const { llama_model_free(model); }
};
struct ContextDeleter {
  void operator()(llama_context* context) const { llama_free(context); }
};
struct AdapterDeleter {
  void operator()(llama_adapter_lora* adapter) const { llama_adapter_lora_free(adapter); }
};
struct SamplerDeleter {
  void operator()(llama_sampler* sampler) const { llama_sampler_free(sampler); }
};

using ModelPtr = std::unique_ptr<llama_model, ModelDeleter>;
using ContextPtr = std::unique_ptr<llama_context, ContextDeleter>;
using AdapterPtr = std::unique_ptr<llama_adapter_lora, AdapterDeleter>;
using SamplerPtr = std::unique_ptr<llama_sampler, SamplerDeleter>;

// The tokens of one decode. Each token belongs to one sequence.
class Batch {
 public:
  explicit Batch(int32_t capacity) : batch_(llama_batch_init(capacity, 0, 1)) {}
  ~Batch() { llama_batch_free(batch_); }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  void clear() { batch_.n_tokens = 0; }
  // Must not exceed the capacity.
  void add(int32_t token, int32_t position, int32_t sequence, bool logits) {
    const int32_t i = batch_.n_tokens++;
    batch_.token[i] = token;
    batch_.pos[i] = position;
    batch_.n_seq_id[i] = 1;
    batch_.seq_id[i][0] = sequence;
    batch_.logits[i] = logits ? 1 : 0;
  }
  [[nodiscard]] int32_t size() const { return batch_.n_tokens; }
  [[nodiscard]] const llama_batch& get() const { return batch_; }

 private:
  llama_batch batch_;
};
static_assert(!std::is_copy_constructible_v<Batch>);

// A ggml thread pool. Its functions are in the CPU backend, which is loaded at run time.
struct ThreadPoolDeleter {
  void operator()(ggml_threadpool* pool) const;
};
using ThreadPoolPtr = std::unique_ptr<ggml_threadpool, ThreadPoolDeleter>;
ThreadPoolPtr make_thread_pool(int threads);

}  // namespace lh
