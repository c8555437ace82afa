// The room on the stack of this thread.
#pragma once

#include <cstdint>

namespace lh {

// The lowest address that this thread's stack may reach; 0: unknown. Asked of the system.
[[nodiscard]] uintptr_t lowest_stack_address();

}  // namespace lh
