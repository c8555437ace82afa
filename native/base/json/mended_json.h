// JSON as models write it: with halves of characters, and with numbers that no double can hold.
#pragma once

#include <string>
#include <string_view>

#include "base/json/json.h"

namespace lh {

// Parses one JSON value. If the text is not valid otherwise, half of a surrogate pair becomes U+FFFD, and a number
// beyond a double becomes the largest double. The error is that of parse_json().
[[nodiscard]] Result<Json> parse_mended_json(const std::string& text, std::string_view what);

}  // namespace lh
