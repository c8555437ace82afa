// A hash of a text that is the same in every build and on every machine.
#pragma once

#include <cstdint>
#include <string_view>

namespace lh {

// FNV-1a.
[[nodiscard]] constexpr uint64_t stable_hash(std::string_view text) noexcept {
  uint64_t hash = 14695981039346656037U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

}  // namespace lh
