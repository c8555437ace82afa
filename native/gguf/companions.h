// Tensors that the graph of an architecture reads although its loader lets them be missing: llama.cpp then ends with a
// signal.
#pragma once

#include <string>
#include <string_view>

#include "gguf/attention.h"

namespace lh {

// The missing tensor in words; empty: none.
[[nodiscard]] std::string find_missing_companion(std::string_view architecture, const TensorShapes& tensors);

}  // namespace lh
