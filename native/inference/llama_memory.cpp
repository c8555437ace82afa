#include "inference/llama_memory.h"

#include <algorithm>
#include <utility>

#include "inference/llama_context.h"
#include "inference/llama_draft_model.h"
#include "inference/llama_embedder.h"
#include "inference/llama_generator.h"
#include "inference/llama_model_file.h"
#include "llama-ext.h"

namespace lh {
namespace {

Result<Holding> foresee_one(const std::string& path, const GgufSummary& file, const LoadParams& params,
                            int32_t context_size) {
  auto model = open_model(path, params, Weights::kMeasured, [](float) { return true; });
  if (!model.ok()) return model.status();
  auto context = LlamaContext::create(model->get(), params, context_size);
  if (!context.ok() && only_embeds(model->get(), params, context.status())) {
    const auto embeds = EmbeddingContext::create(model->get(), params, own_pooling(model->get()));
    if (!embeds.ok()) return embeds.status();
    return (*embeds)->memory_with_model(weights_key(file, params));
  }
  if (!context.ok()) return context.status();
  return memory_of((*context)->get(), weights_key(file, params), params.mmap);
}

}  // namespace

Holding memory_of(const llama_context* context, std::string weights_key, bool mmap) {
  ggml_backend_dev_t cpu = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
  Holding use{{}, {{std::move(weights_key), {}}}};
  for (const auto& [type, bytes] : llama_get_memory_breakdown(context)) {
    // Memory of the host that a GPU has pinned for itself is of the GPU's types, and the host's all the same.
    ggml_backend_dev_t device = ggml_backend_buft_is_host(type) ? cpu : ggml_backend_buft_get_device(type);
    if (device == nullptr) device = cpu;
    const bool is_main = device == cpu || ggml_backend_dev_type(device) == GGML_BACKEND_DEVICE_TYPE_CPU;
    const std::string name = is_main ? kMainMemory : ggml_backend_dev_name(device);
    // Weights that were repacked for the CPU's instructions are of another type, and no pages of the file.
    const uint64_t mapped = mmap && ggml_backend_buft_is_host(type) ? bytes.model : 0;
    add_use(use.weights.front().memory, {name, bytes.model, 0, 0, mapped});
    add_use(use.own, {name, 0, bytes.context, bytes.compute, 0});
  }
  return use;
}

void add_holding(Holding& sum, const Holding& one) {
  add_use(sum.own, one.own);
  for (const SharedUse& weights : one.weights) {
    if (std::ranges::find(sum.weights, weights.key, &SharedUse::key) == sum.weights.end()) {
      sum.weights.push_back(weights);
    }
  }
}

Result<Holding> foresee_memory(const std::string& path, const ModelFiles& files, const LoadParams& params) {
  auto use = foresee_one(path, files.model, params, params.context_size);
  if (!use.ok() || !files.draft) return use;
  const auto draft = foresee_one(params.draft_model, *files.draft, draft_params(params), params.context_size);
  if (!draft.ok()) return draft.status();
  add_holding(*use, *draft);
  return use;
}

Result<MemoryUse> foresee_embedding_memory(const std::string& path, const LoadParams& params, PoolingType pooling) {
  auto model = open_model(path, params, Weights::kMeasured, [](float) { return true; });
  if (!model.ok()) return model.status();
  const auto context = EmbeddingContext::create(model->get(), params, pooling);
  if (!context.ok()) return context.status();
  return (*context)->memory();
}

}  // namespace lh
