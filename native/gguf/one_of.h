// is_one_of(): looks a name up in a table of names.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace lh {

template <typename List>
[[nodiscard]] bool is_one_of(const List& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace lh
