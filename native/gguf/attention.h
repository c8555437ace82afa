// Compares the attention heads that a GGUF file announces with its tensors, where llama.cpp asserts that they agree.
// Architectures outside its table are not judged.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lh {

using TensorShapes = std::unordered_map<std::string, std::vector<uint64_t>>;

struct LayerHeads {
  uint64_t query = 0;
  uint64_t key_value = 0;
};

struct AttentionHeads {
  uint64_t dim_k = 0;
  uint64_t dim_v = 0;
  uint64_t rotated = 0;  // dimensions that RoPE rotates
  std::vector<LayerHeads> layers;
};

// The mismatch in words; empty: none.
[[nodiscard]] std::string find_attention_fault(std::string_view architecture, const AttentionHeads& heads,
                                               const TensorShapes& tensors);

}  // namespace lh
