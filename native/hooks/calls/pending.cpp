#include "hooks/calls/pending.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "hooks/calls/operation.h"

namespace lh {
namespace {

// The work on this thread waits for an answer while it exists.
class Awaiting {
 public:
  Awaiting() : work_(Operation::current().get()) {
    if (work_ != nullptr) ++work_->answers_awaited;
  }
  ~Awaiting() {
    if (work_ != nullptr) --work_->answers_awaited;
  }
  Awaiting(const Awaiting&) = delete;
  Awaiting& operator=(const Awaiting&) = delete;

 private:
  Operation* const work_;
};

}  // namespace

void Bell::ring() {
  const MutexLock lock(mutex_);
  is_rung_ = true;
  rung_.notify_one();  // under the lock: afterwards this object may be destroyed
}

void Bell::wait(std::chrono::steady_clock::time_point until, CancelFlag& cancel) {
  const CancelListener cancelled(cancel, [this] { ring(); });
  const Awaiting awaiting;
  MutexLock lock(mutex_);
  while (!is_rung_) {
    if (until == std::chrono::steady_clock::time_point::max()) {
      lock.wait(rung_);
    } else if (std::chrono::steady_clock::now() < until) {
      lock.wait_until(rung_, until);
    } else {
      return;
    }
  }
  is_rung_ = false;
}

void Pending::set_bell(Bell& bell) {
  const MutexLock lock(mutex_);
  bell_ = &bell;
}

Code Pending::finish(Answer answer) {
  {
    MutexLock lock(mutex_);
    if (over()) return code_;
    answer_ = std::move(answer);
    answer_.given_at = Clock::now();
    over_.store(true, std::memory_order_release);
    if (bell_ != nullptr) bell_->ring();
  }
  ended_.notify_one();  // after the lock is released, because the woken thread needs it at once
  return Code::kOk;
}

void Pending::end(Code why) {
  const MutexLock lock(mutex_);
  if (!over()) end_now(why);
}

void Pending::end_now(Code why) {
  code_ = why;
  over_.store(true, std::memory_order_release);
  if (bell_ != nullptr) bell_->ring();
  ended_.notify_one();  // under the lock: afterwards this object may be destroyed
}

void Pending::queue() {
  const MutexLock lock(mutex_);
  queued_ = true;
}

// The waiting thread may notice a cancel only after the work has begun: the flag decides.
Code Pending::begin() {
  const MutexLock lock(mutex_);
  if (over()) return code_;
  if (cancel_ != nullptr && cancel_->cancelled()) {
    const Code why = cancel_->why();
    if (queued_) end_now(why);
    return why;
  }
  queued_ = false;
  return Code::kOk;
}

bool Pending::has_begun() const {
  const MutexLock lock(mutex_);
  return !queued_;
}

Code Pending::wait(const Limits& limits) noexcept {
  try {
    if (!over()) sleep(limits);
  } catch (const std::exception&) {
    end(Code::kInternal);
  }
  Code code = Code::kOk;
  {
    MutexLock lock(mutex_);  // even after the end, so that the thread that ended it has released the lock
    code = code_;
    cancel_ = nullptr;
  }
  if (on_over_ != nullptr) on_over_(static_cast<lh_status>(code), user_data_);
  return code;
}

void Pending::sleep(const Limits& limits) {
  std::optional<CancelListener> cancelled;
  std::optional<CancelListener> closing;
  if (limits.cancel != nullptr) cancelled.emplace(*limits.cancel, [&] { end(limits.cancel->why()); });
  if (limits.closing != nullptr) {
    closing.emplace(*limits.closing, [&] {
      MutexLock lock(mutex_);
      closing_since_ = Clock::now();
      ended_.notify_one();
    });
  }
  const Awaiting awaiting;
  MutexLock lock(mutex_);
  while (!over()) {
    const bool bounded = limits.deadline_ms > 0 || closing_since_;
    if (!bounded) {
      lock.wait(ended_);
      continue;
    }
    const Clock::time_point until =
        limits.deadline_ms > 0 ? limits.start + std::chrono::milliseconds(std::min(limits.deadline_ms, kLongestMs))
                               : std::max(limits.start, *closing_since_) + kCloseGrace;
    if (Clock::now() < until) {
      lock.wait_until(ended_, until);
      continue;
    }
    code_ = limits.deadline_ms > 0 ? Code::kHookTimeout : Code::kClosed;
    over_.store(true, std::memory_order_release);
  }
}

}  // namespace lh
