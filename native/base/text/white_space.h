// White space of ASCII at the ends of a text.
#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

namespace lh {

inline bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

inline bool only_space(std::string_view text) { return std::ranges::all_of(text, is_space); }

inline size_t behind_space(std::string_view text, size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

inline std::string_view without_space_before(std::string_view text) { return text.substr(behind_space(text, 0)); }

inline std::string_view without_space_behind(std::string_view text) {
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace lh
