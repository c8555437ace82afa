// The rules of a grammar as llama.cpp's parser leaves them, repetitions written out, and what follows from them without
// following any text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lh {

// The kinds of elements, with llama.cpp's numbers.
enum class GrammarKind : uint8_t {
  kEnd,
  kAlternative,
  kRule,
  kCharacter,
  kCharacterNot,
  kRangeEnd,
  kOrCharacter,
  kAnyCharacter,
  kToken,
  kTokenNot
};

struct GrammarElement {
  GrammarKind kind = GrammarKind::kEnd;
  uint32_t value = 0;  // a rule, a code point or a token
};

using GrammarRules = std::vector<std::vector<GrammarElement>>;

struct GrammarFault {
  uint32_t rule = 0;
  std::string what;
  bool unproven = false;  // true: the check ended before it found anything
};

class GrammarShape {
 public:
  using Place = uint32_t;  // of an element, in all rules one after the other

  // Every rule ends with kEnd, and every kRule refers to one of them.
  explicit GrammarShape(const GrammarRules& rules);

  // llama.cpp looks for left recursion by recursing, without remembering which rules it has seen: finds grammars for
  // which that never ends or exhausts the stack, and left recursion itself.
  [[nodiscard]] std::optional<GrammarFault> check_beginnings() const;

  [[nodiscard]] const GrammarElement& at(Place place) const { return elements_[place]; }
  [[nodiscard]] bool ends(Place place) const { return elements_[place].kind <= GrammarKind::kAlternative; }
  [[nodiscard]] const std::vector<Place>& alternatives(uint32_t rule) const { return alternatives_[rule]; }
  // True if the rest of the alternative, from here on, may be empty.
  [[nodiscard]] bool may_be_empty(Place place) const { return empty_[place]; }
  [[nodiscard]] uint32_t rule_of(Place place) const;

 private:
  void find_empty();
  [[nodiscard]] std::vector<uint32_t> beginnings(uint32_t rule) const;

  std::vector<GrammarElement> elements_;
  std::vector<std::vector<Place>> alternatives_;  // by rule: their first elements
  std::vector<bool> bare_;                        // by rule: whether an alternative has no elements
  std::vector<bool> empty_;                       // by element
};

inline constexpr size_t kMaxGrammarDepth = 8000;       // of rules that begin with rules
inline constexpr uint64_t kMaxBeginnings = 2'000'000;  // ways to follow them, over all rules

}  // namespace lh
