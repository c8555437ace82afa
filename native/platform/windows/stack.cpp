#include "platform/stack.h"

#include "platform/windows/system.h"

namespace lh {

uintptr_t lowest_stack_address() {
  ULONG_PTR lowest = 0;
  ULONG_PTR highest = 0;
  GetCurrentThreadStackLimits(&lowest, &highest);
  return lowest;
}

}  // namespace lh
