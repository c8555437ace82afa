// One hook call that waits, on an engine thread, for JavaScript's answer.
// Must not: call JavaScript, or know how the answer was come by.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>

#include "convert.h"

namespace lh::node {

// What JavaScript answered; `kind` as src/native/addon.ts numbers it.
struct HookAnswer {
  enum Kind { kGoOn = 0, kCancel = 1, kFailed = 2, kPass = 3 };
  int kind = kGoOn;
  LhText text;  // changed fields, reason, or what went wrong
  lh_status status = LH_ERR_HOOK_FAILED;
  uint64_t cause_id = 0;
};

class HookCall {
 public:
  enum class State { kWaiting, kAnswered, kCancelled, kTimedOut, kClosed };

  HookCall(uint64_t id, std::string context) : id_(id), context_(std::move(context)) {}
  HookCall(const HookCall&) = delete;
  HookCall& operator=(const HookCall&) = delete;

  [[nodiscard]] uint64_t id() const { return id_; }
  // JavaScript thread: taken once, when the call is shown to JavaScript.
  [[nodiscard]] std::string take_context() { return std::move(context_); }
  [[nodiscard]] bool shown() const { return shown_; }
  void set_shown() { shown_ = true; }

  [[nodiscard]] bool waiting() const { return state_.load(std::memory_order_acquire) == State::kWaiting; }

  // End the call, from any thread; only the first end counts.
  void answer(HookAnswer answer);
  void abandon(State why);

  // Returns when the call has ended; after `deadline_ms` (0: never) it ends as kTimedOut. For the first `busy_for` it
  // looks out for the answer before it sleeps. Engine thread.
  State wait(int64_t deadline_ms, std::chrono::microseconds busy_for);
  // After wait() gave kAnswered.
  [[nodiscard]] HookAnswer& given() { return answer_; }

 private:
  void end(State state);

  const uint64_t id_;
  std::string context_;
  bool shown_ = false;  // JavaScript thread
  std::atomic<State> state_{State::kWaiting};
  std::mutex mutex_;
  std::condition_variable ended_;
  bool asleep_ = false;  // guarded by mutex_
  HookAnswer answer_;    // written under mutex_ before state_ is kAnswered, then read by the waiter only
};

}  // namespace lh::node
