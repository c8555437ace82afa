#include "inference/llama_context.h"

#include <algorithm>
#include <exception>
#include <thread>

#include "inference/llama_runtime.h"

namespace lh {
namespace {

ggml_type kv_type(const std::string& name) {
  if (name == "q8_0") return GGML_TYPE_Q8_0;
  if (name == "f32") return GGML_TYPE_F32;
  return GGML_TYPE_F16;
}

llama_context_params context_params(const LoadParams& load, int32_t context_size, int threads) {
  llama_context_params params = llama_context_default_params();
  params.n_ctx = static_cast<uint32_t>(context_size) * static_cast<uint32_t>(load.parallel);
  params.n_seq_max = static_cast<uint32_t>(load.parallel);
  params.n_batch = static_cast<uint32_t>(std::max(load.batch_size, load.parallel));
  params.n_ubatch = params.n_batch;
  params.n_threads = threads;
  params.n_threads_batch = threads;
  params.kv_unified = true;  // sequences share cells of a common prefix
  params.swa_full = true;    // a sliding window that forgets cannot be truncated to a prefix
  params.type_k = kv_type(load.kv_type);
  params.type_v = kv_type(load.kv_type);
  params.no_perf = true;
  return params;
}

}  // namespace

Result<std::unique_ptr<LlamaContext>> LlamaContext::create(llama_model* model, const LoadParams& params,
                                                           int32_t context_size) {
  std::unique_ptr<LlamaContext> made(new LlamaContext);
  const auto cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  made->threads_ = params.threads > 0 ? params.threads : cores;
  llama_context_params settings = context_params(params, context_size, made->threads_);
  settings.abort_callback = [](void* self) {
    const auto* context = static_cast<LlamaContext*>(self);
    return context->should_abort_ && context->should_abort_();
  };
  settings.abort_callback_data = made.get();
  LogCapture capture;
  try {
    made->context_.reset(llama_init_from_model(model, settings));
  } catch (const std::exception& error) {
    return Status(Code::kModelLoadFailed, std::string("the context could not be made: ") + error.what());
  }
  if (!made->context_) {
    return Status(Code::kInsufficientMemory, "a context of " + std::to_string(context_size) + " tokens for " +
                                                 std::to_string(params.parallel) +
                                                 " sequences could not be made: " + capture.text());
  }
  // Without a pool ggml starts threads anew for every graph.
  made->pool_ = make_thread_pool(made->threads_);
  if (made->pool_) llama_attach_threadpool(made->context_.get(), made->pool_.get(), made->pool_.get());
  made->can_share_ = !llama_model_is_recurrent(model) && !llama_model_is_hybrid(model);
  return made;
}

bool LlamaContext::truncate(int32_t sequence, int32_t from) {
  llama_memory_t memory = llama_get_memory(context_.get());
  if (llama_memory_seq_rm(memory, sequence, from, -1)) return true;
  llama_memory_seq_rm(memory, sequence, -1, -1);
  return false;
}

void LlamaContext::share_prefix(int32_t from, int32_t to, int32_t length) {
  llama_memory_seq_cp(llama_get_memory(context_.get()), from, to, 0, length);
}

}  // namespace lh
