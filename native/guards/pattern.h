// Regular expressions of JSON Schema (ECMA-262), read into parts.
// Must not: know JSON or grammars.
#pragma once

#include <string_view>
#include <vector>

#include "guards/char_ranges.h"

namespace lh {

enum class PatternUse {
  kKept,
  kIgnored,    // a regular expression with parts that no grammar has, or without anchors
  kInvalid,    // no regular expression
  kUnbounded,  // repetitions or ranges that cannot be, or too much of them
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
  PatternUse use;
  Pattern pattern = {};  // of kKept: what stands between the anchors
};

// `text` is UTF-8. Escapes that only the mode without the flag `u` has are read as that mode reads them.
[[nodiscard]] ReadPattern read_pattern(std::string_view text);

}  // namespace lh
