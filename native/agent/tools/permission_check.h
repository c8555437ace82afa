// Whether a tool call may run: what rules say, what was answered before, and whoever is asked.
// Must not: run it.
#pragma once

#include <optional>
#include <string>

#include "agent/run/run_context.h"

namespace lh {

struct CallRefusal {
  ResultKind kind = ResultKind::kRejectedPermission;
  std::string told;  // to the model
  std::string by;    // the hook; empty: none
};

// Fires PERMISSION_CHECK. No answer is a denial. Nothing: it may.
[[nodiscard]] std::optional<CallRefusal> check_permission(RunContext& run, const ToolCall& call);

}  // namespace lh
