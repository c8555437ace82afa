// Checks which layers of a model have a sliding window, where llama.cpp asserts that its masks are used.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "gguf/file.h"

namespace lh {

// `window`: tokens of the sliding window; 0: there is none.
[[nodiscard]] Status check_windows(const GgufFile& file, std::string_view architecture, uint64_t layers,
                                   int64_t window);

}  // namespace lh
