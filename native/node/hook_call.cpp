// One hook call that waits for JavaScript: see hook_call.h.
#include "hook_call.h"

#include <chrono>

#include "spin.h"

namespace lh::node {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

void HookCall::answer(HookAnswer answer) {
  const std::lock_guard lock(mutex_);
  if (!waiting()) return;
  answer_ = std::move(answer);
  end(State::kAnswered);
}

void HookCall::abandon(State why) {
  const std::lock_guard lock(mutex_);
  if (waiting()) end(why);
}

void HookCall::end(State state) {
  state_.store(state, std::memory_order_release);
  if (asleep_) ended_.notify_one();
}

HookCall::State HookCall::wait(int64_t deadline_ms, std::chrono::microseconds busy_for) {
  const Clock::time_point start = Clock::now();
  const auto ended = [this] { return !waiting(); };
  if (busy_for.count() > 0) spin_until(ended, busy_for);
  std::unique_lock lock(mutex_);  // also when it has ended: whoever ended it lets go of the lock first
  asleep_ = true;
  if (deadline_ms == 0) {
    ended_.wait(lock, ended);
  } else if (!ended_.wait_until(lock, start + std::chrono::milliseconds(deadline_ms), ended)) {
    end(State::kTimedOut);
  }
  return state_.load(std::memory_order_relaxed);
}

}  // namespace lh::node
