#include "agent/tools/elicitation.h"

#include <string>
#include <utility>

#include "agent/session/session.h"
#include "hooks/calls/operation.h"
#include "hooks/dispatch/decision_log.h"
#include "hooks/points/value_check.h"

namespace lh {

Json elicit(RunContext& run, const ToolCall& call, const AgentTool* tool, uint64_t span, const UserRequest& request,
            CancelFlag& cancel) {
  // A hook here holds up the session's run, as one on the run thread does.
  if (const auto& work = Operation::current()) work->session = &run.session;
  Scope scope = run.scope;
  scope.cancel = &cancel;
  scope.span = span;
  scope.tool_call_id = call.id;
  const auto outcome = run.ask_of<points::OnElicitation>(call, scope, [&](const auto& context) {
    context({.tool_name = call.name,
             .tool_call_id = call.id,
             .message = request.message,
             .schema = request.schema,
             .action = "decline",
             .content = Json(),
             .tier = scope.tier,
             .annotations = AgentTool::annotations_of(tool),
             .origin = AgentTool::origin_of(tool)});
  });
  if (outcome.cancelled()) {
    Json answer = {{"action", "cancel"}, {"reason", outcome.reason()}};
    if (const auto veto = outcome.veto()) answer["by"] = veto->by;
    return answer;
  }
  const auto action = outcome.changes().action();
  if (!action) return {{"action", "decline"}};
  Json answer = {{"action", *action}, {"by", action.by()}};
  if (*action != "accept") return answer;
  const auto given = outcome.changes().content();
  if (given) answer["by"] = given.by();
  Json content = given && !given->is_null() ? *given : Json::object();
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
