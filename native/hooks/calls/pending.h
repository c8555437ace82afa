// An answer that a callback gives later, from any thread: what the thread that asked waits for.
// Must not: judge the answer, or know who gives it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "base/status.h"
#include "base/threads/cancel.h"
#include "base/threads/mutex.h"
#include "llama_hooks/hooks.h"

namespace lh {

// Why a hook call counts as failed.
struct HookFailure {
  Code code = Code::kHookFailed;
  std::string message;
  uint64_t cause_id = 0;  // a binding's own; 0: none
};

class Pending {
 public:
  using Clock = std::chrono::steady_clock;
  using OnOver = void (*)(lh_status status, void* user_data);

  // What a callback returns and writes, or that it failed.
  struct Answer {
    int returned = 0;
    char* block = nullptr;  // of lh_alloc, or what a careless caller takes for that; the waiter's once it counts
    std::optional<HookFailure> failure;
    bool passed = false;  // the call was not for this hook
    Clock::time_point given_at = {};
  };

  // When the wait is given up.
  struct Limits {
    Clock::time_point start;
    int64_t deadline_ms = 0;        // kHookTimeout, counted from `start`; 0: none
    CancelFlag* cancel = nullptr;   // as the flag says, at once; may be null
    CancelFlag* closing = nullptr;  // kClosed, where there is no deadline kCloseGrace after it; may be null
  };
  // What an engine that closes grants to a handler that has no deadline and that nothing else ends.
  static constexpr std::chrono::seconds kCloseGrace{5};

  // `on_over` may be null.
  Pending(OnOver on_over, void* user_data) : on_over_(on_over), user_data_(user_data) {}
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  // Gives the answer. Any thread, once. kOk if it counts; else why not, and `answer.block` stays the caller's.
  Code finish(Answer answer) LH_EXCLUDES(mutex_);
  // Ends the wait without an answer, unless it has ended.
  void end(Code why) LH_EXCLUDES(mutex_);

  // Returns when it has ended, kOk for an answer; `on_over` has been called then. Once, by the thread that asked.
  // kInternal without memory to wait with.
  Code wait(const Limits& limits) noexcept LH_EXCLUDES(mutex_);
  // After wait() gave kOk.
  [[nodiscard]] Answer& answer() { return answer_; }

 private:
  void sleep(const Limits& limits) LH_EXCLUDES(mutex_);
  [[nodiscard]] bool over() const { return over_.load(std::memory_order_acquire); }

  const OnOver on_over_;
  void* const user_data_;
  std::atomic<bool> over_{false};  // written under mutex_, last
  Mutex mutex_;
  std::condition_variable ended_;
  Code code_ LH_GUARDED_BY(mutex_) = Code::kOk;
  std::optional<Clock::time_point> closing_since_ LH_GUARDED_BY(mutex_);
  Answer answer_;  // written under mutex_ before over_, then the waiter's
};
static_assert(!std::is_copy_constructible_v<Pending>);

}  // namespace lh
