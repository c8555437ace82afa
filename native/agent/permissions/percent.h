// Percent escapes in URLs, as programs undo them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lh {

// The value of a hexadecimal digit; -1: it is none.
[[nodiscard]] int hex_digit(char c);
// The byte of the percent escape that begins at `at`; nothing: none begins there.
[[nodiscard]] std::optional<char> escape_at(std::string_view text, size_t at);
// Undone once; what is no escape stays.
[[nodiscard]] std::string unescaped(std::string_view text);
// However often it was escaped; a text that was so more often than programs undo it stays as it is then.
[[nodiscard]] std::string all_unescaped(std::string text);

}  // namespace lh
