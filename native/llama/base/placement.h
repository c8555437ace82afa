// Converts a choice of devices to llama.cpp's settings, and reports where the layers are.
#pragma once

#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "llama/base/handles.h"
#include "model/parameters.h"

namespace lh {

class Placement {
 public:
  explicit Placement(const LoadParams& params);
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;

  // The settings refer to this object from then on.
  void apply(llama_model_params& settings);

 private:
  const int32_t gpu_layers_;
  const SplitMode split_mode_;
  std::vector<ggml_backend_dev_t> devices_;  // null-terminated
  std::vector<float> split_;                 // one for each that llama.cpp may ask for; empty: unset
  std::string experts_;                      // pattern of the tensors that stay in main memory; empty: none
  std::vector<llama_model_tensor_buft_override> overrides_;
};
static_assert(!std::is_copy_constructible_v<Placement>);

// The layers of an opened model.
struct LayerPlaces {
  std::map<ggml_backend_dev_t, int32_t> blocks;  // how many each device has
  int32_t on_gpu = 0;                            // counting the output as one
};
[[nodiscard]] LayerPlaces layer_places(const llama_model* model);

}  // namespace lh
