#include "platform/heap.h"

namespace lh {

// Large blocks go back to the system when they are freed.
void trim_heap() noexcept {}

}  // namespace lh
