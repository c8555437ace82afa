#include "agent/tool_batch.h"

#include <algorithm>
#include <utility>

#include "hooks/schema_check.h"

namespace lh {
namespace {

Json null_if_empty(const std::string& text) { return text.empty() ? Json() : Json(text); }

void settle(ToolRecord& record, ResultKind kind, std::string told, std::string by = "") {
  record.kind = kind;
  record.is_error = kind != ResultKind::kOk && kind != ResultKind::kOkEmpty;
  record.result = std::move(told);
  record.decided_by = std::move(by);
}

void settle_answer(ToolRecord& record, std::string text, std::string by = "") {
  const ResultKind kind = text.empty() ? ResultKind::kOkEmpty : ResultKind::kOk;
  settle(record, kind, std::move(text), std::move(by));
}

std::string call_json(const ToolCall& call) {
  return dump_json({{"tool_call_id", call.id}, {"tool_name", call.name}, {"args", call.args}});
}

}  // namespace

std::vector<ToolRecord> ToolBatch::run(const std::vector<ToolCall>& calls, Verify verify) {
  std::vector<Planned> batch(calls.size());
  for (size_t i = 0; i < calls.size(); ++i) {
    batch[i].record.call = calls[i];
    decide(batch[i]);
  }
  for (Planned& planned : batch) start(planned);
  await(batch);
  std::vector<ToolRecord> ended;
  for (Planned& planned : batch) {
    if (planned.completes) continue;
    finish(planned);
    ended.push_back(planned.record);
  }
  bool completed = false;
  std::vector<ToolRecord> records;
  for (Planned& planned : batch) {
    if (planned.completes) complete(planned, ended, verify, completed);
    records.push_back(std::move(planned.record));
  }
  return records;
}

// In the order in which they must have answered: a wait that comes late would let a tool pass its deadline unseen.
void ToolBatch::await(std::vector<Planned>& batch) {
  std::vector<Planned*> running;
  for (Planned& planned : batch) {
    if (planned.running) running.push_back(&planned);
  }
  std::ranges::stable_sort(running, {}, [](const Planned* planned) { return planned->running->due(); });
  for (Planned* planned : running) planned->answer = planned->running->wait();
}

void ToolBatch::start(Planned& planned) {
  if (planned.running == nullptr) return;
  if (work_.cancel.cancelled()) {
    planned.running.reset();
    return settle(planned.record, ResultKind::kCancelled, "not run: " + work_.cancel.reason());
  }
  if (work_.events.wanted()) work_.events.emit(ToolCallEvent{planned.record.call});
  planned.running->start();
}

void ToolBatch::complete(Planned& planned, const std::vector<ToolRecord>& records, Verify verify, bool& completed) {
  ToolRecord& record = planned.record;
  if (completed || work_.cancel.cancelled()) {
    settle(record, ResultKind::kCancelled,
           completed ? "not run: completed already" : "not run: " + work_.cancel.reason());
  } else {
    if (work_.events.wanted()) work_.events.emit(ToolCallEvent{record.call});
    Verdict verdict = verify(record.call.args["summary"].get_ref<const std::string&>(), records);
    switch (verdict.is) {
      case Verdict::Is::kAccepted:
        completed = true;
        settle_answer(record, "completed");
        break;
      case Verdict::Is::kRejected:
        settle(record, ResultKind::kRejectedHook, "rejected: " + verdict.why, std::move(verdict.by));
        break;
      case Verdict::Is::kCancelled: settle(record, ResultKind::kCancelled, "not run: " + verdict.why);
    }
  }
  finish(planned);
}

std::vector<ToolRecord> ToolBatch::refuse(const std::vector<ToolCall>& calls, ResultKind kind, const std::string& why,
                                          const std::string& by) {
  std::vector<ToolRecord> records;
  for (const ToolCall& call : calls) {
    Planned planned;
    planned.record.call = call;
    settle(planned.record, kind, why, by);
    finish(planned);
    records.push_back(std::move(planned.record));
  }
  return records;
}

void ToolBatch::decide(Planned& planned) {
  ToolRecord& record = planned.record;
  if (work_.cancel.cancelled()) return settle(record, ResultKind::kCancelled, "not run: " + work_.cancel.reason());
  if (!ask_hooks(planned)) return;
  const AgentTool* const tool = find(record.call.name);
  if (tool == nullptr) {
    std::string names;
    for (const auto& one : tools_) names += (names.empty() ? "" : ", ") + one->name();
    return settle(record, ResultKind::kRejectedSchema,
                  "unknown tool " + record.call.name + "; there are: " + (names.empty() ? "none" : names));
  }
  if (!validate(planned, *tool)) return;
  if (auto refusal = limits_.refusal(record.call)) return settle(record, refusal->kind, std::move(refusal->told));
  if (!permitted(planned)) return;
  limits_.count(record.call);
  planned.warning = limits_.warning(record.call);
  planned.completes = tool->run() == nullptr;
  if (planned.completes) return;
  planned.running =
      std::make_unique<ToolInvocation>(*tool, tool->run(), call_json(record.call), work_.cancel, deadline_of(*tool));
}

bool ToolBatch::ask_hooks(Planned& planned) {
  ToolRecord& record = planned.record;
  const Outcome outcome = dispatcher_.fire(LH_HOOK_PRE_TOOL_CALL, scope_, [&](std::string& out) {
    append_members(out, {{"tool_name", record.call.name},
                         {"args", record.call.args},
                         {"tool_call_id", record.call.id},
                         {"tier", null_if_empty(scope_.tier)},
                         {"iteration", scope_.iteration}});
  });
  keep(decisions_, outcome->decision);
  const Decision& decision = outcome->decision;
  if (decision.action == Action::kCancelled) {
    const std::string reason = decision.reason.value_or("");
    if (decision.decided_by) {
      const std::string& by = decision.decided_by->name;
      settle(record, ResultKind::kRejectedHook, "blocked by " + by + ": " + reason, by);
    } else {
      settle(record, ResultKind::kCancelled, "not run: " + reason);
    }
    return false;
  }
  const Json& changes = outcome->changes;
  if (changes.contains("tool_name")) record.call.name = changes["tool_name"].get<std::string>();
  if (changes.contains("args")) record.call.args = changes["args"];
  if (!outcome->answers.contains("response")) return true;
  settle_answer(record, capped(outcome->answers["response"].get<std::string>()), named_by(decision, "response")->name);
  if (work_.events.wanted()) work_.events.emit(ToolCallEvent{record.call});
  return false;
}

bool ToolBatch::validate(Planned& planned, const AgentTool& tool) {
  ToolRecord& record = planned.record;
  std::string wrong;
  if (tool.check() != nullptr) {
    ToolInvocation check(tool, tool.check(), call_json(record.call), work_.cancel, params_.tool_deadline_ms);
    check.start();
    ToolInvocation::Answer answer = check.wait();
    if (answer.end == ToolInvocation::End::kCancelled) {
      settle(record, ResultKind::kCancelled, "not run: " + answer.text);
      return false;
    }
    if (answer.end != ToolInvocation::End::kAnswered) {
      const std::string why = "the check of the arguments failed: " + answer.text;
      report(record, answer.end == ToolInvocation::End::kTimedOut ? Code::kToolTimeout : Code::kToolFailed, why);
      settle(record, ResultKind::kError, "error: " + why);
      return false;
    }
    if (answer.is_error) wrong = answer.text.empty() ? "refused by the tool" : answer.text;
  } else if (const auto offence = check_schema(record.call.args, tool.shown()->parameters)) {
    wrong = (offence->path.empty() ? "" : offence->path + " ") + offence->why;
  }
  static_cast<void>(dispatcher_.fire(LH_HOOK_ON_TOOL_VALIDATION, scope_, [&](std::string& out) {
    append_members(out, {{"tool_name", record.call.name},
                         {"args", record.call.args},
                         {"validator", "schema"},
                         {"allowed", wrong.empty()},
                         {"reason", null_if_empty(wrong)}});
  }));
  if (wrong.empty()) return true;
  settle(record, ResultKind::kRejectedSchema, "invalid arguments: " + wrong);
  return false;
}

// Rules, then whoever is asked: no answer is a denial.
bool ToolBatch::permitted(Planned& planned) {
  ToolRecord& record = planned.record;
  const Permissions::Judgement judged = permissions_.judge(record.call);
  const Outcome outcome = dispatcher_.fire(LH_HOOK_ON_PERMISSION_CHECK, scope_, [&](std::string& out) {
    append_members(out, {{"tool_name", record.call.name},
                         {"args", record.call.args},
                         {"permission", permission_name(judged.permission)},
                         {"rule", null_if_empty(judged.rule)},
                         {"tier", null_if_empty(scope_.tier)}});
  });
  keep(decisions_, outcome->decision);
  const Decision& decision = outcome->decision;
  const auto deny = [&](const std::string& why, const std::string& by) {
    settle(record, ResultKind::kRejectedPermission, "denied: " + why, by);
    return false;
  };
  if (decision.action == Action::kCancelled && !decision.decided_by) {
    settle(record, ResultKind::kCancelled, "not run: " + decision.reason.value_or(""));
    return false;
  }
  if (decision.action == Action::kCancelled) return deny(*decision.reason, decision.decided_by->name);
  const bool answered = outcome->changes.contains("permission");
  const std::string answer = answered ? outcome->changes["permission"].get<std::string>() : "";
  const std::string by = answered ? named_by(decision, "permission")->name : "";
  if (judged.permission == Permission::kDeny) {
    if (answered) {
      dispatcher_.error(scope_, code_name(Code::kHookBadAnswer),
                        "the hook " + by + " answered " + answer + " for a call of " + record.call.name +
                            " that a rule denies; it stays denied",
                        "tool:" + record.call.name, true);
    }
    return deny("the rule " + judged.rule, "");
  }
  const Json& answers = outcome->answers;
  const bool reasoned = answers.is_object() && answers.contains("reason");
  if (answer == "deny") return deny(reasoned ? answers["reason"].get<std::string>() : "by " + by, by);
  if (answer == "allow" || (answer.empty() && judged.permission == Permission::kAllow)) return true;
  return deny("nobody has allowed it", "");
}

const AgentTool* ToolBatch::find(const std::string& name) const {
  const auto found = std::ranges::find(tools_, name, [](const auto& tool) { return tool->name(); });
  return found == tools_.end() ? nullptr : found->get();
}

int64_t ToolBatch::deadline_of(const AgentTool& tool) const {
  return tool.deadline_ms() < 0 ? params_.tool_deadline_ms : tool.deadline_ms();
}

void ToolBatch::finish(Planned& planned) {
  ToolRecord& record = planned.record;
  const bool ran = planned.running != nullptr;
  if (ran) take_answer(planned);
  if (!planned.warning.empty()) record.result += "\n[" + planned.warning + "]";
  ask_about_result(record);
  if (ran) limits_.ended(record.call, record.result);
  if (work_.events.wanted()) work_.events.emit(ToolResultEvent{to_json(record)});
}

void ToolBatch::take_answer(Planned& planned) {
  ToolRecord& record = planned.record;
  ToolInvocation::Answer& answer = planned.answer;
  record.elapsed_ms = answer.elapsed_ms;
  switch (answer.end) {
    case ToolInvocation::End::kAnswered:
      if (answer.is_error) return settle(record, ResultKind::kError, capped("error: " + answer.text));
      return settle_answer(record, capped(std::move(answer.text)));
    case ToolInvocation::End::kFailed:
      report(record, Code::kToolFailed, answer.text);
      return settle(record, ResultKind::kError, capped("error: " + answer.text));
    case ToolInvocation::End::kTimedOut:
      report(record, Code::kToolTimeout, answer.text);
      return settle(record, ResultKind::kTimeout, answer.text);
    case ToolInvocation::End::kCancelled: return settle(record, ResultKind::kCancelled, "cancelled: " + answer.text);
  }
}

// What the caller is about to get must pass these hooks, cancelled or not: only the end of the engine cuts them off.
void ToolBatch::ask_about_result(ToolRecord& record) {
  Scope scope = scope_;
  scope.cancel = &work_.closing;
  const Outcome after = dispatcher_.fire(LH_HOOK_POST_TOOL_CALL, scope, [&](std::string& out) {
    append_members(out, {{"tool_name", record.call.name},
                         {"args", record.call.args},
                         {"tool_call_id", record.call.id},
                         {"elapsed_ms", record.elapsed_ms},
                         {"tier", null_if_empty(scope_.tier)},
                         {"iteration", scope_.iteration},
                         {"result_kind", result_kind_name(record.kind)},
                         {"is_error", record.is_error},
                         {"result", record.result},
                         {"directives", Json::array()}});
  });
  keep(decisions_, after->decision);
  if (after->changes.contains("result")) record.result = capped(after->changes["result"].get<std::string>());
  if (after->changes.contains("is_error")) record.is_error = after->changes["is_error"].get<bool>();
  const Outcome stored = dispatcher_.fire(LH_HOOK_ON_TOOL_RESULT_PERSIST, scope, [&](std::string& out) {
    append_members(out,
                   {{"tool_name", record.call.name}, {"result", record.result}, {"tier", null_if_empty(scope_.tier)}});
  });
  keep(decisions_, stored->decision);
  if (stored->changes.contains("result")) record.result = capped(stored->changes["result"].get<std::string>());
}

void ToolBatch::report(const ToolRecord& record, Code code, const std::string& message) {
  dispatcher_.error(scope_, code_name(code), record.call.name + ": " + message, "tool:" + record.call.name, true);
}

std::string ToolBatch::capped(std::string text) const {
  const auto most = static_cast<size_t>(params_.max_result_bytes);
  if (text.size() <= most) return text;
  size_t cut = most;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut;  // whole characters
  const std::string note = "\n[shortened: " + std::to_string(cut) + " of " + std::to_string(text.size()) + " bytes]";
  text.resize(cut);
  return text + note;
}

}  // namespace lh
