#include "llama/base/memory.h"

#include <algorithm>
#include <utility>

#include "llama-ext.h"
#include "llama-model.h"
#include "llama/base/placement.h"

namespace lh {
namespace {

// Bytes of the model's tensors in buffers of this type. A buffer of mapped pages spans everything in the file between
// its first and its last tensor, including tensors on a GPU or repacked ones.
uint64_t tensors_in(const llama_context* context, ggml_backend_buffer_type_t type) {
  uint64_t sum = 0;
  for (const auto& [name, tensor] : llama_internal_get_tensor_map(llama_get_model(context))) {
    if (tensor->buffer != nullptr && ggml_backend_buffer_get_type(tensor->buffer) == type) sum += ggml_nbytes(tensor);
  }
  return sum;
}

}  // namespace

std::string device_of(ggml_backend_buffer_type_t type) {
  // Host memory that a GPU has pinned has a buffer type of the GPU, but is host memory.
  ggml_backend_dev_t device = ggml_backend_buft_is_host(type) ? nullptr : ggml_backend_buft_get_device(type);
  const bool is_main = device == nullptr || ggml_backend_dev_type(device) == GGML_BACKEND_DEVICE_TYPE_CPU;
  return is_main ? kMainMemory : ggml_backend_dev_name(device);
}

MemoryFootprint memory_of(const llama_context* context, std::string weights_key, bool mmap) {
  MemoryFootprint use{{}, {{std::move(weights_key), {}}}};
  for (const auto& [type, bytes] : llama_get_memory_breakdown(context)) {
    const std::string name = device_of(type);
    // Weights that were repacked for the CPU's instructions have another type, and are not pages of the file.
    const bool mapped = mmap && ggml_backend_buft_is_host(type);
    const uint64_t weights = mapped ? std::min<uint64_t>(bytes.model, tensors_in(context, type)) : bytes.model;
    add_use(use.weights.front().memory, {name, weights, 0, 0, mapped ? weights : 0});
    add_use(use.own, {name, 0, bytes.context, bytes.compute, 0});
  }
  for (const auto& [device, blocks] : layer_places(llama_get_model(context)).blocks) {
    const bool is_main = device == nullptr || ggml_backend_dev_type(device) == GGML_BACKEND_DEVICE_TYPE_CPU;
    add_use(use.weights.front().memory, {is_main ? kMainMemory : ggml_backend_dev_name(device), 0, 0, 0, 0, blocks});
  }
  return use;
}

void add_footprint(MemoryFootprint& sum, const MemoryFootprint& one) {
  add_use(sum.own, one.own);
  for (const SharedUse& weights : one.weights) {
    if (std::ranges::find(sum.weights, weights.key, &SharedUse::key) == sum.weights.end()) {
      sum.weights.push_back(weights);
    }
  }
}

void add_draft(MemoryFootprint& sum, MemoryFootprint draft) {
  for (SharedUse& weights : draft.weights) {
    for (DeviceUse& one : weights.memory) one.layers = 0;
  }
  add_footprint(sum, draft);
}

}  // namespace lh
