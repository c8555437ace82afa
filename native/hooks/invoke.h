// Calls one hook once: begins and ends the call, times it, catches what it throws, waits for an answer that comes
// later, takes it over. Must not: judge the answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "hooks/allocator.h"
#include "hooks/call.h"
#include "hooks/hook.h"
#include "hooks/scope.h"

namespace lh {

struct Reply {
  bool ran = false;   // false: the hook has been retired and nothing was called, or the call was not for it
  bool late = false;  // it answered, after its deadline
  int returned = 0;
  std::optional<HookFailure> failure;      // that the callback reported or threw
  std::optional<std::string_view> answer;  // points into `block`
  std::string_view bad_answer;             // why what it answered cannot be taken over; empty: it can
  int64_t duration_ns = 0;
  BlockPtr block;
};

// A dispatch that a hook causes may call hooks in its turn; deeper than this the call fails instead.
inline constexpr int kMaxDepth = 16;

// `context` is NUL-terminated. Returns when the hook has answered: for one that answers later that is when it does, or
// when its deadline, a cancel or a close ends the wait.
Reply invoke(Hook& hook, const char* context, const Scope& scope);

}  // namespace lh
