#include "base/shortage.h"

#include <mutex>
#include <new>

namespace lh {
namespace {

thread_local uint64_t failed_here = 0;
std::new_handler next_handler = nullptr;

void on_failure() {
  ++failed_here;
  if (next_handler == nullptr) throw std::bad_alloc();
  next_handler();
}

}  // namespace

void Shortage::watch() {
  static std::once_flag once;
  std::call_once(once, [] { next_handler = std::set_new_handler(&on_failure); });
}

uint64_t Shortage::failures() noexcept { return failed_here; }

}  // namespace lh
