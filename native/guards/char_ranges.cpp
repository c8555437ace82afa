#include "guards/char_ranges.h"

#include <algorithm>

namespace lh {

CharRanges merged(CharRanges ranges) {
  std::ranges::sort(ranges, {}, &CharRange::first);
  CharRanges result;
  for (const CharRange& range : ranges) {
    if (!result.empty() && range.first <= result.back().last + 1) {
      result.back().last = std::max(result.back().last, range.last);
    } else {
      result.push_back(range);
    }
  }
  return result;
}

CharRanges inverted(const CharRanges& ranges) {
  CharRanges result;
  char32_t next = 0;
  for (const CharRange& range : ranges) {
    if (range.first > next) result.push_back({next, range.first - 1});
    next = range.last + 1;
  }
  if (next <= kLastChar) result.push_back({next, kLastChar});
  return result;
}

CharRanges common(const CharRanges& a, const CharRanges& b) {
  CharRanges result;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const CharRange both = {std::max(a[i].first, b[j].first), std::min(a[i].last, b[j].last)};
    if (both.first <= both.last) result.push_back(both);
    a[i].last < b[j].last ? ++i : ++j;
  }
  return result;
}

bool contains(const CharRanges& ranges, char32_t character) {
  return std::ranges::any_of(
      ranges, [character](const CharRange& range) { return range.first <= character && character <= range.last; });
}

}  // namespace lh
