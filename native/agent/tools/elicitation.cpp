#include "agent/tools/elicitation.h"

#include <string>
#include <utility>

#include "agent/session/session.h"
#include "generation/decision_log.h"
#include "hooks/calls/operation.h"
#include "hooks/points/value_check.h"

namespace lh {
namespace {

// The hook that gave the field; empty: none did.
std::string giver(const Decision& decision, const char* field) {
  const HookRecord* const by = named_by(decision, field);
  return by == nullptr ? "" : by->name;
}

}  // namespace

Json elicit(RunContext& run, const ToolCall& call, const AgentTool* tool, uint64_t span, const UserRequest& request,
            CancelFlag& cancel) {
  // A hook here holds up the session's run, as one on the run thread does.
  if (const auto& work = Operation::current()) work->session = &run.session;
  Scope scope = run.scope;
  scope.cancel = &cancel;
  scope.span = span;
  scope.tool_call_id = call.id;
  const Outcome outcome = run.dispatcher.fire(LH_HOOK_ON_ELICITATION, scope, tool_name(call), [&](std::string& out) {
    append_members(out, {{"tool_name", call.name},
                         {"tool_call_id", call.id},
                         {"message", request.message},
                         {"schema", request.schema},
                         {"action", "decline"},
                         {"content", nullptr},
                         {"tier", null_if_empty(scope.tier)}});
    out += ',' + AgentTool::members_about(tool);
  });
  const Decision& decision = outcome->decision;
  keep(run.result.decisions, decision);
  if (decision.action == Action::kCancelled) {
    Json answer = {{"action", "cancel"}, {"reason", decision.reason.value_or("")}};
    if (decision.decided_by) answer["by"] = decision.decided_by->name;
    return answer;
  }
  const Json& changes = outcome->changes;
  if (!changes.contains("action")) return {{"action", "decline"}};
  Json answer = {{"action", changes["action"]}, {"by", giver(decision, "action")}};
  if (answer["action"] != "accept") return answer;
  if (changes.contains("content")) answer["by"] = giver(decision, "content");
  Json content = changes.contains("content") && !changes["content"].is_null() ? changes["content"] : Json::object();
  if (const auto offence = check_value(content, request.schema)) {
    const std::string why =
        "the content does not fit the schema: " + (offence->path.empty() ? "" : offence->path + " ") + offence->why;
    run.dispatcher.error(
        scope, code_name(Code::kHookBadAnswer),
        "the hook " + answer["by"].get<std::string>() + " answered a question of " + call.name + ", and " + why,
        "tool:" + call.name, true);
    return {{"action", "decline"}, {"by", answer["by"]}, {"reason", why}};
  }
  answer["content"] = std::move(content);
  return answer;
}

}  // namespace lh
