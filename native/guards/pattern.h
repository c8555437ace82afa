// Parses regular expressions of JSON Schema (ECMA-262).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "guards/char_ranges.h"

namespace lh {

enum class PatternUse {
  kKept,
  kIgnored,    // valid, but with constructs that grammars lack, or without anchors
  kInvalid,    // not a regular expression
  kUnbounded,  // impossible or excessive repetitions or ranges
};

struct Pattern {
  enum class Kind { kCharacter, kSequence, kChoice, kRepeat };

  Kind kind = Kind::kSequence;
  CharRanges characters = {};       // of kCharacter; merged
  std::vector<Pattern> parts = {};  // of kSequence and kChoice; one of kRepeat
  int least = 0;                    // of kRepeat
  int most = 0;                     // of kRepeat; kNoEnd: any number

  static constexpr int kNoEnd = -1;
};

struct ReadPattern {
  PatternUse use = PatternUse::kIgnored;
  Pattern pattern = {};  // of kKept: the part between the anchors
};

// `text` is UTF-8. Escapes that are valid only without the flag `u` are read as in that mode.
[[nodiscard]] ReadPattern read_pattern(std::string_view text);

// The characters of valid UTF-8.
[[nodiscard]] std::u32string utf32_of(std::string_view text);

}  // namespace lh
