// Calls one hook once: begins and ends the call, times it, catches what it throws, takes over its answer.
// Must not: judge the answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/cancel.h"
#include "hooks/allocator.h"
#include "hooks/call.h"
#include "hooks/hook.h"

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

// `context` is NUL-terminated.
Reply invoke(Hook& hook, const char* context, CancelFlag* cancel);

}  // namespace lh
