// Reads a control vector's file: what is added to the output of each layer. Must not: include a llama.cpp header.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "gguf/file.h"

namespace lh {

struct ControlVector {
  int32_t directions = 0;     // layers that it steers
  std::vector<float> values;  // `width` of them for each layer but the first; zeros where none is steered
};

// What the model is like that it is for.
struct SteeredModel {
  const std::string& architecture;
  int32_t layers;
  int32_t width;  // of what a layer gives
};

[[nodiscard]] bool is_control_vector(const GgufFile& file);

// Fails with MODEL_FILE_INVALID or ADAPTER_INCOMPATIBLE (one of another model); the message names the file and what is
// wrong in it.
[[nodiscard]] Result<ControlVector> read_control_vector(const GgufFile& file, const SteeredModel& model);

}  // namespace lh
