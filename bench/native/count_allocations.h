// Counts the heap allocations of the whole program by replacing operator new. Must not: be linked into the addon.
#pragma once

#include <cstdint>

namespace lh::bench {

// Calls of operator new so far, in all threads.
uint64_t allocations() noexcept;

}  // namespace lh::bench
