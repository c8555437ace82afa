// Decides whether a tool call may run, by rules, remembered answers and hooks.
// Must not: run it.
#pragma once

#include <optional>
#include <string>

#include "agent/permissions/permissions.h"
#include "agent/run/call_refusal.h"
#include "agent/run/run_context.h"
#include "agent/session/waiting_run.h"

namespace lh {

// The call waits until somebody decides.
struct Deferral {
  std::string by;  // the hook
  std::string waits_for;
  std::string reason;
};

// The permission that a hook at PRE_TOOL_CALL gave.
struct HookPermission {
  Permission permission = Permission::kAsk;
  std::string by;
};

// The facts that the check has about a call, apart from the rules.
struct PermissionQuestion {
  std::optional<HookPermission> asked = {};
  const WaitingAnswer* answer = nullptr;  // that the call received while it waited; null: none
  bool may_wait = false;
};

struct PermissionVerdict {  // with neither, the call may run
  std::optional<CallRefusal> refusal;
  std::optional<Deferral> deferral;
};

// True if a call of the run can wait: it is not a step of a plan, and the run is not a child run.
[[nodiscard]] bool may_wait(const RunContext& run);

// Fires ON_PERMISSION_CHECK. A call that no rule, remembered answer or hook allows is denied. `tool`: the called tool;
// null: a control tool.
[[nodiscard]] PermissionVerdict check_permission(RunContext& run, const ToolCall& call, const AgentTool* tool,
                                                 const PermissionQuestion& question);
// The same for a call that cannot wait.
[[nodiscard]] std::optional<CallRefusal> check_permission(RunContext& run, const ToolCall& call, const AgentTool* tool);

// Checks again a call that was allowed before and waited for others: returns a refusal if a rule denies it now.
[[nodiscard]] std::optional<CallRefusal> check_rules(const RunContext& run, const ToolCall& call,
                                                     const AgentTool& tool);

// A denial, as the model receives it.
[[nodiscard]] CallRefusal denied(const std::string& why, const std::string& by);

}  // namespace lh
