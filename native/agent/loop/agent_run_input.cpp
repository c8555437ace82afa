// The inputs of a run: the caller's, messages that the user sends during the run, a pause. Parts of AgentRun.
#include <utility>

#include "agent/loop/agent_run.h"
#include "agent/run/context_assembly.h"
#include "agent/session/session.h"
#include "generation/answer_messages.h"
#include "generation/decision_log.h"

namespace lh {

bool AgentRun::take_input(std::string content) {
  goal_ = content;
  if (run_.above == nullptr) return hear(std::move(content), false);
  run_.transcript.say(user_message(std::move(content)));  // a task, which hooks have seen at ON_DELEGATE
  run_.transcript.publish();
  return true;
}

// False: it is not said.
bool AgentRun::hear(std::string content, bool queued) {
  const Outcome outcome = run_.dispatcher.fire(LH_HOOK_ON_USER_MESSAGE, run_.scope, [&](std::string& out) {
    append_members(out, {{"content", content}, {"tier", null_if_empty(run_.scope.tier)}, {"queued", queued}});
  });
  keep(run_.result.decisions, outcome->decision);
  const Decision& decision = outcome->decision;
  if (decision.action == Action::kCancelled && decision.decided_by) {
    if (!queued) run_.halt({decision.decided_by->name, decision.reason.value_or("")});
    return false;
  }
  if (run_.work.cancel.cancelled()) {
    if (!queued) run_.cancelled();
    return false;
  }
  if (outcome->changes.contains("content")) content = outcome->changes["content"].get<std::string>();
  if (!queued) goal_ = content;
  run_.transcript.say(user_message(std::move(content)));
  for (const MessagePtr& message : additional_context(*outcome)) run_.transcript.say(message);
  run_.transcript.publish();
  if (queued) run_.session.inbox().heard();
  return true;
}

// True: the user has said something meanwhile.
bool AgentRun::take_queued() {
  bool said = false;
  while (run_.above == nullptr && !run_.work.cancel.cancelled()) {
    auto content = run_.session.inbox().take();
    if (!content) break;
    const bool heard = hear(*std::move(content), true);
    if (!heard && !run_.work.cancel.cancelled()) run_.session.inbox().refuse();
    said = said || heard;
  }
  return said;
}

bool AgentRun::ended_well() const {
  return run_.result.status.ok() && run_.result.finish == RunFinish::kComplete && !run_.work.cancel.cancelled();
}

// False: the run was cancelled.
bool AgentRun::wait_while_paused() {
  Inbox& inbox = run_.session.inbox();
  CancelFlag& cancel = run_.work.cancel;
  if (inbox.paused() && !cancel.cancelled()) {
    run_.move_to(LoopState::kPaused);
    inbox.wait_while_paused(cancel);
    if (!cancel.cancelled()) run_.move_to(LoopState::kExecuting);
  }
  return !cancel.cancelled();
}

}  // namespace lh
