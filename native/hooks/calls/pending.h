// An answer that a callback gives later, from any thread, and the wait for it.
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

// Why a hook call failed.
struct HookFailure {
  Code code = Code::kHookFailed;
  std::string message;
  uint64_t cause_id = 0;  // a number of the binding; 0: none
};

// Wakes a thread that waits for several answers.
class Bell {
 public:
  Bell() = default;
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;

  // Any thread.
  void ring() LH_EXCLUDES(mutex_);
  // Returns when it was rung since the last wait, at `until`, or when `cancel` is set.
  void wait(std::chrono::steady_clock::time_point until, CancelFlag& cancel) LH_EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  std::condition_variable rung_;
  bool is_rung_ LH_GUARDED_BY(mutex_) = false;
};
static_assert(!std::is_copy_constructible_v<Bell>);

class Pending {
 public:
  using Clock = std::chrono::steady_clock;
  using OnOver = void (*)(lh_status status, void* user_data);

  // The callback's return value and text, or its failure.
  struct Answer {
    int returned = 0;
    char* block = nullptr;  // from lh_alloc, or an invalid pointer of a careless caller; owned by the waiter once the
                            // answer counts
    std::optional<HookFailure> failure;
    bool passed = false;  // the event did not match the hook
    Clock::time_point given_at = {};
  };

  // The limits of the wait.
  struct Limits {
    Clock::time_point start;
    int64_t deadline_ms = 0;        // milliseconds from `start` to kHookTimeout; 0: none
    CancelFlag* cancel = nullptr;   // ends the wait at once with the flag's code; may be null
    CancelFlag* closing = nullptr;  // kClosed; without a deadline kCloseGrace later; may be null
  };
  // The time that a closing engine grants to a handler that has no deadline.
  static constexpr std::chrono::seconds kCloseGrace{5};
  // The longest deadline, which a time point can still represent: a century.
  static constexpr int64_t kLongestMs = int64_t{100} * 365 * 24 * 60 * 60 * 1000;

  // `on_over` may be null, and so may `cancel`, the flag of the operation; it stays valid until wait() has returned.
  Pending(OnOver on_over, void* user_data, CancelFlag* cancel)
      : on_over_(on_over), user_data_(user_data), cancel_(cancel) {}
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  // Gives the answer. Any thread, once. Returns kOk if the answer counts; otherwise the reason, and the caller keeps
  // `answer.block`.
  Code finish(Answer answer) LH_EXCLUDES(mutex_);
  // Ends the wait without an answer, unless it has ended.
  void end(Code why) LH_EXCLUDES(mutex_);

  // The work of the call has not begun: it is queued until begin().
  void queue() LH_EXCLUDES(mutex_);
  // Any thread. kOk: the work may begin, and its answer is awaited. Otherwise the reason; if the work had not begun,
  // the wait is then over.
  Code begin() LH_EXCLUDES(mutex_);
  // False if the work was queued until the end.
  [[nodiscard]] bool has_begun() const LH_EXCLUDES(mutex_);

  // Sets a bell, which rings when the answer arrives, or cannot arrive any more. The bell must stay until wait() has
  // returned.
  void set_bell(Bell& bell) LH_EXCLUDES(mutex_);
  // True: wait() returns at once.
  [[nodiscard]] bool over() const { return over_.load(std::memory_order_acquire); }

  // Calls `on_over` at the end of the wait, then returns; kOk: there is an answer. Called once, by the thread that made
  // the call. kInternal if memory for the wait is exhausted.
  Code wait(const Limits& limits) noexcept LH_EXCLUDES(mutex_);
  // After wait() returned kOk.
  [[nodiscard]] Answer& answer() { return answer_; }

 private:
  void sleep(const Limits& limits) LH_EXCLUDES(mutex_);
  void end_now(Code why) LH_REQUIRES(mutex_);

  const OnOver on_over_;
  void* const user_data_;
  std::atomic<bool> over_{false};  // written under mutex_, last
  mutable Mutex mutex_;
  std::condition_variable ended_;
  Code code_ LH_GUARDED_BY(mutex_) = Code::kOk;
  CancelFlag* cancel_ LH_GUARDED_BY(mutex_);  // null once wait() has returned
  bool queued_ LH_GUARDED_BY(mutex_) = false;
  Bell* bell_ LH_GUARDED_BY(mutex_) = nullptr;
  std::optional<Clock::time_point> closing_since_ LH_GUARDED_BY(mutex_);
  Answer answer_;  // written under mutex_ before over_, then owned by the waiter
};
static_assert(!std::is_copy_constructible_v<Pending>);

}  // namespace lh
