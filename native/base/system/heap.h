// The C library's heap. Must not: allocate.
#pragma once

namespace lh {

// Gives free pages of the heap back to the system, which glibc keeps for later otherwise: those of a model's buffers
// are many. Takes milliseconds.
void trim_heap() noexcept;

}  // namespace lh
