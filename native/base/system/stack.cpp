#include "base/system/stack.h"

#include "platform/stack.h"

namespace lh {
namespace {

// Used if the system does not say: less than any thread of Node's or of ours has.
constexpr uintptr_t kUnknown = 256UL * 1024;

uintptr_t ask_stack_limit() {
  const uintptr_t lowest = lowest_stack_address();
  return lowest != 0 ? lowest : stack_place() - kUnknown;
}

}  // namespace

uintptr_t stack_limit() {
  thread_local const uintptr_t limit = ask_stack_limit();
  return limit;
}

uintptr_t stack_place() { return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)); }

}  // namespace lh
