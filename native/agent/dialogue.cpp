#include "agent/dialogue.h"

#include <utility>

#include "generation/decision_log.h"

namespace lh {

Dialogue::Dialogue(const SessionSetup& setup, const std::string& tier, Messages history,
                   std::vector<const Permissions*> above)
    : setup_(setup),
      above_(std::move(above)),
      history_(std::move(history)),
      profile_(std::make_shared<const Profile>(make_profile(setup, tier, "", above_))) {}

Messages Dialogue::history() const {
  const MutexLock lock(mutex_);
  return history_;
}

std::shared_ptr<const Profile> Dialogue::profile() const {
  const MutexLock lock(mutex_);
  return profile_;
}

void Dialogue::set_history(Messages messages) {
  const MutexLock lock(mutex_);
  history_.swap(messages);
}

void Dialogue::forget_tools() {
  const MutexLock lock(mutex_);
  auto without = std::make_shared<Profile>(*profile_);
  without->tools.clear();
  profile_ = std::move(without);
}

void Dialogue::change_tier(const std::string& tier) {
  system_prompt_.reset();
  change(tier, profile()->phase);
}

void Dialogue::change_phase(const std::string& phase) { change(profile()->tier, phase); }

void Dialogue::change(const std::string& tier, const std::string& phase) {
  auto profile = std::make_shared<const Profile>(make_profile(setup_, tier, phase, above_));
  const MutexLock lock(mutex_);
  profile_ = std::move(profile);
}

std::string Dialogue::system_prompt(const Dispatcher& dispatcher, const Scope& scope,
                                    std::vector<Decision>& decisions) {
  if (system_prompt_) return *system_prompt_;
  std::string prompt = profile()->system;
  const Outcome outcome = dispatcher.fire(LH_HOOK_ON_BOOTSTRAP, scope, [&](std::string& out) {
    append_members(out, {{"tier", null_if_empty(scope.tier)}, {"system_prompt", prompt}, {"parts", Json::array()}});
  });
  keep(decisions, outcome->decision);
  if (outcome->answers.contains("parts")) {
    for (const Json& part : outcome->answers["parts"]) {
      if (!prompt.empty()) prompt += "\n\n";
      prompt += part.get<std::string>();
    }
  }
  // A hook that was given up with its run has not said what it had to say.
  if (scope.cancel == nullptr || !scope.cancel->cancelled()) system_prompt_ = prompt;
  return prompt;
}

MessagePtr Dialogue::set_anchor(const std::string& key, MessagePtr message) {
  return std::exchange(anchors_[key], std::move(message));
}

const std::string* Dialogue::original(const std::string& call_id) const {
  const auto found = originals_.find(call_id);
  return found == originals_.end() ? nullptr : &found->second;
}

}  // namespace lh
