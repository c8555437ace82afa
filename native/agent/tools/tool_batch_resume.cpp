// Continues a batch whose calls waited for an answer. Parts of ToolBatch.
#include <utility>

#include "agent/tools/permission_check.h"
#include "agent/tools/tool_batch.h"
#include "base/text/reason.h"

namespace lh {

std::vector<WaitingCall> ToolBatch::waiting() const {
  std::vector<WaitingCall> calls;
  for (const Planned& planned : batch_) {
    const ToolRecord& record = planned.record;
    WaitingCall& one = calls.emplace_back(WaitingCall{record.call});
    one.warning = planned.warning;
    if (planned.checked && planned.checked->prepared) one.prepared = planned.checked->prepared->args;
    one.checked_by = planned.checked_by;
    if (const auto& deferral = planned.deferral ? planned.deferral : planned.answered) {
      one.deferred_by = deferral->by;
      one.waits_for = deferral->waits_for;
      one.reason = deferral->reason;
    }
    if (planned.deferral) {
      one.state = WaitingCall::State::kDeferred;
    } else if (planned.tool != nullptr) {
      one.state = WaitingCall::State::kApproved;
    } else {
      one.state = WaitingCall::State::kSettled;
      one.kind = result_kind_name(record.kind);
      one.result = record.result;
      one.decided_by = record.decided_by;
      one.failure = planned.failure;
    }
  }
  return calls;
}

void ToolBatch::resume(const WaitingRun& waiting, const WaitingAnswers& answers) {
  const std::vector<WaitingCall>& calls = waiting.calls;
  batch_ = std::vector<Planned>(calls.size());
  for (size_t i = 0; i < calls.size(); ++i) {
    Planned& planned = batch_[i];
    const WaitingCall& call = calls[i];
    planned.record.call = call.call;
    planned.index = i;
    planned.named = find(run_.dialogue.profile()->tools, call.call.name);
    planned.warning = call.warning;
    planned.checked_by = call.checked_by;
    if (call.state == WaitingCall::State::kSettled) {
      settle(planned.record, result_kind_of(call.kind), call.result, call.decided_by);
      planned.failure = call.failure;
      continue;
    }
    const auto found = answers.find(call.call.id);
    if (call.state == WaitingCall::State::kApproved) {
      if (!call.deferred_by.empty()) planned.answered = Deferral{call.deferred_by, call.waits_for, call.reason};
      approve(planned, call, nullptr, waiting.restored);
    } else if (found == answers.end()) {
      planned.deferral = Deferral{call.deferred_by, call.waits_for, call.reason};
      if (call.prepared) planned.checked = Checked{{}, ToolCall{call.call.id, call.call.name, *call.prepared}};
    } else {
      WaitingAnswer answer = found->second;
      if (answer.by.empty()) answer.by = call.waits_for;
      planned.answered = Deferral{call.deferred_by, call.waits_for, call.reason};
      approve(planned, call, &answer, waiting.restored);
    }
  }
}

void ToolBatch::cancel(const std::string& why) {
  for (Planned& planned : batch_) {
    if (!planned.deferral && planned.tool == nullptr) continue;
    planned.deferral.reset();
    planned.tool = nullptr;
    planned.running.reset();
    settle(planned.record, ResultKind::kCancelled, "not run: " + why);
  }
}

// Hooks and validators have seen the call already. Only those that judge are called again, because rules, guards and
// the tool may have changed. For a call that was allowed before the session was restored, the others are called, too,
// because a hook may have allowed it; their changes have no effect.
void ToolBatch::approve(Planned& planned, const WaitingCall& waited, const WaitingAnswer* answer, bool restored) {
  ToolRecord& record = planned.record;
  const AgentTool* const tool = planned.named = find(run_.dialogue.profile()->tools, record.call.name);
  const bool denied = answer != nullptr && answer->kind != WaitingAnswer::Kind::kAllow;
  const bool changed = !denied && answer != nullptr && answer->args.has_value();
  if (waited.prepared) planned.checked = Checked{{}, ToolCall{record.call.id, record.call.name, *waited.prepared}};
  if (denied) {  // hooks see the denial
    PermissionVerdict verdict = check_permission(run_, planned.judged(), tool, {.answer = answer});
    if (answer->kind == WaitingAnswer::Kind::kDeny) return refuse(record, *std::move(verdict.refusal));
    planned.deferral = planned.answered;  // until all calls are cancelled
    return;
  }
  if (changed) {
    change_args(planned, *answer->args);
    run_.transcript.show_call(planned.index, record.call, nullptr);
  }
  planned.checked.reset();
  if (!is_possible(planned, tool) || !prepare(planned, tool)) return;
  const bool checks_out = !planned.checked || (planned.checked->answer.end == ToolInvocation::End::kAnswered &&
                                               !planned.checked->answer.is_error);
  if (!changed && checks_out && planned.judged().args != waited.judged()) {
    // Runs with the arguments that were allowed, because the same check may prepare others each time, such as an id or
    // the time.
    const bool same_check = !restored && planned.checked && waited.checked_by.lock().get() == tool;
    if (!same_check) {
      return settle(record, ResultKind::kRejectedSchema,
                    "invalid arguments: the tool would get " + dump_json(planned.judged().args) +
                        " now, and was allowed " + dump_json(waited.judged()));
    }
    planned.checked->prepared = ToolCall{record.call.id, record.call.name, waited.judged()};
  }
  const bool asked_anew = answer == nullptr && restored;
  if (asked_anew ? !passed_hooks(planned, ask_all_hooks(planned)) : !ask_guards(planned)) return;
  if (!validate(planned, *tool, changed ? Tell::kAlways : Tell::kRefusals)) return;
  if (answer == nullptr && !restored) {
    if (auto refusal = check_rules(run_, planned.judged(), *tool)) return refuse(record, *std::move(refusal));
    return let_run(planned, *tool);
  }
  PermissionVerdict verdict = check_permission(run_, planned.judged(), tool,
                                               {.asked = planned.asked, .answer = answer, .may_wait = may_wait(run_)});
  if (verdict.refusal) return refuse(record, *std::move(verdict.refusal));
  planned.deferral = std::move(verdict.deferral);
  if (!planned.deferral) let_run(planned, *tool);
}

}  // namespace lh
