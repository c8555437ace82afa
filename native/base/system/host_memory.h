// Main memory as this process may use it: what the machine has, and no more than its control groups allow.
#pragma once

#include <cstdint>
#include <string>

namespace lh {

// Bytes. 0: not known.
struct HostMemory {
  uint64_t total = 0;
  uint64_t free = 0;  // without writing to a swap device, and without the caches of the system
};

// `root`: before /proc and /sys. For tests; empty otherwise.
[[nodiscard]] HostMemory host_memory(const std::string& root = {});

}  // namespace lh
