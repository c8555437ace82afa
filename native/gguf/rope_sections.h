// Checks the sections of a rotation with several positions (M-RoPE), which ggml's kernel asserts.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "gguf/file.h"

namespace lh {

// `head_size`: numbers of a head that may be rotated.
[[nodiscard]] Status check_rope_sections(const GgufFile& file, std::string_view architecture, uint64_t head_size);

}  // namespace lh
