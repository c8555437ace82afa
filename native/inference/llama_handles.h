// Owning pointers for llama.cpp's and ggml's handles.
#pragma once

#include <memory>

#include "ggml-cpu.h"
#include "llama.h"

namespace lh {

struct ModelDeleter {
  void operator()(llama_model* model) const { llama_model_free(model); }
};
struct ContextDeleter {
  void operator()(llama_context* context) const { llama_free(context); }
};
struct SamplerDeleter {
  void operator()(llama_sampler* sampler) const { llama_sampler_free(sampler); }
};

using ModelPtr = std::unique_ptr<llama_model, ModelDeleter>;
using ContextPtr = std::unique_ptr<llama_context, ContextDeleter>;
using SamplerPtr = std::unique_ptr<llama_sampler, SamplerDeleter>;

// A ggml thread pool. The functions live in the CPU backend, which is loaded at run time.
struct ThreadPoolDeleter {
  void operator()(ggml_threadpool* pool) const;
};
using ThreadPoolPtr = std::unique_ptr<ggml_threadpool, ThreadPoolDeleter>;
ThreadPoolPtr make_thread_pool(int threads);

}  // namespace lh
