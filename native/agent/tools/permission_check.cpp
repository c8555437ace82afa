#include "agent/tools/permission_check.h"

#include <utility>

#include "agent/session/session.h"
#include "base/text/reason.h"
#include "hooks/dispatch/decision_log.h"

namespace lh {
namespace {

struct Judged : Permissions::Judgement {
  std::string by;  // the hook at PRE_TOOL_CALL that decided; empty: rules or a remembered answer
};

const Json& about(const AgentTool* tool) {
  static const Json nothing = Json::object();
  return tool == nullptr ? nothing : tool->about();
}

Permissions::Judgement judge_by_rules(const RunContext& run, const ToolCall& call, const AgentTool* tool) {
  return judge_all(run.dialogue.profile()->rules, call, about(tool), tool == nullptr || tool->control() != nullptr);
}

// A remembered answer applies if the rules would ask; a remembered denial also applies if the rules allow the call. A
// hook's permission applies where no rule denies the call, and so does the answer that a call got while it waited.
Judged judge(const RunContext& run, const ToolCall& call, const AgentTool* tool, const PermissionQuestion& question) {
  const auto& asked = question.asked;
  Judged judged{judge_by_rules(run, call, tool), ""};
  if (question.answer != nullptr) {
    const bool allowed = question.answer->kind == WaitingAnswer::Kind::kAllow;
    if (judged.permission == Permission::kDeny && allowed) return judged;
    return {{allowed ? Permission::kAllow : Permission::kDeny, "", !allowed}, ""};
  }
  auto known = run.session.remembered().find(run.scope.tier, call);
  const bool narrows = known && known->permission == Permission::kDeny && judged.permission == Permission::kAllow;
  if (known && (narrows || judged.permission == Permission::kAsk)) judged = {*std::move(known), ""};
  if (!asked || (judged.permission == Permission::kDeny && !judged.remembered)) return judged;
  return {{asked->permission, "the hook " + asked->by, false}, asked->by};
}

using Asked = PointOutcome<points::OnPermissionCheck>;

PermissionVerdict defer(const RunContext& run, const ToolCall& call, const Asked& outcome, bool may_wait) {
  const auto answers = outcome.answers();
  const std::string by = answers.defer().by();
  if (!may_wait) {
    run.dispatcher.error(run.scope, code_name(Code::kHookBadAnswer),
                         "the hook " + by + " deferred a call of " + call.name +
                             " in a delegated run or a plan, where calls cannot wait; it is denied",
                         "tool:" + call.name, true);
    return {denied("the call cannot wait for an answer here", by), {}};
  }
  return {{}, Deferral{by, answers.waits_for().or_else(""), answers.reason().or_else("")}};
}

Json answer_json(const WaitingAnswer& answer) {
  constexpr const char* kAnswers[] = {"allow", "deny", "cancel"};
  return {{"permission", kAnswers[static_cast<size_t>(answer.kind)]},
          {"by", null_if_empty(answer.by)},
          {"reason", null_if_empty(answer.reason)},
          {"args", answer.args.value_or(Json())}};
}

// Remembers the answer only if the hook whose answer holds asked for that.
void remember(const RunContext& run, const ToolCall& call, const Asked& outcome) {
  const auto how = outcome.answers().remember();
  const auto answer = outcome.changes().permission();
  if (!how || !answer || how.giver()->id != answer.giver()->id || *answer == "ask") return;
  const RunContext* own = &run;  // the run of the session's conversation
  while (own->above != nullptr) own = own->above;
  run.session.remembered().keep(run.scope.tier, call, *how == "tool",
                                *answer == "allow" ? Permission::kAllow : Permission::kDeny,
                                own->transcript.everything().size() + 1);
}

}  // namespace

CallRefusal denied(const std::string& why, const std::string& by) {
  return {ResultKind::kRejectedPermission, "denied: " + why, by};
}

std::optional<CallRefusal> check_rules(const RunContext& run, const ToolCall& call, const AgentTool& tool) {
  const Permissions::Judgement judged = judge_by_rules(run, call, &tool);
  if (judged.permission != Permission::kDeny) return std::nullopt;
  return denied("the rule " + judged.rule, "");
}

bool may_wait(const RunContext& run) { return run.above == nullptr && !run.transcript.in_plan(); }

std::optional<CallRefusal> check_permission(RunContext& run, const ToolCall& call, const AgentTool* tool) {
  return check_permission(run, call, tool, {}).refusal;
}

PermissionVerdict check_permission(RunContext& run, const ToolCall& call, const AgentTool* tool,
                                   const PermissionQuestion& question) {
  const Judged judged = judge(run, call, tool, question);
  const WaitingAnswer* const given = question.answer;
  const Asked outcome = run.ask_of<points::OnPermissionCheck>(call, run.scope, [&](const auto& context) {
    context({.tool_name = call.name,
             .args = call.args,
             .tool_call_id = call.id,
             .permission = permission_name(judged.permission),
             .rule = judged.rule,
             .tier = run.scope.tier,
             .annotations = AgentTool::annotations_of(tool),
             .origin = AgentTool::origin_of(tool),
             .answered = given == nullptr ? std::nullopt : std::optional<context::Value>(answer_json(*given))});
  });
  if (const auto veto = outcome.veto()) return {denied(veto->reason, veto->by), {}};
  if (outcome.cancelled()) return {refusal_of(outcome), {}};
  const auto permission = outcome.changes().permission();
  const bool answered = static_cast<bool>(permission);
  const std::string answer = permission.or_else("");
  const std::string by = answered ? permission.by() : "";
  const bool deferred = outcome.answers().defer().or_else(false);
  // If a deferral has no effect, its reason does not explain the answer.
  const auto reason = outcome.answers().reason();
  const bool reasoned = reason && answer != "allow" && !(deferred && given != nullptr);
  const auto why = [&](const std::string& otherwise) { return reasoned ? reason_or(*reason, otherwise) : otherwise; };
  if (judged.permission == Permission::kDeny && !judged.remembered) {
    if (answered) {
      run.dispatcher.error(run.scope, code_name(Code::kHookBadAnswer),
                           "the hook " + by + " answered " + answer + " for a call of " + call.name + " that " +
                               (judged.by.empty() ? "a rule" : judged.rule) + " denies; it stays denied",
                           "tool:" + call.name, true);
    }
    return {denied(why(judged.by.empty() ? "the rule " + judged.rule : "by " + judged.by), judged.by), {}};
  }
  if (given != nullptr && given->kind != WaitingAnswer::Kind::kAllow) {
    if (answer == "allow") {
      run.dispatcher.error(
          run.scope, code_name(Code::kHookBadAnswer),
          "the hook " + by + " answered allow for a call of " + call.name + " whose answer denies it; it stays denied",
          "tool:" + call.name, true);
    }
    return {denied(reason_or(given->reason, "nothing allows it"), given->by), {}};
  }
  remember(run, call, outcome);
  if (answer == "deny") return {denied(why("by " + by), by), {}};
  if (given != nullptr) return {};  // the answer decides: the call is not asked about again
  if (deferred) return defer(run, call, outcome, question.may_wait);
  if (answer == "allow" || (answer.empty() && judged.permission == Permission::kAllow)) return {};
  const bool earlier = judged.permission == Permission::kDeny && !answered;
  return {denied(why(earlier ? "by an earlier answer" : "nothing allows it"), ""), {}};
}

}  // namespace lh
