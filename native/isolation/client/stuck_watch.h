// Decides when the process that computes is stuck. Must not: ping it, or end it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <type_traits>

#include "base/json/json.h"
#include "base/threads/mutex.h"

namespace lh {

// Any thread.
class StuckWatch {
 public:
  // `step_timeout`: see Link::Options.
  explicit StuckWatch(std::chrono::milliseconds step_timeout) : step_timeout_(step_timeout) {}
  StuckWatch(const StuckWatch&) = delete;
  StuckWatch& operator=(const StuckWatch&) = delete;

  // A caller waits for the process, and has no means to end the wait.
  class Uncancellable {
   public:
    explicit Uncancellable(StuckWatch& watch);
    ~Uncancellable();
    Uncancellable(const Uncancellable&) = delete;
    Uncancellable& operator=(const Uncancellable&) = delete;

   private:
    StuckWatch& watch_;
  };

  // A ping is about to be sent. The result is why the process is to be ended; empty: it is not stuck. Pings count, not
  // seconds: this process may have been stopped itself.
  [[nodiscard]] std::string ping();
  // The process has answered. `requests`: as FrameKind::kPong has them; `longest_step`: of its models, in milliseconds.
  // The result is that of ping().
  [[nodiscard]] std::string pong(const Json& requests, int64_t longest_step);

  // Something was cancelled, and has not been waited for.
  void leave_behind();
  // The state at the last pong is still valid: a process that sends no pong reports nothing else either.
  [[nodiscard]] bool left_behind() const;

 private:
  const std::chrono::milliseconds step_timeout_;
  mutable Mutex mutex_;
  int unanswered_ LH_GUARDED_BY(mutex_) = 0;  // pings
  int uncancellable_ LH_GUARDED_BY(mutex_) = 0;
  bool left_behind_ LH_GUARDED_BY(mutex_) = false;
};
static_assert(!std::is_copy_constructible_v<StuckWatch>);

// "5 s", or "1500 ms".
[[nodiscard]] std::string time_text(std::chrono::milliseconds time);

}  // namespace lh
