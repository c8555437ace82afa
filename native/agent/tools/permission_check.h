// Decides whether a tool call may run, by rules, remembered answers and ON_PERMISSION_CHECK hooks.
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

// Fires ON_PERMISSION_CHECK. A call that no rule, remembered answer or hook allows is denied. Nothing: the call may
// run. `tool`: the one that is called; null: one of the engine's own.
[[nodiscard]] std::optional<CallRefusal> check_permission(RunContext& run, const ToolCall& call, const AgentTool* tool);

}  // namespace lh
