#include "agent/session/dialogue.h"

#include <algorithm>
#include <utility>

#include "agent/session/history_check.h"
#include "agent/session/message_ids.h"
#include "hooks/dispatch/decision_log.h"
#include "hooks/dispatch/fire.h"
#include "hooks/dispatch/points_agent.h"

namespace lh {

Dialogue::Dialogue(const SessionSetup& setup, const std::string& tier, Messages history, std::vector<std::string> above)
    : setup_(setup),
      above_(std::move(above)),
      history_(with_ids(history)),
      everything_(history_),
      profile_(std::make_shared<const Profile>(make_profile(setup, tier, "", above_))),
      states_({tier, ""}) {}

Messages Dialogue::history() const {
  const MutexLock lock(mutex_);
  return with_said(history_);
}

std::shared_ptr<const Profile> Dialogue::profile() const {
  const MutexLock lock(mutex_);
  return profile_;
}

std::vector<std::string> Dialogue::tiers() const {
  const MutexLock lock(mutex_);
  std::vector<std::string> all = above_;
  all.push_back(profile_->tier);
  return all;
}

Messages Dialogue::everything() const {
  const MutexLock lock(mutex_);
  return with_said(everything_);
}

Messages Dialogue::settled_history() const {
  const MutexLock lock(mutex_);
  return history_;
}

Messages Dialogue::settled_everything() const {
  const MutexLock lock(mutex_);
  return everything_;
}

Messages Dialogue::with_said(const Messages& messages) const {
  Messages all = messages;
  const Messages said = with_results(said_);
  all.insert(all.end(), said.begin(), said.end());
  return all;
}

size_t Dialogue::reshaped() const {
  const MutexLock lock(mutex_);
  return reshaped_;
}

void Dialogue::set_history(Messages messages, Messages everything, size_t reshaped) {
  const MutexLock lock(mutex_);
  reshaped_ = reshaped;
  history_.swap(messages);
  everything_.swap(everything);
  said_.clear();
}

void Dialogue::set_said(Messages said) {
  const MutexLock lock(mutex_);
  said_.swap(said);
}

void Dialogue::forget_tools() {
  const MutexLock lock(mutex_);
  auto without = std::make_shared<Profile>(*profile_);
  without->tools.clear();
  profile_ = std::move(without);
}

void Dialogue::add_above(const std::vector<std::string>& tiers) {
  std::vector<std::string> all = above_;
  for (const std::string& tier : tiers) {
    if (std::ranges::find(all, tier) == all.end()) all.push_back(tier);
  }
  if (all == above_) return;
  const auto now = profile();
  auto profile = std::make_shared<const Profile>(make_profile(setup_, now->tier, now->phase, all));
  const MutexLock lock(mutex_);
  above_ = std::move(all);
  profile_ = std::move(profile);
}

void Dialogue::change_tier(const std::string& tier) {
  system_prompt_.reset();
  change(tier, profile()->phase);
}

void Dialogue::change_phase(const std::string& phase) { change(profile()->tier, phase); }

void Dialogue::renew() {
  const auto before = profile();
  change(before->tier, before->phase);
  if (profile()->system != before->system) system_prompt_.reset();
}

void Dialogue::change(const std::string& tier, const std::string& phase) {
  auto profile = std::make_shared<const Profile>(make_profile(setup_, tier, phase, above_));
  const MutexLock lock(mutex_);
  profile_ = std::move(profile);
}

std::string Dialogue::system_prompt(const Dispatcher& dispatcher, const Scope& scope,
                                    std::vector<Decision>& decisions) {
  if (system_prompt_) return *system_prompt_;
  std::string prompt = profile()->system;
  const auto outcome = fire<points::OnBootstrap>(dispatcher, scope, decisions, [&](const auto& context) {
    context({.tier = scope.tier, .system_prompt = prompt, .parts = Json::array()});
  });
  if (const auto parts = outcome.answers().parts()) {
    for (const Json& part : *parts) {
      if (!prompt.empty()) prompt += "\n\n";
      prompt += part.get<std::string>();
    }
  }
  // Keeps the prompt unless the run was cancelled: an abandoned hook has not added its text.
  if (scope.cancel == nullptr || !scope.cancel->cancelled()) system_prompt_ = prompt;
  return prompt;
}

void Dialogue::set_todos(Json todos) {
  const MutexLock lock(mutex_);
  todos_ = std::move(todos);
}

MessagePtr Dialogue::set_anchor(const std::string& key, MessagePtr message) {
  const MutexLock lock(mutex_);
  return std::exchange(anchors_[key], std::move(message));
}

void Dialogue::mark() {
  const MutexLock lock(mutex_);
  states_.note(everything_.size(), state());
}

void Dialogue::mark(size_t count) {
  const MutexLock lock(mutex_);
  states_.note(count, state());
}

DialogueState Dialogue::state() const { return {profile_->tier, profile_->phase, todos_, anchors_}; }

void Dialogue::keep_whole(const std::string& call_id, std::string text) {
  const MutexLock lock(mutex_);
  originals_[call_id] = {std::move(text), std::nullopt, false};
}

void Dialogue::keep_original(const std::string& call_id, std::string text) {
  const MutexLock lock(mutex_);
  auto& said = originals_[call_id].said;
  if (!said) said = std::move(text);
}

void Dialogue::shorten(const std::string& call_id, std::string text) {
  keep_original(call_id, std::move(text));
  const MutexLock lock(mutex_);
  originals_[call_id].shortened = true;
}

void Dialogue::prune(const std::string& call_id, std::string text, size_t count) {
  shorten(call_id, std::move(text));
  const MutexLock lock(mutex_);
  originals_[call_id].pruned_at = count;
}

bool Dialogue::is_shortened(const std::string& call_id) const {
  const MutexLock lock(mutex_);
  const auto found = originals_.find(call_id);
  return found != originals_.end() && found->second.shortened;
}

std::optional<std::string> Dialogue::original(const std::string& call_id) const {
  const MutexLock lock(mutex_);
  const auto found = originals_.find(call_id);
  if (found == originals_.end()) return std::nullopt;
  return found->second.whole ? found->second.whole : found->second.said;
}

void Dialogue::replace_answer(const std::string& before, const std::string& now) {
  const MutexLock lock(mutex_);
  const auto at = std::find_if(history_.rbegin(), history_.rend(),
                               [](const MessagePtr& one) { return one->role == Role::kAssistant; });
  if (at == history_.rend()) return;
  const MessagePtr last = *at;
  auto changed = std::make_shared<Message>(*last);
  if (changed->content == before) changed->content = now;
  for (ToolCall& call : changed->tool_calls) {
    const ControlToolRow* const control = control_tool_row(call.name);
    const bool ends_run = control != nullptr && control->ends_run;
    if (ends_run && call.args.value("summary", Json()) == before) call.args["summary"] = now;
  }
  for (Messages* list : {&history_, &everything_}) std::ranges::replace(*list, last, MessagePtr(changed));
}

void Dialogue::take_originals(const Dialogue& of) {
  auto originals = [&of] {
    const MutexLock lock(of.mutex_);
    return of.originals_;
  }();
  const MutexLock lock(mutex_);
  originals_ = std::move(originals);
}

std::shared_ptr<void> Dialogue::take() {
  if (taken_.exchange(true)) return nullptr;
  return {this, [](void* of) { static_cast<Dialogue*>(of)->taken_ = false; }};
}

}  // namespace lh
