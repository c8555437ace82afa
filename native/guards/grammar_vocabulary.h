// The tokens of a vocabulary, as far as they matter to the work that a grammar makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace lh {

class GrammarVocabulary {
 public:
  using Text = std::vector<uint32_t>;  // code points

  // A token. Its bytes may end within a character.
  void add(std::string_view bytes);
  // Call after the last token.
  void finish();

  // The number of tokens: a sampler tries each of them with each stack.
  [[nodiscard]] size_t size() const { return size_; }
  // The long texts that are not words, sorted.
  [[nodiscard]] const std::vector<Text>& unusual() const { return unusual_; }

 private:
  size_t size_ = 0;
  std::vector<Text> unusual_;
};

// The lengths up to which grammar_walk.cpp tries all texts of a kind, whether or not the vocabulary has them.
inline constexpr int kMixedLength = 6;  // any characters
inline constexpr int kWordLength = 24;  // letters, digits and _
inline constexpr int kRunLength = 64;   // one character

[[nodiscard]] bool is_word_character(uint32_t c);

}  // namespace lh
