#include "base/system/stack.h"

#include <pthread.h>

#include <cstddef>

namespace lh {
namespace {

// Used if the system does not say: less than any thread of Node's or of ours has.
constexpr size_t kUnknown = 256 * 1024;

uintptr_t ask_stack_limit() {
#ifdef __APPLE__
  const pthread_t self = pthread_self();
  return reinterpret_cast<uintptr_t>(pthread_get_stackaddr_np(self)) - pthread_get_stacksize_np(self);
#else
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return stack_place() - kUnknown;
  void* lowest = nullptr;
  size_t size = 0;
  const bool known = pthread_attr_getstack(&attributes, &lowest, &size) == 0;
  pthread_attr_destroy(&attributes);
  return known ? reinterpret_cast<uintptr_t>(lowest) : stack_place() - kUnknown;
#endif
}

}  // namespace

uintptr_t stack_limit() {
  thread_local const uintptr_t limit = ask_stack_limit();
  return limit;
}

uintptr_t stack_place() { return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)); }

}  // namespace lh
