#include "base/text/printable.h"

#include <cstdint>
#include <string_view>

namespace lh {
namespace {

// If `text` begins with a character to escape, returns the character's code and length; otherwise 0.
struct Found {
  uint32_t code = 0;
  size_t length = 0;
};

Found control_at(std::string_view text) {
  const auto byte = [text](size_t at) {
    return at < text.size() ? static_cast<uint32_t>(static_cast<unsigned char>(text[at])) : 0U;
  };
  const uint32_t first = byte(0);
  if (first < 0x20) return first == '\n' || first == '\t' ? Found{} : Found{first, 1};
  if (first == 0x7f) return {first, 1};
  if (first == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0) return {byte(1), 2};
  if (first != 0xE2) return {};
  const uint32_t code = 0x2000 | ((byte(1) & 0x3F) << 6) | (byte(2) & 0x3F);
  const bool turns = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return turns && byte(1) >= 0x80 && byte(2) >= 0x80 ? Found{code, 3} : Found{};
}

std::string escape_of(uint32_t code) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string escape = "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) escape += kDigits[(code >> shift) & 0xF];
  return escape;
}

}  // namespace

std::string printable(std::string text) {
  size_t at = 0;
  while (at < text.size() && control_at(std::string_view(text).substr(at)).length == 0) ++at;
  if (at == text.size()) return text;
  std::string shown(text, 0, at);
  while (at < text.size()) {
    const Found found = control_at(std::string_view(text).substr(at));
    if (found.length > 0) {
      shown += escape_of(found.code);
      at += found.length;
    } else {
      shown += text[at++];
    }
  }
  return shown;
}

}  // namespace lh
