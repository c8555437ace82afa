#include "agent/tools/permission_check.h"

#include <utility>

#include "agent/session/session.h"
#include "base/text/reason.h"
#include "generation/decision_log.h"

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
  return judge_all(run.dialogue.profile()->rules, call, about(tool), tool == nullptr || tool->run() == nullptr);
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

PermissionVerdict defer(const RunContext& run, const ToolCall& call, const Decision& decision, const Json& answers,
                        bool may_wait) {
  const std::string by = named_by(decision, "defer")->name;
  if (!may_wait) {
    run.dispatcher.error(run.scope, code_name(Code::kHookBadAnswer),
                         "the hook " + by + " deferred a call of " + call.name +
                             " in a delegated run or a plan, where calls cannot wait; it is denied",
                         "tool:" + call.name, true);
    return {denied("the call cannot wait for an answer here", by), {}};
  }
  const auto text = [&answers](const char* key) {
    return answers.contains(key) ? answers[key].get<std::string>() : std::string();
  };
  return {{}, Deferral{by, text("waits_for"), text("reason")}};
}

Json answer_json(const WaitingAnswer& answer) {
  constexpr const char* kAnswers[] = {"allow", "deny", "cancel"};
  return {{"permission", kAnswers[static_cast<size_t>(answer.kind)]},
          {"by", null_if_empty(answer.by)},
          {"reason", null_if_empty(answer.reason)},
          {"args", answer.args.value_or(Json())}};
}

// Remembers the answer only if the hook whose answer holds asked for that.
void remember(const RunContext& run, const ToolCall& call, const DispatchResult& outcome) {
  if (!outcome.answers.is_object() || !outcome.answers.contains("remember")) return;
  const HookRecord* const by = named_by(outcome.decision, "permission");
  if (by == nullptr || by->id != named_by(outcome.decision, "remember")->id) return;
  const Json& answer = outcome.changes["permission"];
  if (answer == "ask") return;
  const RunContext* own = &run;  // the run of the session's conversation
  while (own->above != nullptr) own = own->above;
  run.session.remembered().keep(run.scope.tier, call, outcome.answers["remember"] == "tool",
                                answer == "allow" ? Permission::kAllow : Permission::kDeny,
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
  const Outcome outcome =
      fire_of_call(run.dispatcher, LH_HOOK_ON_PERMISSION_CHECK, run.scope, call, [&](std::string& out) {
        append_members(out, {{"tool_name", call.name},
                             {"args", call.args},
                             {"tool_call_id", null_if_empty(call.id)},
                             {"permission", permission_name(judged.permission)},
                             {"rule", null_if_empty(judged.rule)},
                             {"tier", null_if_empty(run.scope.tier)}});
        out += ',' + AgentTool::members_about(tool);
        if (given != nullptr) out += ",\"answered\":" + dump_json(answer_json(*given));
      });
  keep(run.result.decisions, outcome->decision);
  const Decision& decision = outcome->decision;
  if (decision.action == Action::kCancelled && !decision.decided_by) {
    return {CallRefusal{ResultKind::kCancelled, "not run: " + decision.reason.value_or(""), ""}, {}};
  }
  if (decision.action == Action::kCancelled) return {denied(*decision.reason, decision.decided_by->name), {}};
  const bool answered = outcome->changes.contains("permission");
  const std::string answer = answered ? outcome->changes["permission"].get<std::string>() : "";
  const std::string by = answered ? named_by(decision, "permission")->name : "";
  const Json& answers = outcome->answers;
  const bool deferred = answers.is_object() && answers.contains("defer") && answers["defer"] != false;
  // If a deferral has no effect, its reason does not explain the answer.
  const bool says_why = answers.is_object() && answers.contains("reason") && answer != "allow";
  const bool reasoned = says_why && !(deferred && given != nullptr);
  const auto why = [&](const std::string& otherwise) {
    return reasoned ? reason_or(answers["reason"].get<std::string>(), otherwise) : otherwise;
  };
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
    return {denied(reason_or(given->reason, "nobody has allowed it"), given->by), {}};
  }
  remember(run, call, *outcome);
  if (answer == "deny") return {denied(why("by " + by), by), {}};
  if (given != nullptr) return {};  // the answer decides: the call is not asked about again
  if (deferred) {
    return defer(run, call, decision, answers, question.may_wait);
  }
  if (answer == "allow" || (answer.empty() && judged.permission == Permission::kAllow)) return {};
  const bool earlier = judged.permission == Permission::kDeny && !answered;
  return {denied(why(earlier ? "by an earlier answer" : "nobody has allowed it"), ""), {}};
}

}  // namespace lh
