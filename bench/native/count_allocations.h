// Counts the heap allocations of the whole program: operator new is replaced. Must not: be linked into the addon.
#pragma once

#include <cstdint>

namespace lh::bench {

// Calls of operator new so far, of all threads.
uint64_t allocations() noexcept;

}  // namespace lh::bench
