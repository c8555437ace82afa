#include "llama/base/placement.h"

#include <algorithm>

#include "llama/base/device_choice.h"
// The device of a layer is not in llama.h.
#include "llama-model.h"

namespace lh {
namespace {

// The tensors of a mixture's experts, by the pattern of llama.cpp's programs (common.h).
constexpr const char* kExperts = "\\.ffn_(up|down|gate|gate_up)_(ch|)exps";
constexpr int32_t kMostLayers = 512;  // that llama.cpp loads

std::string experts_of(int32_t layers) {
  if (layers == 0) return {};
  if (layers < 0 || layers >= kMostLayers) return kExperts;
  std::string numbers;
  for (int32_t i = 0; i < layers; ++i) numbers += (i == 0 ? "" : "|") + std::to_string(i);
  return "blk\\.(" + numbers + ")" + kExperts;
}

bool is_gpu(ggml_backend_dev_t device) {
  const auto type = device == nullptr ? GGML_BACKEND_DEVICE_TYPE_CPU : ggml_backend_dev_type(device);
  return type == GGML_BACKEND_DEVICE_TYPE_GPU || type == GGML_BACKEND_DEVICE_TYPE_IGPU;
}

}  // namespace

Placement::Placement(const LoadParams& params)
    : gpu_layers_(std::ranges::any_of(lh::devices(), &Device::is_gpu) ? params.gpu_layers : 0),
      split_mode_(params.split_mode),
      experts_(experts_of(params.cpu_moe)) {
  for (const Device& one : gpus_of(params)) devices_.push_back(ggml_backend_dev_by_name(one.name.c_str()));
  devices_.push_back(nullptr);
  if (params.tensor_split) {
    split_.assign(params.tensor_split->begin(), params.tensor_split->end());
    split_.resize(llama_max_devices());
  }
  if (!experts_.empty()) overrides_ = {{experts_.c_str(), ggml_backend_cpu_buffer_type()}, {nullptr, nullptr}};
}

void Placement::apply(llama_model_params& settings) {
  constexpr llama_split_mode kModes[] = {LLAMA_SPLIT_MODE_LAYER, LLAMA_SPLIT_MODE_ROW, LLAMA_SPLIT_MODE_NONE};
  settings.n_gpu_layers = gpu_layers_;
  settings.devices = devices_.data();  // otherwise every GPU would get a context and buffers
  settings.split_mode = kModes[static_cast<size_t>(split_mode_)];
  settings.main_gpu = devices_.size() > 1 ? 0 : -1;
  if (!split_.empty()) settings.tensor_split = split_.data();
  if (!overrides_.empty()) settings.tensor_buft_overrides = overrides_.data();
}

LayerPlaces layer_places(const llama_model* model) {
  LayerPlaces places;
  for (int32_t i = 0; i < llama_model_n_layer(model); ++i) {
    ggml_backend_dev_t device = model->dev_layer(i);
    ++places.blocks[device];
    if (is_gpu(device)) ++places.on_gpu;
  }
  if (is_gpu(model->dev_output())) ++places.on_gpu;
  return places;
}

}  // namespace lh
