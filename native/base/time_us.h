// The time of day, as contexts and events show it.
#pragma once

#include <chrono>
#include <cstdint>

namespace lh {

// Microseconds since the Unix epoch.
inline uint64_t time_us() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

}  // namespace lh
