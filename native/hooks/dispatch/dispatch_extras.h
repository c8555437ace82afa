// What a caller brings to a dispatch beside the context. Must not: be kept beyond the dispatch.
#pragma once

#include <cstdint>

#include "base/function_ref.h"
#include "base/json/json.h"
#include "hooks/dispatch/outcome.h"
#include "hooks/points/hook.h"
#include "hooks/points/matcher.h"

namespace lh {

// Is given what has come of it after each answer, the answer of the last of `decision.hooks`. May make of the changed
// fields what will happen (defaults that the answer left out, what follows from it), so that later hooks and guards see
// that. False: later hooks are not asked.
using Completion = FunctionRef<bool(DispatchResult& so_far)>;

// What the caller says when it is a hook's turn.
enum class Turn : uint8_t {
  kAsk,      // asked if it is for it
  kAskAnew,  // the same, of a context that is built anew: what there is to decide has become another
  kPassOver
};
// Called before it is known whether the hook will be asked; may change the changed fields, too.
using Turns = FunctionRef<Turn(const Hook& hook, Json& changes)>;

// Null: the caller has none.
struct DispatchExtras {
  const KnownField* known = nullptr;  // told before the context is built
  const Completion* complete = nullptr;
  const Turns* turns = nullptr;
};

}  // namespace lh
