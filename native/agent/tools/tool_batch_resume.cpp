// A batch whose calls waited for an answer, and that goes on. Parts of ToolBatch.
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
    if (planned.deferral) {
      one.deferred_by = planned.deferral->by;
      one.waits_for = planned.deferral->waits_for;
      one.reason = planned.deferral->reason;
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

void ToolBatch::resume(const std::vector<WaitingCall>& calls, const WaitingAnswers& answers) {
  batch_ = std::vector<Planned>(calls.size());
  for (size_t i = 0; i < calls.size(); ++i) {
    Planned& planned = batch_[i];
    const WaitingCall& call = calls[i];
    planned.record.call = call.call;
    planned.index = i;
    planned.named = find(run_.dialogue.profile()->tools, call.call.name);
    planned.warning = call.warning;
    if (call.state == WaitingCall::State::kSettled) {
      settle(planned.record, result_kind_of(call.kind), call.result, call.decided_by);
      planned.failure = call.failure;
      continue;
    }
    const auto answer = answers.find(call.call.id);
    if (call.state == WaitingCall::State::kApproved) {
      approve(planned);
    } else if (answer == answers.end()) {
      planned.deferral = Deferral{call.deferred_by, call.waits_for, call.reason};
    } else if (answer->second.kind == WaitingAnswer::Kind::kDeny) {
      refuse(planned.record, denied(reason_or(answer->second.reason, "nobody has allowed it"), ""));
    } else if (!answer->second.args || take_args(planned, *answer->second.args)) {
      approve(planned);
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

// The hooks and validators have seen the call already. Rules and tools may be others now.
void ToolBatch::approve(Planned& planned) {
  ToolRecord& record = planned.record;
  const AgentTool* const tool = planned.named = find(run_.dialogue.profile()->tools, record.call.name);
  if (!is_possible(planned, tool)) return;
  if (auto refusal = check_rules(run_, record.call, *tool)) return refuse(record, *std::move(refusal));
  let_run(planned, *tool);
}

// Somebody has changed the call: guards and validators judge it again, and no other hook may change it. False: it is
// refused.
bool ToolBatch::take_args(Planned& planned, const Json& args) {
  ToolRecord& record = planned.record;
  record.call.args = args;
  const AgentTool* const tool = planned.named = find(run_.dialogue.profile()->tools, record.call.name);
  const auto turn = [](const Hook& hook, Json&) { return hook.is(LH_HOOK_GUARD) ? Turn::kAsk : Turn::kPassOver; };
  const Turns turns(turn);
  const Outcome outcome = fire_pre_tool_call(planned, {.turns = &turns});
  if (!passed_hooks(planned, outcome->decision)) return false;
  run_.transcript.show_call(planned.index, record.call, nullptr);
  return is_possible(planned, tool) && validate(planned, *tool);
}

}  // namespace lh
