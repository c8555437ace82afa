// The decisions on the calls of a batch, before one of them runs. Parts of ToolBatch.
#include <algorithm>
#include <utility>

#include "agent/run/context_assembly.h"
#include "agent/run/reflection.h"
#include "agent/session/session.h"
#include "agent/tools/elicitation.h"
#include "agent/tools/permission_check.h"
#include "agent/tools/tool_batch.h"
#include "base/text/reason.h"
#include "hooks/dispatch/decision_log.h"
#include "hooks/points/value_check.h"

namespace lh {
namespace {

// Returns the arguments that a check has prepared; null: it changed nothing. Errors: the message says what is wrong.
Result<Json> prepared_args(const std::string& text) {
  if (text.empty()) return Json();
  auto json = parse_json(text, "what it prepared");
  if (!json.ok()) return json;
  if (!json->is_object() || (json->contains("args") && !(*json)["args"].is_object())) {
    return Status(Code::kToolFailed, "what it prepared is not {\"args\"?: object}");
  }
  return json->value("args", Json());
}

std::string call_json(const RunContext& run, const ToolCall& call) {
  return dump_json(
      {{"tool_call_id", call.id}, {"tool_name", call.name}, {"args", call.args}, {"session_id", run.session.id()}});
}

// Keeps the strictest permission that hooks at PRE_TOOL_CALL gave.
class StrictestPermission {
 public:
  void take(DispatchResult& so_far) {
    const auto given = points::PreToolCall::Answers(so_far).permission();
    if (!given || given.giver() != &so_far.decision.hooks.back()) return;
    const Permission permission = *given == "deny"  ? Permission::kDeny
                                  : *given == "ask" ? Permission::kAsk
                                                    : Permission::kAllow;
    if (!kept_ || rank(permission) > rank(kept_->permission)) kept_ = {permission, given.by()};
  }
  [[nodiscard]] const std::optional<HookPermission>& kept() const { return kept_; }

 private:
  static int rank(Permission permission) {
    return permission == Permission::kDeny ? 2 : permission == Permission::kAsk ? 1 : 0;
  }

