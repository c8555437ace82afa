// Sets of characters, as ranges of code points.
#pragma once

#include <vector>

namespace lh {

struct CharRange {
  char32_t first;
  char32_t last;
};

using CharRanges = std::vector<CharRange>;

inline constexpr char32_t kLastChar = 0x10FFFF;

// The same set in ascending order, without overlaps, as the other functions require.
[[nodiscard]] CharRanges merged(CharRanges ranges);

[[nodiscard]] CharRanges inverted(const CharRanges& ranges);

[[nodiscard]] CharRanges common(const CharRanges& a, const CharRanges& b);

[[nodiscard]] bool contains(const CharRanges& ranges, char32_t character);

}  // namespace lh
