// Main memory that this process may use: the machine's, and the limits of the process.
#pragma once

#include <cstdint>
#include <string>

namespace lh {

// Bytes; 0: unknown.
struct HostMemory {
  uint64_t total = 0;
  uint64_t free = 0;  // without swapping and without dropping the system's caches
};

// Linux: limited by control groups. Windows: limited by the process's job. `root`: a prefix of Linux's /proc and /sys,
// for tests; otherwise empty.
[[nodiscard]] HostMemory host_memory(const std::string& root = {});

}  // namespace lh
