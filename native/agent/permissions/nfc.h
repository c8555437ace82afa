// Unicode's normal form C, in which one letter has one spelling.
// Must not: change bytes that are not UTF-8; they stay in place.
#pragma once

#include <string>
#include <string_view>

namespace lh {

[[nodiscard]] std::string nfc(std::string_view text);

}  // namespace lh
