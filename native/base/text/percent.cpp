#include "base/text/percent.h"

#include <utility>

namespace lh {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char small = static_cast<char>(c | 0x20);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

std::optional<char> escape_at(std::string_view text, size_t at) {
  if (text[at] != '%' || at + 2 >= text.size()) return std::nullopt;
  const int high = hex_digit(text[at + 1]);
  const int low = hex_digit(text[at + 2]);
  if (high < 0 || low < 0) return std::nullopt;
  return static_cast<char>(high * 16 + low);
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = escape_at(text, i);
    out += byte.value_or(text[i]);
    if (byte) i += 2;
  }
  return out;
}

std::string all_unescaped(std::string text) {
  constexpr int kMost = 8;
  for (int i = 0; i < kMost; ++i) {
    std::string once = unescaped(text);
    if (once == text) break;
    text = std::move(once);
  }
  return text;
}

}  // namespace lh
