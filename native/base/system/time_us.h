// The time of day, as contexts and events show it, and the clock that what lies between two moments is measured by.
#pragma once

#include <chrono>
#include <cstdint>

namespace lh {

// Microseconds since the Unix epoch.
inline uint64_t time_us() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

inline double microseconds(std::chrono::nanoseconds duration) { return static_cast<double>(duration.count()) / 1000.0; }

// A number that is small has room for nanoseconds in a double.
inline const std::chrono::steady_clock::time_point kClockBegan = std::chrono::steady_clock::now();

// Of a moment: microseconds since this library was loaded, whatever becomes of the time of day.
inline double clock_us(std::chrono::steady_clock::time_point at) { return microseconds(at - kClockBegan); }

}  // namespace lh
