#include "agent/tools/permission_check.h"

#include <utility>

#include "agent/session/session.h"
#include "base/text/reason.h"
#include "generation/decision_log.h"

namespace lh {
namespace {

// A remembered answer applies if the rules would ask; a remembered denial also applies if the rules allow the call.
Permissions::Judgement judge(const RunContext& run, const ToolCall& call, const Json& about) {
  Permissions::Judgement judged = judge_all(run.dialogue.profile()->rules, call, about);
  auto known = run.session.remembered().find(run.scope.tier, call);
  const bool narrows = known && known->permission == Permission::kDeny && judged.permission == Permission::kAllow;
  if (known && (narrows || judged.permission == Permission::kAsk)) return *std::move(known);
  return judged;
}

// Remembers the answer only if the hook whose answer holds asked for that.
void remember(const RunContext& run, const ToolCall& call, const DispatchResult& outcome) {
  if (!outcome.answers.is_object() || !outcome.answers.contains("remember")) return;
  const HookRecord* const by = named_by(outcome.decision, "permission");
  if (by == nullptr || by->id != named_by(outcome.decision, "remember")->id) return;
  const Json& answer = outcome.changes["permission"];
  if (answer == "ask") return;
  run.session.remembered().keep(run.scope.tier, call, outcome.answers["remember"] == "tool",
                                answer == "allow" ? Permission::kAllow : Permission::kDeny);
}

}  // namespace

std::optional<CallRefusal> check_permission(RunContext& run, const ToolCall& call, const AgentTool* tool) {
  static const Json nothing = Json::object();
  const Permissions::Judgement judged = judge(run, call, tool == nullptr ? nothing : tool->about());
  const Outcome outcome =
      run.dispatcher.fire(LH_HOOK_ON_PERMISSION_CHECK, run.scope, tool_name(call), [&](std::string& out) {
        append_members(out, {{"tool_name", call.name},
                             {"args", call.args},
                             {"permission", permission_name(judged.permission)},
                             {"rule", null_if_empty(judged.rule)},
                             {"tier", null_if_empty(run.scope.tier)}});
        out += ',' + AgentTool::members_about(tool);
      });
  keep(run.result.decisions, outcome->decision);
  const Decision& decision = outcome->decision;
  const auto deny = [](const std::string& why, const std::string& by) {
    return CallRefusal{ResultKind::kRejectedPermission, "denied: " + why, by};
  };
  if (decision.action == Action::kCancelled && !decision.decided_by) {
    return CallRefusal{ResultKind::kCancelled, "not run: " + decision.reason.value_or(""), ""};
  }
  if (decision.action == Action::kCancelled) return deny(*decision.reason, decision.decided_by->name);
  const bool answered = outcome->changes.contains("permission");
  const std::string answer = answered ? outcome->changes["permission"].get<std::string>() : "";
  const std::string by = answered ? named_by(decision, "permission")->name : "";
  const Json& answers = outcome->answers;
  const bool reasoned = answers.is_object() && answers.contains("reason") && answer != "allow";
  const auto why = [&](const std::string& otherwise) {
    return reasoned ? reason_or(answers["reason"].get<std::string>(), otherwise) : otherwise;
  };
  if (judged.permission == Permission::kDeny && !judged.remembered) {
    if (answered) {
      run.dispatcher.error(run.scope, code_name(Code::kHookBadAnswer),
                           "the hook " + by + " answered " + answer + " for a call of " + call.name +
                               " that a rule denies; it stays denied",
                           "tool:" + call.name, true);
    }
    return deny(why("the rule " + judged.rule), "");
  }
  remember(run, call, *outcome);
  if (answer == "deny") return deny(why("by " + by), by);
  if (answer == "allow" || (answer.empty() && judged.permission == Permission::kAllow)) return std::nullopt;
  return deny(
      why(judged.permission == Permission::kDeny && !answered ? "by an earlier answer" : "nobody has allowed it"), "");
}

}  // namespace lh
