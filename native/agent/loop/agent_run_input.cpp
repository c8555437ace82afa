// The inputs of a run: the caller's, messages that the user sends during the run, a pause, a change of tier. Parts of
// AgentRun.
#include <utility>

#include "agent/loop/agent_run.h"
#include "agent/run/context_assembly.h"
#include "agent/session/session.h"
#include "generation/answer_messages.h"
#include "hooks/dispatch/decision_log.h"

namespace lh {

bool AgentRun::take_input(const RunInput& input) {
  goal_ = input.content;
  if (run_.above == nullptr) {
    QueuedMessage message{input.content};
    if (!ask_about(message, false)) return false;
    goal_ = message.content;
    for (const MessagePtr& earlier : with_own_ids(input.history, run_.transcript.everything())) {
      run_.transcript.say(earlier);
    }
    hear(message);
    return true;
  }
  run_.transcript.say(user_message(input.content));  // a task; hooks saw it at ON_DELEGATE
  run_.transcript.publish();
  return true;
}

// Hooks see the message once, and may change it. False: it is not added, because a hook refused it or the run was
// cancelled.
bool AgentRun::ask_about(QueuedMessage& message, bool queued) {
  if (run_.work.cancel.cancelled()) {
    if (!queued) run_.cancelled();
    return false;
  }
  const auto outcome = run_.ask<points::OnUserMessage>(
      [&](const auto& context) { context({.content = message.content, .tier = run_.scope.tier, .queued = queued}); });
  if (const auto veto = outcome.veto()) {
    if (queued) {
      run_.session.inbox().refuse();
    } else {
      run_.halt({veto->by, veto->reason});
    }
    return false;
  }
  if (!outcome.cancelled()) {  // else some hooks were not called
    if (const auto changed = outcome.changes().content()) message.content = *changed;
    message.context = texts_of(outcome.answers().additional_context());
    message.asked = true;
    if (queued) run_.session.inbox().asked(message);
  }
  if (run_.work.cancel.cancelled() && !queued) run_.cancelled();
  return !run_.work.cancel.cancelled();
}

void AgentRun::hear(const QueuedMessage& message) {
  run_.transcript.say(user_message(message.content));
  for (const std::string& text : message.context) run_.say(Origin::kHook, text);
  run_.transcript.publish();
}

// True: the user has said something meanwhile.
bool AgentRun::take_queued() {
  bool said = false;
  while (run_.above == nullptr && !run_.work.cancel.cancelled()) {
    auto message = run_.session.inbox().take();
    if (!message) break;
    if (!message->asked && !ask_about(*message, true)) continue;
    hear(*message);
    run_.session.inbox().heard();
    said = true;
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

Status AgentRun::change_tier(const std::string& tier) {
  const std::string wanted = model_of(run_.setup, tier);
  if (wanted != run_.dialogue.profile()->model) {
    if (Status status = use_model(wanted); !status.ok()) return status;
  }
  run_.dialogue.change_tier(tier);
  run_.scope.tier = tier;
  return {};
}

Status AgentRun::use_model(const std::string& id) {
  auto model = run_.session.models().acquire(id, run_.work, run_.result.refused);
  if (!model.ok()) return model.status();
  run_.model = *std::move(model);
  run_.scope.model_id = run_.model.id;
  return {};
}

// Tools and tiers that the caller has set meanwhile. False: the model that the tier has now cannot be used.
bool AgentRun::take_changes() {
  const std::string before = run_.dialogue.profile()->model;
  if (Status status = run_.session.take_changes(); !status.ok()) {
    run_.dispatcher.error(run_.scope, code_name(status.code()), status.message(), "session", true);
  }
  const std::string wanted = run_.dialogue.profile()->model;
  if (wanted == before) return true;
  Status status = use_model(wanted);
  if (status.ok()) return true;
  if (run_.work.cancel.cancelled()) {
    run_.cancelled();
  } else {
    run_.fail(std::move(status), "tier_change");
  }
  return false;
}

}  // namespace lh
