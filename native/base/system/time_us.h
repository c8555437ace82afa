// The wall time of contexts and events, and the monotonic clock that measures durations.
#pragma once

#include <chrono>
#include <cstdint>

namespace lh {

// Microseconds since the Unix epoch.
inline uint64_t time_us() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

inline double milliseconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

inline double microseconds(std::chrono::nanoseconds duration) { return static_cast<double>(duration.count()) / 1000.0; }

// A recent origin keeps numbers small, so that a double has room for nanoseconds.
inline const std::chrono::steady_clock::time_point kClockBegan = std::chrono::steady_clock::now();

// Microseconds from loading this library to `at`, independent of changes of the wall time.
inline double clock_us(std::chrono::steady_clock::time_point at) { return microseconds(at - kClockBegan); }

}  // namespace lh
