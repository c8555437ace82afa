#include "llama/base/word_pieces.h"

#include "base/text/utf8.h"

namespace lh {
namespace {

// llama.cpp's mark of the beginning of a word, and a block that no vocabulary has.
constexpr std::string_view kMark = "\u2581";
constexpr std::string_view kOther = "\u2582";

void append(char32_t code, std::string& out) {  // of three bytes
  out += static_cast<char>(0xE0U | code >> 12);
  out += static_cast<char>(0x80U | (code >> 6 & 0x3FU));
  out += static_cast<char>(0x80U | (code & 0x3FU));
}

// Unicode computes the letters of a Hangul syllable.
bool append_syllable(std::string_view character, std::string& out) {
  const auto bits = [&](size_t at) { return static_cast<char32_t>(static_cast<unsigned char>(character[at])) & 0x3FU; };
  const char32_t code = (static_cast<unsigned char>(character[0]) & 0x0FU) << 12 | bits(1) << 6 | bits(2);
  constexpr char32_t kFirst = 0xAC00;
  constexpr char32_t kLast = 0xD7A3;
  constexpr char32_t kTrailing = 28;
  constexpr char32_t kVowels = 21;
  if (code < kFirst || code > kLast) return false;
  const char32_t syllable = code - kFirst;
  append(0x1100 + syllable / (kVowels * kTrailing), out);
  append(0x1161 + syllable / kTrailing % kVowels, out);
  if (syllable % kTrailing != 0) append(0x11A7 + syllable % kTrailing, out);
  return true;
}

}  // namespace

std::string for_word_pieces(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Step step = utf8_step(text);
    const std::string_view character = text.substr(0, step.length);
    text.remove_prefix(step.length);
    const bool is_long = step.kind == Utf8Step::Kind::kCharacter && character.size() == 3;
    if (is_long && append_syllable(character, out)) continue;
    out += character == kMark ? kOther : character;
  }
  return out;
}

}  // namespace lh
