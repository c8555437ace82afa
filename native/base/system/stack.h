// The room on the stack of this thread.
#pragma once

#include <cstdint>

namespace lh {

// The lowest address that this thread's stack may reach. Asked of the system once a thread.
[[nodiscard]] uintptr_t stack_limit();

// The approximate end of the stack of this thread now. It grows downward on every platform that is supported.
[[gnu::noinline]] uintptr_t stack_place();

}  // namespace lh
