// Checks the file of a LoRA adapter before llama.cpp loads it: mistakes that would make llama.cpp abort the process, or
// read beyond a tensor, become a Status. Must not: read tensor data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "gguf/attention.h"
#include "gguf/file.h"

namespace lh {

struct LoraSummary {
  int32_t rank = 0;                        // maximum over its pairs
  int32_t tensors = 0;                     // number of changed tensors
  std::vector<int32_t> invocation_tokens;  // for an aLoRA; otherwise empty
};

// Checks the adapter for a model with that architecture, those tensor shapes and that vocabulary size. Errors:
// MODEL_FILE_INVALID (not a LoRA adapter, or damaged), ADAPTER_INCOMPATIBLE (made for another model); the message has
// the file and the mistake.
[[nodiscard]] Result<LoraSummary> check_lora(const GgufFile& file, const std::string& architecture,
                                             const TensorShapes& model, int32_t vocabulary);

}  // namespace lh
