#include "platform/stack.h"

#include <pthread.h>

namespace lh {

uintptr_t lowest_stack_address() {
  const pthread_t self = pthread_self();
  return reinterpret_cast<uintptr_t>(pthread_get_stackaddr_np(self)) - pthread_get_stacksize_np(self);
}

}  // namespace lh
