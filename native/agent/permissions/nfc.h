// Unicode's normal form C, in which one letter has one spelling.
// Must not: change what is no text; bytes that are not UTF-8 stay where they are.
#pragma once

#include <string>
#include <string_view>

namespace lh {

[[nodiscard]] std::string nfc(std::string_view text);

}  // namespace lh
