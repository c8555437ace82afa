// Optional parts of a dispatch besides the context. Must not: be kept beyond the dispatch.
#pragma once

#include <cstdint>
#include <string>

#include "base/function_ref.h"
#include "base/json/json.h"
#include "hooks/dispatch/outcome.h"
#include "hooks/points/hook.h"
#include "hooks/points/matcher.h"

namespace lh {

// Called after each answer, which is the last of `decision.hooks`. May complete the changed fields (defaults, derived
// values), so that later hooks and guards see what will happen. False: later hooks do not run.
using Completion = FunctionRef<bool(DispatchResult& so_far)>;

// The caller's decision at a hook's turn.
enum class Turn : uint8_t {
  kAsk,      // the hook is called if it matches
  kAskAnew,  // the same with a newly built context, because the situation has changed
  kPassOver
};
// Called before it is known whether the hook matches. May change the changed fields, too.
using Turns = FunctionRef<Turn(const Hook& hook, DispatchResult& so_far)>;

// Null members: the caller does not use them.
struct DispatchExtras {
  const KnownField* known = nullptr;  // known before the context is built
  const Completion* complete = nullptr;
  const Turns* turns = nullptr;
  const std::string* tool_call_id = nullptr;  // the tool call that the dispatch is about, in place of the scope's
};

}  // namespace lh
