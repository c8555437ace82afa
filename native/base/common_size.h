// The number of items with which two lists begin.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

namespace lh {

// Compares blocks, which takes a fraction of the time of single items.
template <class Item>
size_t common_size(std::span<const Item> a, std::span<const Item> b) {
  static_assert(std::has_unique_object_representations_v<Item>);
  constexpr size_t kBlock = 4096 / sizeof(Item);
  const size_t shorter = std::min(a.size(), b.size());
  size_t at = 0;
  while (at + kBlock <= shorter && std::memcmp(a.data() + at, b.data() + at, kBlock * sizeof(Item)) == 0) at += kBlock;
  while (at < shorter && a[at] == b[at]) ++at;
  return at;
}

}  // namespace lh
