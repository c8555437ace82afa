// Why a tool call does not run, as the model receives it.
#pragma once

#include <optional>
#include <string>

#include "agent/run/tool_record.h"
#include "hooks/dispatch/fire.h"

namespace lh {

struct CallRefusal {
  ResultKind kind = ResultKind::kRejectedPermission;
  std::string told;  // to the model
  std::string by;    // the hook; empty: none
};

// The refusal by hooks of a point about a call; nothing if they let it run.
template <typename P>
[[nodiscard]] std::optional<CallRefusal> refusal_of(const PointOutcome<P>& outcome) {
  if (const auto veto = outcome.veto()) {
    return CallRefusal{ResultKind::kRejectedHook, "blocked by " + veto->by + ": " + veto->reason, veto->by};
  }
  if (outcome.cancelled()) return CallRefusal{ResultKind::kCancelled, "not run: " + outcome.reason(), ""};
  return std::nullopt;
}

}  // namespace lh
