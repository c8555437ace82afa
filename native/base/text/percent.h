// Decodes percent escapes in URLs, as programs do.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lh {

// The value of a hexadecimal digit; -1: the character is not one.
[[nodiscard]] int hex_digit(char c);
// The byte of the percent escape that begins at `at`; nothing: none begins there.
[[nodiscard]] std::optional<char> escape_at(std::string_view text, size_t at);
// Decodes the escapes once; other text stays.
[[nodiscard]] std::string unescaped(std::string_view text);
// Decodes the text until no escape is left, but at most as often as programs do.
[[nodiscard]] std::string all_unescaped(std::string text);

}  // namespace lh
