#include "base/text/utf8.h"

#include <cstdint>
#include <cstring>
#include <utility>

namespace lh {
namespace {

// The valid range of a sequence's second byte. It is narrower than 80..BF where that would admit an overlong form, a
// surrogate, or a number above U+10FFFF (Unicode, table 3-7).
struct Lead {
  size_t length;
  uint8_t second_low;
  uint8_t second_high;
};

Lead lead_of(uint8_t byte) {
  if (byte >= 0xC2 && byte <= 0xDF) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte >= 0xF1 && byte <= 0xF3) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

// The number of leading ASCII bytes, eight at a time.
size_t ascii_prefix(std::string_view text) {
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    if ((word & 0x8080808080808080U) != 0) break;
  }
  while (at < text.size() && static_cast<uint8_t>(text[at]) < 0x80) ++at;
  return at;
}

}  // namespace

Utf8Step utf8_step(std::string_view bytes) {
  const auto first = static_cast<uint8_t>(bytes[0]);
  if (first < 0x80) return {Utf8Step::Kind::kCharacter, 1};
  const Lead lead = lead_of(first);
  if (lead.length == 0) return {Utf8Step::Kind::kBroken, 1};
  for (size_t at = 1; at < lead.length; ++at) {
    if (at == bytes.size()) return {Utf8Step::Kind::kCut, at};
    const auto byte = static_cast<uint8_t>(bytes[at]);
    const uint8_t low = at == 1 ? lead.second_low : 0x80;
    const uint8_t high = at == 1 ? lead.second_high : 0xBF;
    if (byte < low || byte > high) return {Utf8Step::Kind::kBroken, at};
  }
  return {Utf8Step::Kind::kCharacter, lead.length};
}

bool is_utf8(std::string_view text) {
  for (;;) {
    text.remove_prefix(ascii_prefix(text));
    if (text.empty()) return true;
    const Utf8Step step = utf8_step(text);
    if (step.kind != Utf8Step::Kind::kCharacter) return false;
    text.remove_prefix(step.length);
  }
}

std::string to_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const size_t ascii = ascii_prefix(bytes);
    out.append(bytes.substr(0, ascii));
    bytes.remove_prefix(ascii);
    if (bytes.empty()) break;
    const Utf8Step step = utf8_step(bytes);
    out.append(step.kind == Utf8Step::Kind::kCharacter ? bytes.substr(0, step.length) : kReplacementCharacter);
    bytes.remove_prefix(step.length);
  }
  return out;
}

size_t whole_utf8_prefix(std::string_view bytes) {
  // An incomplete character has at most three bytes, and its first byte is the last one that is not a continuation.
  const size_t reach = bytes.size() < 3 ? bytes.size() : 3;
  for (size_t back = 1; back <= reach; ++back) {
    const size_t at = bytes.size() - back;
    if ((static_cast<uint8_t>(bytes[at]) & 0xC0) == 0x80) continue;
    return utf8_step(bytes.substr(at)).kind == Utf8Step::Kind::kCut ? at : bytes.size();
  }
  return bytes.size();
}

std::string_view first_characters(std::string_view text, size_t most) {
  return text.size() <= most ? text : text.substr(0, whole_utf8_prefix(text.substr(0, most)));
}

std::string Utf8Assembler::push(std::string_view bytes) {
  pending_.append(bytes);
  const size_t whole = whole_utf8_prefix(pending_);
  std::string text = to_utf8(std::string_view(pending_).substr(0, whole));
  pending_.erase(0, whole);
  return text;
}

std::string Utf8Assembler::flush() { return to_utf8(std::exchange(pending_, {})); }

}  // namespace lh
