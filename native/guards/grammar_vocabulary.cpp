#include "guards/grammar_vocabulary.h"

#include <algorithm>

#include "base/text/utf8.h"

namespace lh {
namespace {

constexpr size_t kLongest = 256;  // of a token that is followed to its end

uint32_t code_point(std::string_view character) {
  auto value = static_cast<uint32_t>(static_cast<uint8_t>(character[0]));
  if (character.size() > 1) value &= 0x7FU >> character.size();
  for (const char c : character.substr(1)) value = value << 6 | (static_cast<uint8_t>(c) & 0x3FU);
  return value;
}

}  // namespace

bool is_word_character(uint32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= 'a' && c <= 'z') ||
         (c >= 0x80 && c < 0x110000);
}

void GrammarVocabulary::add(std::string_view bytes) {
  ++size_;
  if (bytes.size() <= kMixedLength) return;
  Text text;
  while (!bytes.empty() && text.size() < kLongest) {
    const Utf8Step step = utf8_step(bytes);
    if (step.kind != Utf8Step::Kind::kCharacter) return;
    text.push_back(code_point(bytes.substr(0, step.length)));
    bytes.remove_prefix(step.length);
  }
  if (text.size() <= kMixedLength) return;
  // Tokens are mainly words with a space before them, which adds one character to the text that is tried.
  const auto word = text.begin() + (text[0] == ' ' ? 1 : 0);
  const bool is_word = std::all_of(word, text.end(), is_word_character) && text.end() - word <= kWordLength;
  if (!is_word) unusual_.push_back(std::move(text));
}

void GrammarVocabulary::finish() {
  std::ranges::sort(unusual_);
  unusual_.erase(std::unique(unusual_.begin(), unusual_.end()), unusual_.end());
}

}  // namespace lh
