// Compares the width of vectors in an embedder's file with the tensors that make them: llama.cpp reads as many numbers
// as the file says, and asserts that they exist.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gguf/attention.h"

namespace lh {

// Numbers of the file; 0: it has none.
struct EmbeddingWidths {
  uint64_t model = 0;         // embedding_length
  uint64_t out = 0;           // embedding_length_out
  uint64_t dense_2_in = 0;    // dense_2_feat_in
  uint64_t dense_3_out = 0;   // dense_3_feat_out
  uint64_t feed_forward = 0;  // feed_forward_length, where it is one number
};

// The mismatch in words; empty: none.
[[nodiscard]] std::string find_projection_fault(std::string_view architecture, const EmbeddingWidths& widths,
                                                const TensorShapes& tensors);

}  // namespace lh
