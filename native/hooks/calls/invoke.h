// Calls one hook once: begins and ends the call, times it, catches what it throws, waits for an answer that comes
// later, takes it over. Must not: judge the answer.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "hooks/calls/allocator.h"
#include "hooks/calls/call.h"
#include "hooks/points/hook.h"
#include "hooks/points/scope.h"

namespace lh {

struct Reply {
  bool ran = false;   // false: the hook has been retired and nothing was called, or the call was not for it
  bool late = false;  // it answered, after its deadline
  int returned = 0;
  std::optional<HookFailure> failure;      // that the callback reported or threw
  std::optional<std::string_view> answer;  // points into `block`
  std::string_view bad_answer;             // why what it answered cannot be taken over; empty: it can
  std::chrono::steady_clock::time_point began;
  int64_t duration_ns = 0;
  BlockPtr block;
};

// A dispatch that a hook causes may call hooks in its turn; deeper than this the call fails instead.
inline constexpr int kMaxDepth = 16;

// One call in two steps, so that several hooks can be asked before the first has answered.
class Invocation {
 public:
  using Clock = std::chrono::steady_clock;

  // Both outlive it. `group`: the hooks that are asked at the same time; null: none.
  Invocation(Hook& hook, const Scope& scope, HookGroup group = nullptr)
      : hook_(hook), scope_(scope), group_(std::move(group)) {}
  ~Invocation();
  Invocation(const Invocation&) = delete;
  Invocation& operator=(const Invocation&) = delete;

  // Calls the hook, unless it has been retired. `context` is NUL-terminated. Once.
  void start(const char* context);
  // After start(): this thread goes on with something else before it waits. A call that has its answer already ends.
  void step_out();
  // When an answer that comes later must have come; max() for others.
  [[nodiscard]] Clock::time_point due() const;
  // Returns when the hook has answered: for one that answers later that is when it does, or when its deadline, a cancel
  // or a close ends the wait. Once, after start().
  Reply reply();

 private:
  void await(char*& given);
  void end();

  Hook& hook_;
  const Scope& scope_;
  const HookGroup group_;
  std::optional<Call> call_;  // while it is under way
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
