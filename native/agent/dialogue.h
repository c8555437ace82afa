// One conversation: what was said in it, who speaks, and what goes with it (todos, anchors, what was shortened).
// Must not: run, or know which session it is of.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "agent/tier.h"
#include "base/mutex.h"
#include "hooks/dispatcher.h"

namespace lh {

class Dialogue {
 public:
  // `setup` outlives it. `above`: rules of the runs that delegate to it.
  Dialogue(const SessionSetup& setup, const std::string& tier, Messages history, std::vector<const Permissions*> above);
  Dialogue(const Dialogue&) = delete;
  Dialogue& operator=(const Dialogue&) = delete;

  // Any thread. Never with a tool call that has no result.
  [[nodiscard]] Messages history() const;
  [[nodiscard]] std::shared_ptr<const Profile> profile() const;

  // The rest is for the run that is under way.
  void set_history(Messages messages);
  // There will be no run any more.
  void forget_tools();
  void change_tier(const std::string& tier);
  void change_phase(const std::string& phase);
  // Assembled once for a tier, so that the KV cache keeps what begins with it.
  [[nodiscard]] std::string system_prompt(const Dispatcher& dispatcher, const Scope& scope,
                                          std::vector<Decision>& decisions);

  [[nodiscard]] const Json& todos() const { return todos_; }  // [{"content", "status"}]
  void set_todos(Json todos) { todos_ = std::move(todos); }

  // Gives the message that the key had until now; null: none.
  MessagePtr set_anchor(const std::string& key, MessagePtr message);

  // What a result was before it was shortened, by the id of its call.
  void keep_original(const std::string& call_id, std::string text) { originals_[call_id] = std::move(text); }
  // Null: nothing is kept.
  [[nodiscard]] const std::string* original(const std::string& call_id) const;

 private:
  void change(const std::string& tier, const std::string& phase);

  const SessionSetup& setup_;
  const std::vector<const Permissions*> above_;
  std::optional<std::string> system_prompt_;
  Json todos_ = Json::array();
  std::map<std::string, MessagePtr> anchors_;  // by key
  std::map<std::string, std::string> originals_;

  mutable Mutex mutex_;
  Messages history_ LH_GUARDED_BY(mutex_);
  std::shared_ptr<const Profile> profile_ LH_GUARDED_BY(mutex_);
};
static_assert(!std::is_copy_constructible_v<Dialogue>);

}  // namespace lh
