// Reads the file of a control vector: the values to add to the output of each layer.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "gguf/file.h"

namespace lh {

struct ControlVector {
  int32_t directions = 0;     // layers that it steers
  std::vector<float> values;  // `width` values for each layer except the first; zeros for layers that it does not steer
};

// The model that the vector is for.
struct SteeredModel {
  const std::string& architecture;
  int32_t layers;
  int32_t width;  // of a layer's output
};

[[nodiscard]] bool is_control_vector(const GgufFile& file);

// Errors: MODEL_FILE_INVALID, ADAPTER_INCOMPATIBLE (made for another model); the message has the file and the mistake.
[[nodiscard]] Result<ControlVector> read_control_vector(const GgufFile& file, const SteeredModel& model);

}  // namespace lh
