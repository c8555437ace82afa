// Encodes bytes as Base64.
#pragma once

#include <cstddef>
#include <string>

namespace lh {

// Returns base64 with padding, without line breaks.
[[nodiscard]] std::string to_base64(const void* data, size_t size);

}  // namespace lh
