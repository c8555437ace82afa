#include "hooks/points/hook.h"

#include <exception>
#include <utility>

namespace lh {
namespace {

HookSpec named(uint64_t id, HookSpec spec) {
  if (spec.name.empty()) spec.name = "hook " + std::to_string(id);
  return spec;
}

}  // namespace

Hook::Hook(uint64_t id, HookSpec spec, std::shared_ptr<HookSink> ended)
    : id_(id), spec_(named(id, std::move(spec))), ended_(std::move(ended)) {}

bool Hook::begin() noexcept {
  const uint32_t take = is(LH_HOOK_ONCE) ? kTaken : 0;
  uint32_t state = state_.load(std::memory_order_relaxed);
  while ((state & (kRetired | take)) == 0) {
    if (state_.compare_exchange_weak(state, (state + 1) | take, std::memory_order_acquire, std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

void Hook::end(bool passed) noexcept {
  const bool once = is(LH_HOOK_ONCE);
  if (once && !passed) spent_.store(true, std::memory_order_release);
  const uint32_t before = state_.fetch_sub(once && passed ? 1 + kTaken : 1, std::memory_order_acq_rel);
  if ((before & ~kTaken) == (kRetired | 1U)) release();
}

bool Hook::retire() noexcept {
  const uint32_t before = state_.fetch_or(kRetired, std::memory_order_acq_rel);
  if ((before & kRetired) != 0) return false;
  if ((before & ~kTaken) == 0) release();
  return true;
}

void Hook::tell_end() noexcept {
  if (told_end_.exchange(true)) return;
  try {
    ended_->call(*this);
  } catch (const std::exception&) {  // out of memory: the failure is not reported
  }
}

void Hook::release() noexcept {
  tell_end();
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
