// What a run hears: its input, what the user says meanwhile, a pause. Parts of AgentRun.
#include <utility>

#include "agent/loop/agent_run.h"
#include "agent/session/session.h"
#include "generation/answer_messages.h"
#include "generation/decision_log.h"

namespace lh {

bool AgentRun::take_input(std::string content) {
  frame_.goal = content;
  if (frame_.above == nullptr) return hear(std::move(content), false);
  frame_.say(user_message(std::move(content)));  // a task, which hooks have seen at ON_DELEGATE
  frame_.publish();
  return true;
}

// False: it is not said.
bool AgentRun::hear(std::string content, bool queued) {
  const Outcome outcome = frame_.dispatcher.fire(LH_HOOK_ON_USER_MESSAGE, frame_.scope, [&](std::string& out) {
    append_members(out, {{"content", content}, {"tier", null_if_empty(frame_.scope.tier)}, {"queued", queued}});
  });
  keep(frame_.result.decisions, outcome->decision);
  const Decision& decision = outcome->decision;
  if (decision.action == Action::kCancelled && decision.decided_by) {
    if (!queued) frame_.halt({decision.decided_by->name, decision.reason.value_or("")});
    return false;
  }
  if (frame_.work.cancel.cancelled()) {
    if (!queued) frame_.cancelled();
    return false;
  }
  if (outcome->changes.contains("content")) content = outcome->changes["content"].get<std::string>();
  if (!queued) frame_.goal = content;
  frame_.say(user_message(std::move(content)));
  frame_.publish();
  if (queued) frame_.session.inbox().heard();
  return true;
}

// True: the user has said something meanwhile.
bool AgentRun::take_queued() {
  bool said = false;
  while (frame_.above == nullptr && !frame_.work.cancel.cancelled()) {
    auto content = frame_.session.inbox().take();
    if (!content) break;
    const bool heard = hear(*std::move(content), true);
    if (!heard && !frame_.work.cancel.cancelled()) frame_.session.inbox().refuse();
    said = said || heard;
  }
  return said;
}

bool AgentRun::ended_well() const {
  return frame_.result.status.ok() && frame_.result.finish == RunFinish::kComplete && !frame_.work.cancel.cancelled();
}

// False: the run was cancelled.
bool AgentRun::wait_while_paused() {
  Inbox& inbox = frame_.session.inbox();
  CancelFlag& cancel = frame_.work.cancel;
  if (inbox.paused() && !cancel.cancelled()) {
    frame_.move_to(LoopState::kPaused);
    inbox.wait_while_paused(cancel);
    if (!cancel.cancelled()) frame_.move_to(LoopState::kExecuting);
  }
  return !cancel.cancelled();
}

}  // namespace lh
