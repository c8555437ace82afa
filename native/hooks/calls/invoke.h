// Calls one hook once: begins and ends the call, times it, catches its exceptions, waits for a later answer and
// receives it. Does not judge the answer.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "hooks/calls/allocator.h"
#include "hooks/calls/call.h"
#include "hooks/points/hook.h"
#include "hooks/points/scope.h"

namespace lh {

// Keeps a hook as running, so that its end is not reported before its call is counted.
class Running {
 public:
  Running() = default;
  Running(Hook& hook, bool passed) noexcept : hook_(&hook), passed_(passed) {}
  ~Running() {
    if (hook_ != nullptr) hook_->end(passed_);
  }
  Running(Running&& other) noexcept : hook_(std::exchange(other.hook_, nullptr)), passed_(other.passed_) {}
  Running& operator=(Running&& other) noexcept {
    std::swap(hook_, other.hook_);
    std::swap(passed_, other.passed_);
    return *this;
  }

 private:
  Hook* hook_ = nullptr;
  bool passed_ = false;
};
static_assert(!std::is_copy_constructible_v<Running>);

struct Reply {
  bool ran = false;   // false: the hook was retired and not called, or the event did not match it
  bool late = false;  // it answered after its deadline
  int returned = 0;
  std::optional<HookFailure> failure;      // reported or thrown by the callback
  std::optional<std::string_view> answer;  // points into `block`
  std::string_view bad_answer;             // why its answer is unusable; empty: usable
  std::chrono::steady_clock::time_point began;
  int64_t duration_ns = 0;
  BlockPtr block;
  Running running;  // until the reply is judged; of a hook that runs beside others, only until it has replied
};

// The limit of nested dispatches: a deeper hook call fails.
inline constexpr int kMaxDepth = 16;

// One call in two steps, so that several hooks can start before the first has answered.
class Invocation {
 public:
  using Clock = std::chrono::steady_clock;

  // `hook` and `scope` outlive it. `group`: the hooks that run at the same time; null: none.
  Invocation(Hook& hook, const Scope& scope, HookGroup group = nullptr)
      : hook_(hook), scope_(scope), group_(std::move(group)) {}
  ~Invocation();
  Invocation(const Invocation&) = delete;
  Invocation& operator=(const Invocation&) = delete;

  // Calls the hook, unless it was retired. `context` is NUL-terminated. Call once.
  void start(const char* context);
  // After start(): this thread does other work before it waits. A call that already has its answer ends.
  void step_out();
  // The deadline of a later answer; max() for other calls.
  [[nodiscard]] Clock::time_point due() const;
  // Returns the hook's answer. For a later answer it waits until the answer comes, or a timeout, cancel or close ends
  // the wait. Call once, after start().
  Reply reply();

 private:
  void await(char*& given);
  void end();

  Hook& hook_;
  const Scope& scope_;
  const HookGroup group_;
  std::optional<Call> call_;  // while it runs
  char* given_ = nullptr;
  bool began_ = false;
  bool deferred_ = false;
  bool stepped_out_ = false;
  Clock::time_point start_;
  Clock::time_point ended_;
  Reply reply_;
};
static_assert(!std::is_copy_constructible_v<Invocation>);

// Both steps.
Reply invoke(Hook& hook, const char* context, const Scope& scope);

}  // namespace lh
