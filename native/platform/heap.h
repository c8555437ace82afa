// The heap of the C library. Must not: allocate.
#pragma once

namespace lh {

// Returns free pages to the system, which glibc otherwise keeps. The buffers of a model leave many. Takes milliseconds.
void trim_heap() noexcept;

}  // namespace lh
