// Main memory that this process may use: the machine's, limited by control groups.
#pragma once

#include <cstdint>
#include <string>

namespace lh {

// Bytes; 0: unknown.
struct HostMemory {
  uint64_t total = 0;
  uint64_t free = 0;  // without swapping and without dropping the system's caches
};

// `root`: a prefix of /proc and /sys, for tests; otherwise empty.
[[nodiscard]] HostMemory host_memory(const std::string& root = {});

}  // namespace lh
