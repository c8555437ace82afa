#include "inference/llama_memory.h"

#include "inference/llama_context.h"
#include "inference/llama_draft_model.h"
#include "inference/llama_generator.h"
#include "inference/llama_model_file.h"
#include "llama-ext.h"

namespace lh {
namespace {

Result<MemoryUse> foresee_one(const std::string& path, const LoadParams& params, int32_t context_size) {
  auto model = open_model(path, params, Weights::kMeasured, [](float) { return true; });
  if (!model.ok()) return model.status();
  auto context = LlamaContext::create(model->get(), params, context_size);
  if (!context.ok()) return context.status();
  return memory_of((*context)->get(), params.mmap);
}

}  // namespace

MemoryUse memory_of(const llama_context* context, bool mmap) {
  ggml_backend_dev_t cpu = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
  MemoryUse use;
  for (const auto& [type, bytes] : llama_get_memory_breakdown(context)) {
    // Memory of the host that a GPU has pinned for itself is of the GPU's types, and the host's all the same.
    ggml_backend_dev_t device = ggml_backend_buft_is_host(type) ? cpu : ggml_backend_buft_get_device(type);
    if (device == nullptr) device = cpu;
    const bool is_main = device == cpu || ggml_backend_dev_type(device) == GGML_BACKEND_DEVICE_TYPE_CPU;
    DeviceUse one;
    one.device = is_main ? kMainMemory : ggml_backend_dev_name(device);
    one.model = bytes.model;
    one.context = bytes.context;
    one.compute = bytes.compute;
    // Weights that were repacked for the CPU's instructions are of another type, and no pages of the file.
    if (mmap && ggml_backend_buft_is_host(type)) one.mapped = bytes.model;
    add_use(use, one);
  }
  return use;
}

Result<MemoryUse> foresee_memory(const std::string& path, const LoadParams& params, int32_t context_size) {
  auto use = foresee_one(path, params, context_size);
  if (!use.ok() || params.draft_model.empty()) return use;
  const auto draft = foresee_one(params.draft_model, draft_params(params), context_size);
  if (!draft.ok()) return draft.status();
  add_use(*use, *draft);
  return use;
}

}  // namespace lh