  std::optional<HookPermission> kept_;
};

}  // namespace

void ToolBatch::decide(const std::vector<ToolCall>& calls) {
  batch_ = std::vector<Planned>(calls.size());
  for (size_t i = 0; i < calls.size(); ++i) {
    batch_[i].record.call = calls[i];
    batch_[i].index = i;
    decide(batch_[i]);
  }
}

bool ToolBatch::waits() const {
  return std::ranges::any_of(batch_, [](const Planned& planned) { return planned.deferral.has_value(); });
}

void ToolBatch::decide(Planned& planned) {
  ToolRecord& record = planned.record;
  if (run_.work.cancel.cancelled())
    return settle(record, ResultKind::kCancelled, "not run: " + run_.work.cancel.reason());
  const auto profile = run_.dialogue.profile();
  // Before the hooks and after them: they and the rules judge the tier that will run.
  const auto resolve = [&] {
    const AgentTool* const tool = find(profile->tools, record.call.name);
    if (tool != nullptr && tool->control() != nullptr) own_tools_.complete_args(tool->control()->tool, record.call);
    return tool;
  };
  const auto show = [&] { run_.transcript.show_call(planned.index, record.call, nullptr); };
  planned.named = resolve();
  std::optional<Json> seen;
  const bool prepares = planned.named != nullptr && planned.named->prepares();  // what hooks see
  if ((prepares && !prepare(planned, planned.named)) || !ask_hooks(planned, seen)) return show();
  const AgentTool* const tool = planned.named = resolve();
  if (!prepare(planned, tool)) return show();
  // The check has changed the arguments that hooks gave: guards judge the arguments that the tool will run with.
  const bool others = seen && planned.checked && !planned.checked->answer.is_error && planned.judged().args != *seen;
  if (others && !ask_guards(planned)) return show();
  if (tool == nullptr || !tool->asks_hooks()) show();
  if (!is_possible(planned, tool) || !validate(planned, *tool)) return;
  ToolLimits& limits = run_.limits;
  const bool completes = tool->ends_run();
  if (!completes) {  // its limit is that of rejections
    if (auto refusal = limits.refusal(record.call)) return settle(record, refusal->kind, std::move(refusal->told));
  }
  PermissionVerdict verdict =
      check_permission(run_, planned.judged(), tool, {.asked = planned.asked, .may_wait = may_wait(run_)});
  if (verdict.refusal) return refuse(record, *std::move(verdict.refusal));
  if (!completes) {
    limits.count(record.call);
    planned.warning = limits.warning(record.call);
  }
  planned.deferral = std::move(verdict.deferral);
  if (!planned.deferral) let_run(planned, *tool);
}

void ToolBatch::refuse(ToolRecord& record, CallRefusal refusal) {
  settle(record, refusal.kind, std::move(refusal.told), std::move(refusal.by));
}

// False: the call is refused.
bool ToolBatch::is_possible(Planned& planned, const AgentTool* tool) {
  ToolRecord& record = planned.record;
  if (tool == nullptr) {
    std::string names;
    for (const auto& one : run_.dialogue.profile()->tools) names += (names.empty() ? "" : ", ") + one->name();
    settle(record, ResultKind::kRejectedSchema,
           "unknown tool " + record.call.name + "; there are: " + (names.empty() ? "none" : names));
    return false;
  }
  if (run_.transcript.in_plan() && (tool->ends_run() || tool->makes_plan())) {
    settle(record, ResultKind::kRejectedSchema, record.call.name + " cannot be a step of a plan");
    return false;
  }
  return true;
}

void ToolBatch::let_run(Planned& planned, const AgentTool& tool) {
  ToolRecord& record = planned.record;
  fire_compaction_miss(record.call);
  if (run_.dry && !tool.ends_run() && !tool.makes_plan()) {
    ++run_.planned_steps;
    return settle_answer(record, "dry run: " + record.call.name + " was not run");
  }
  planned.tool = &tool;
  if (tool.control() != nullptr) return;
  const auto ask = [this, &planned](const UserRequest& request, CancelFlag& cancel) {
    return elicit(run_, planned.record.call, planned.tool, planned.span.number, request, cancel);
  };
  planned.running =
      std::make_unique<ToolInvocation>(tool, ToolInvocation::What::kRun, call_json(run_, planned.judged()),
                                       run_.work.cancel, deadline_of(tool), &waiter_, ask);
}

ToolBatch::Asked ToolBatch::fire_pre_tool_call(const Planned& planned, const DispatchExtras& extras) {
  const ToolCall& call = planned.judged();
  const auto build = [&](const auto& context) {
    context({.tool_name = call.name,
             .args = call.args,
             .tool_call_id = call.id,
             .tier = run_.scope.tier,
             .iteration = run_.scope.iteration,
             .annotations = AgentTool::annotations_of(planned.named),
             .origin = AgentTool::origin_of(planned.named)});
  };
  return run_.ask_of<points::PreToolCall>(call, run_.scope, build, extras);
}

// False: a hook has refused the call.
bool ToolBatch::passed_hooks(Planned& planned, const Asked& outcome) {
  auto refusal = refusal_of(outcome);
  if (refusal) refuse(planned.record, *std::move(refusal));
  return !refusal;
}

// Keeps the permission that they give.
ToolBatch::Asked ToolBatch::ask_all_hooks(Planned& planned) {
  StrictestPermission strictest;
  const auto after_each = [&strictest](DispatchResult& so_far) {
    strictest.take(so_far);
    return true;
  };
  const Completion complete(after_each);
  Asked outcome = fire_pre_tool_call(planned, {.complete = &complete});
  planned.asked = strictest.kept();
  return outcome;
}

bool ToolBatch::ask_hooks(Planned& planned, std::optional<Json>& seen) {
  ToolRecord& record = planned.record;
  const Asked outcome = ask_all_hooks(planned);
  if (!passed_hooks(planned, outcome)) return false;
  take_additional_context(outcome.answers().additional_context(), run_.pending);
  const auto args = outcome.changes().args();
  const auto other = outcome.changes().tool_name();
  if (other || args) {
    seen = args.or_else(planned.judged().args);
    const std::string name = other.or_else(record.call.name);
    if (name == record.call.name || !args) {
      change_args(planned, *seen);
    } else {  // of the first tool's conversions nothing holds for the other one: it gets what the hook gives
      record.call.args = *seen;
      planned.checked.reset();
    }
    record.call.name = name;
  }
  const bool denied = planned.asked && planned.asked->permission == Permission::kDeny;
  const auto response = outcome.answers().response();
  if (denied || !response) return true;
  settle_answer(record, *response, response.by());
  if (run_.work.events.wanted()) run_.work.events.emit(ToolCallEvent{record.call});
  return false;
}

// Lets the guards judge the call, which no other hook changes any more. False: it is refused.
bool ToolBatch::ask_guards(Planned& planned) {
  const auto turn = [](const Hook& hook, DispatchResult&) {
    return hook.is(LH_HOOK_GUARD) ? Turn::kAsk : Turn::kPassOver;
  };
  const Turns turns(turn);
  return passed_hooks(planned, fire_pre_tool_call(planned, {.turns = &turns}));
}

bool ToolBatch::prepare(Planned& planned, const AgentTool* tool) {
  ToolRecord& record = planned.record;
  if (planned.checked || tool == nullptr || tool->check() == nullptr) return true;
  ToolInvocation check(*tool, ToolInvocation::What::kCheck, call_json(run_, record.call), run_.work.cancel,
                       run_.setup.tool_deadline_ms);
  check.start();
  Checked checked{check.wait(), {}};
  ToolInvocation::Answer& answer = checked.answer;
  if (answer.end == ToolInvocation::End::kCancelled || answer.end == ToolInvocation::End::kNotBegun) {
    settle(record, ResultKind::kCancelled, "not run: " + answer.text);
    return false;
  }
  if (tool->prepares() && answer.end == ToolInvocation::End::kAnswered && !answer.is_error) {
    auto args = prepared_args(answer.text);
    if (!args.ok()) {
      answer.end = ToolInvocation::End::kFailed;
      answer.text = args.status().message();
    } else if (!args->is_null() && *args != record.call.args) {
      checked.prepared = {record.call.id, record.call.name, *std::move(args)};
    }
  }
  planned.checked = std::move(checked);
  planned.checked_by = held(run_.dialogue.profile()->tools, tool->name());
  return true;
}

// A hook or an answer, which saw the prepared arguments, gives others. Values that it left unchanged become again what
// the model wrote, so that they are prepared only once: a conversion may not accept a value that it has converted.
void ToolBatch::change_args(Planned& planned, Json args) {
  Json& written = planned.record.call.args;
  const Json& prepared = planned.judged().args;
  if (&prepared != &written) {
    Json merged = Json::object();
    for (const auto& [key, value] : args.items()) {
      const bool left = prepared.contains(key) && prepared[key] == value;
      if (!left) {
        merged[key] = value;
      } else if (written.contains(key)) {
        merged[key] = written[key];
      }
    }
    for (const auto& [key, value] : written.items()) {
      if (!prepared.contains(key) && !merged.contains(key)) merged[key] = value;
    }
    args = std::move(merged);
  }
  written = std::move(args);
  planned.checked.reset();
}

bool ToolBatch::validate(Planned& planned, const AgentTool& tool, Tell tell) {
  ToolRecord& record = planned.record;
  std::string wrong;
  if (planned.checked) {
    const ToolInvocation::Answer& answer = planned.checked->answer;
    if (answer.end != ToolInvocation::End::kAnswered) {
      const std::string why = "the check of the arguments failed: " + answer.text;
      planned.failure = {answer.end == ToolInvocation::End::kTimedOut ? Code::kToolTimeout : Code::kToolFailed, why};
      record.cause_id = answer.cause_id;
      settle(record, ResultKind::kError, "error: " + why);
      return false;
    }
    if (answer.is_error) wrong = answer.text.empty() ? "refused by the tool" : answer.text;
  } else if (run_.requests.takes_answer(tool)) {  // hooks at ON_COMPLETE judge it by the caller's schema
    if (!record.call.args.contains("answer")) wrong = "answer missing";
  } else if (const auto offence = check_value(record.call.args, tool.shown()->parameters)) {
    wrong = (offence->path.empty() ? "" : offence->path + " ") + offence->why;
  }
  if (tell == Tell::kAlways || !wrong.empty()) fire_validation(planned.judged(), "schema", wrong);
  if (!wrong.empty()) {
    settle(record, ResultKind::kRejectedSchema, "invalid arguments: " + wrong);
    return false;
  }
  return tell == Tell::kRefusals || run_.setup.critic_prompt.empty() || passes_critic(planned);
}

// False: it is refused.
bool ToolBatch::passes_critic(Planned& planned) {
  ToolRecord& record = planned.record;
  const auto judged = criticize(run_, planned.judged());
  if (run_.work.cancel.cancelled()) {
    settle(record, ResultKind::kCancelled, "not run: " + run_.work.cancel.reason());
    return false;
  }
  if (!judged.ok()) {
    const std::string why = "the critic failed: " + judged.status().message();
    planned.failure = {judged.status().code(), why};
    settle(record, ResultKind::kError, "error: " + why);
    return false;
  }
  const std::string wrong = *judged ? reason_or(**judged) : "";
  fire_validation(planned.judged(), "critic", wrong);
  if (wrong.empty()) return true;
  settle(record, ResultKind::kRejectedSchema, "rejected by the critic: " + wrong);
  return false;
}

void ToolBatch::fire_validation(const ToolCall& call, const char* validator, const std::string& wrong) {
  run_.notify_of<points::OnToolValidation>(call, [&](const auto& context) {
    context({.tool_name = call.name,
             .args = call.args,
             .tool_call_id = call.id,
             .validator = validator,
             .allowed = wrong.empty(),
             .reason = wrong});
  });
}

// A call that asks again for what compaction has taken: next time more of it is kept.
void ToolBatch::fire_compaction_miss(const ToolCall& call) {
  CompactionMemory& memory = run_.dialogue.compactions();
  const auto lost = memory.take(call);
  if (!lost) return;
  const int32_t boost = memory.raise_boost(call.name);
  run_.notify_of<points::OnCompactionMiss>(call, [&](const auto& context) {
    context({.tool_name = call.name,
             .tool_call_id = call.id,
             .original_size = lost->original,
             .compressed_size = lost->compressed,
             .boost = boost});
  });
}

std::shared_ptr<const AgentTool> ToolBatch::held(const AgentTools& tools, const std::string& name) {
  const auto found = std::ranges::find(tools, name, [](const auto& tool) { return tool->name(); });
  return found == tools.end() ? nullptr : *found;
}

int64_t ToolBatch::deadline_of(const AgentTool& tool) const {
  return tool.deadline_ms() < 0 ? run_.setup.tool_deadline_ms : tool.deadline_ms();
}

}  // namespace lh
