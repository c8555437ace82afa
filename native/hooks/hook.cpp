#include "hooks/hook.h"

#include <tuple>
#include <utility>

namespace lh {
namespace {

HookSpec named(uint64_t id, HookSpec spec) {
  if (spec.name.empty()) spec.name = "hook " + std::to_string(id);
  return spec;
}

}  // namespace

Hook::Hook(uint64_t id, HookSpec spec) : id_(id), spec_(named(id, std::move(spec))) {}

bool Hook::runs_before(const Hook& other) const noexcept {
  return std::tuple(is(LH_HOOK_GUARD), spec_.priority, id_) <
         std::tuple(other.is(LH_HOOK_GUARD), other.spec_.priority, other.id_);
}

bool Hook::begin() noexcept {
  uint32_t state = state_.load(std::memory_order_relaxed);
  while ((state & kRetired) == 0) {
    if (state_.compare_exchange_weak(state, state + 1, std::memory_order_acquire, std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

void Hook::end() noexcept {
  if (state_.fetch_sub(1, std::memory_order_acq_rel) == (kRetired | 1U)) release();
}

bool Hook::retire() noexcept {
  const uint32_t before = state_.fetch_or(kRetired, std::memory_order_acq_rel);
  if ((before & kRetired) != 0) return false;
  if (before == 0) release();
  return true;
}

void Hook::release() noexcept {
  if (spec_.release != nullptr) spec_.release(spec_.user_data);
  MutexLock lock(mutex_);
  released_ = true;
  condition_.notify_all();
}

void Hook::wait_until_released() {
  MutexLock lock(mutex_);
  while (!released_) lock.wait(condition_);
}

}  // namespace lh
