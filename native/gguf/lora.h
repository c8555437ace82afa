// Looks at a LoRA adapter's file before llama.cpp does: what would make llama.cpp abort the process, or read beyond a
// tensor, becomes a Status here. Must not: read tensor data, or include a llama.cpp header.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "gguf/attention.h"
#include "gguf/file.h"

namespace lh {

struct LoraSummary {
  int32_t rank = 0;                        // the largest of its pairs
  int32_t tensors = 0;                     // of the model that it changes
  std::vector<int32_t> invocation_tokens;  // of an aLoRA; otherwise empty
};

// For a model of that architecture with tensors of those shapes and so many tokens. Fails with MODEL_FILE_INVALID
// (no LoRA adapter, or a broken one) or ADAPTER_INCOMPATIBLE (one of another model); the message names the file and
// what is wrong in it.
[[nodiscard]] Result<LoraSummary> check_lora(const GgufFile& file, const std::string& architecture,
                                             const TensorShapes& model, int32_t vocabulary);

}  // namespace lh
