#include "base/system/shortage.h"

#include <mutex>
#include <new>

namespace lh {
namespace {

thread_local uint64_t failed_here = 0;
std::new_handler before = nullptr;

void on_failure() {
  ++failed_here;
  if (before == nullptr) throw std::bad_alloc();
  before();
}

}  // namespace

void Shortage::watch() {
  static std::once_flag once;
  std::call_once(once, [] { before = std::set_new_handler(&on_failure); });
}

uint64_t Shortage::failures() noexcept { return failed_here; }

}  // namespace lh
