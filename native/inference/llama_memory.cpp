#include "inference/llama_memory.h"

#include <algorithm>
#include <utility>

#include "inference/llama_chat.h"
#include "inference/llama_context.h"
#include "inference/llama_description.h"
#include "inference/llama_draft_model.h"
#include "inference/llama_embedder.h"
#include "inference/llama_generator.h"
#include "inference/llama_model_file.h"
#include "inference/llama_placement.h"
#include "inference/measured_load.h"
#include "llama-ext.h"
#include "llama-model.h"

namespace lh {
namespace {

constexpr int32_t kLeastContext = 256;

// The models, without their weights.
class LlamaMeasuredLoad final : public MeasuredLoad {
 public:
  LlamaMeasuredLoad(LoadParams params, const ModelFiles& files, ModelPtr model, ModelPtr draft)
      : params_(std::move(params)),
        file_(files.model),
        key_(weights_key(files.model, params_)),
        draft_key_(files.draft ? weights_key(*files.draft, params_) : ""),
        model_(std::move(model)),
        draft_(std::move(draft)) {}

  Result<Holding> with_context(int32_t context_size) override {
    auto use = measure(model_.get(), params_, context_size, key_);
    if (!use.ok() || !draft_) return use;
    auto draft = measure(draft_.get(), draft_params(params_), context_size, draft_key_);
    if (!draft.ok()) return draft.status();
    add_draft(*use, *std::move(draft));
    return use;
  }

  Result<Json> describe(int32_t context_size) override {
    llama_model* const model = model_.get();
    const auto chat = LlamaChat::create(model, params_.chat_template);
    if (!chat.ok()) return chat.status();
    // Whether there can be one that writes does not hang on its size.
    const auto context = LlamaContext::create(model, params_, std::min(context_size, kLeastContext));
    if (!context.ok() && !only_embeds(model, params_, context.status())) return context.status();
    Json embedding = describe_embedding(model, file_, params_);
    if (!context.ok()) context_size = embedding["max_tokens"].get<int32_t>();
    return describe_model(model, **chat, {context_size, params_.parallel, threads_for(model, params_), context.ok()},
                          std::move(embedding));
  }

 private:
  static Result<Holding> measure(llama_model* model, const LoadParams& params, int32_t context_size,
                                 const std::string& key) {
    auto context = LlamaContext::create(model, params, context_size);
    if (!context.ok() && only_embeds(model, params, context.status())) {
      const auto embeds = EmbeddingContext::create(model, params, own_pooling(model));
      if (!embeds.ok()) return embeds.status();
      return (*embeds)->memory_with_model(key);
    }
    if (!context.ok()) return context.status();
    return memory_of((*context)->get(), key, params.mmap);
  }

  const LoadParams params_;
  const GgufSummary file_;
  const std::string key_;
  const std::string draft_key_;
  const ModelPtr model_;
  const ModelPtr draft_;
};

// Bytes of the model's tensors that are in buffers of this type. Such a buffer of mapped pages spans all that lies in
// the file between its first tensor and its last, what is on a GPU or was repacked too.
uint64_t tensors_in(const llama_context* context, ggml_backend_buffer_type_t type) {
  uint64_t sum = 0;
  for (const auto& [name, tensor] : llama_internal_get_tensor_map(llama_get_model(context))) {
    if (tensor->buffer != nullptr && ggml_backend_buffer_get_type(tensor->buffer) == type) sum += ggml_nbytes(tensor);
  }
  return sum;
}

}  // namespace

std::string device_of(ggml_backend_buffer_type_t type) {
  // Memory of the host that a GPU has pinned for itself is of the GPU's types, and the host's all the same.
  ggml_backend_dev_t device = ggml_backend_buft_is_host(type) ? nullptr : ggml_backend_buft_get_device(type);
  const bool is_main = device == nullptr || ggml_backend_dev_type(device) == GGML_BACKEND_DEVICE_TYPE_CPU;
  return is_main ? kMainMemory : ggml_backend_dev_name(device);
}

Holding memory_of(const llama_context* context, std::string weights_key, bool mmap) {
  Holding use{{}, {{std::move(weights_key), {}}}};
  for (const auto& [type, bytes] : llama_get_memory_breakdown(context)) {
    const std::string name = device_of(type);
    // Weights that were repacked for the CPU's instructions are of another type, and no pages of the file.
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

void add_holding(Holding& sum, const Holding& one) {
  add_use(sum.own, one.own);
  for (const SharedUse& weights : one.weights) {
    if (std::ranges::find(sum.weights, weights.key, &SharedUse::key) == sum.weights.end()) {
      sum.weights.push_back(weights);
    }
  }
}

void add_draft(Holding& sum, Holding draft) {
  for (SharedUse& weights : draft.weights) {
    for (DeviceUse& one : weights.memory) one.layers = 0;
  }
  add_holding(sum, draft);
}

Result<std::unique_ptr<MeasuredLoad>> MeasuredLoad::open(const std::string& path, const ModelFiles& files,
                                                         const LoadParams& params) {
  const auto go_on = [](float) { return true; };
  auto model = open_model(path, params, Weights::kMeasured, go_on);
  if (!model.ok()) return model.status();
  ModelPtr draft;
  if (files.draft) {
    auto small = open_model(params.draft_model, draft_params(params), Weights::kMeasured, go_on);
    if (!small.ok()) return small.status();
    draft = *std::move(small);
  }
  return std::unique_ptr<MeasuredLoad>(new LlamaMeasuredLoad(params, files, *std::move(model), std::move(draft)));
}

Result<MemoryUse> foresee_embedding_memory(const std::string& path, const LoadParams& params, PoolingType pooling) {
  auto model = open_model(path, params, Weights::kMeasured, [](float) { return true; });
  if (!model.ok()) return model.status();
  const auto context = EmbeddingContext::create(model->get(), params, pooling);
  if (!context.ok()) return context.status();
  return (*context)->memory();
}

}  // namespace lh
