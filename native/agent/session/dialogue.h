// One conversation: its messages, its tier, and its state (todos, anchors, shortened results). Must not: run, or know
// the session that it belongs to.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "agent/session/compaction_memory.h"
#include "agent/session/state_log.h"
#include "agent/setup/tier.h"
#include "base/threads/mutex.h"
#include "generation/active_adapters.h"
#include "hooks/dispatch/dispatcher.h"

namespace lh {

struct SavedDialogue;

class Dialogue {
 public:
  // `setup` outlives it. `above`: the tiers that delegate to it, beginning with the session's.
  Dialogue(const SessionSetup& setup, const std::string& tier, Messages history, std::vector<std::string> above);
  Dialogue(const Dialogue&) = delete;
  Dialogue& operator=(const Dialogue&) = delete;

  // The messages, including those of the run under way; any thread. Every tool call has a result: a missing one is
  // replaced by a text which says that the session was interrupted.
  [[nodiscard]] Messages history() const;
  // The messages, including those that compactions have left out.
  [[nodiscard]] Messages everything() const;
  // The same two without what the run under way, or one that waits, has said: a run begins with them.
  [[nodiscard]] Messages settled_history() const;
  [[nodiscard]] Messages settled_everything() const;
  [[nodiscard]] std::shared_ptr<const Profile> profile() const;
  // The tiers that it cannot do without: the one that speaks, and those that delegate to it.
  [[nodiscard]] std::vector<std::string> tiers() const;

  // The rest is for the run that is under way.
  // `reshaped`: the length of `everything` when the last compaction replaced what the model sees.
  void set_history(Messages messages, Messages everything, size_t reshaped);
  [[nodiscard]] size_t reshaped() const;
  // Sets the messages that the run has said since. They are shown and saved with the history, but are lost unless
  // set_history() adds them. Calls of the last message may lack their results.
  void set_said(Messages said);
  [[nodiscard]] const std::vector<std::string>& above() const { return above_; }
  // Tiers that delegate to it now: their rules hold from now on, beside those that did.
  void add_above(const std::vector<std::string>& tiers);
  // Releases the tools; no run follows.
  void forget_tools();
  void change_tier(const std::string& tier);
  void change_phase(const std::string& phase);
  // Tools or tiers of the setup have changed. No run of it is under way, or that run is between two iterations.
  void renew();
  // Assembled once for a tier, so that the KV cache keeps what begins with it.
  [[nodiscard]] std::string system_prompt(const Dispatcher& dispatcher, const Scope& scope,
                                          std::vector<Decision>& decisions);

  void set_todos(Json todos);  // [{"content", "status"}]

  // Records that the current tier, phase, todos and anchors apply from the last message on; with `count`, from that
  // number of messages on.
  void mark();
  void mark(size_t count);
  // Drops the messages after that one; with an empty id, all. Restores the tier, phase, todos and anchors at that
  // message, and the messages that were shortened or dropped since. Returns how many messages everything() has now.
  // Errors: kNotFound, those of up_to(), and kInvalidArgument if a tier or phase no longer exists; after an error
  // nothing has changed.
  [[nodiscard]] Result<size_t> rewind(const std::string& message_id);

  // Gives the message that the key had until now; null: none.
  MessagePtr set_anchor(const std::string& key, MessagePtr message);

  // The whole of a result that is too long to be said, as hooks left it, by the id of its call. Never saved: it is as
  // long as a tool likes.
  void keep_whole(const std::string& call_id, std::string text);
  // Keeps the text of a result that is now shown shortened. If a text is kept already, that one stays.
  void shorten(const std::string& call_id, std::string text);
  // The same on request, not by a compaction: the result is whole again if the conversation is rewound to less than
  // `count` messages.
  void prune(const std::string& call_id, std::string text, size_t count);
  // Like shorten(), but the result does not count as shortened: it may be shortened further.
  void keep_original(const std::string& call_id, std::string text);
  [[nodiscard]] bool is_shortened(const std::string& call_id) const;
  // Nothing where nothing is kept.
  [[nodiscard]] std::optional<std::string> original(const std::string& call_id) const;
  // The answer that was given last, in words or by `complete`, where it is `before`, is `now`.
  void replace_answer(const std::string& before, const std::string& now);
  // Copies the kept texts of results that are shown in part, including those that are never saved.
  void take_originals(const Dialogue& of);

  // Takes the right to continue the dialogue; the returned handle holds it. Null: another run holds it. Any thread.
  [[nodiscard]] std::shared_ptr<void> take();
  [[nodiscard]] CompactionMemory& compactions() { return compactions_; }
  // Any thread. Those that a swap has chosen are not saved, as options are not.
  [[nodiscard]] ActiveAdapters& adapters() { return adapters_; }

  // The saved form; `settled`: without the messages of a waiting run. Any thread.
  [[nodiscard]] Json to_json(bool settled = false) const;
  // Errors: kSessionFileInvalid; `what` names it there.
  [[nodiscard]] static Result<std::shared_ptr<Dialogue>> restore(const SessionSetup& setup, const Json& json,
                                                                 const std::string& what);

 private:
  // The state that a rewind restores.
  struct Past {
    Messages history;
    Messages everything;
    bool undone = true;  // whether compactions are undone
    DialogueState state;
  };
  [[nodiscard]] Result<Past> past_at(const std::string& message_id) const LH_REQUIRES(mutex_);
  [[nodiscard]] MessagePtr before_prunes(const MessagePtr& message, size_t count) const LH_REQUIRES(mutex_);
  [[nodiscard]] Messages whole_again(const Messages& everything, const DialogueState& state) const LH_REQUIRES(mutex_);
  [[nodiscard]] DialogueState state() const LH_REQUIRES(mutex_);
  void forget_originals(const Past& past) LH_REQUIRES(mutex_);
  // `messages`, and behind them what the run has said.
  [[nodiscard]] Messages with_said(const Messages& messages) const LH_REQUIRES(mutex_);
  void change(const std::string& tier, const std::string& phase);
  [[nodiscard]] Status restore_rest(SavedDialogue saved, const std::string& what);

  const SessionSetup& setup_;
  std::vector<std::string> above_;
  std::optional<std::string> system_prompt_;
  CompactionMemory compactions_;
  ActiveAdapters adapters_;

  std::atomic<bool> taken_{false};

  mutable Mutex mutex_;
  Messages history_ LH_GUARDED_BY(mutex_);
  Messages everything_ LH_GUARDED_BY(mutex_);
  Messages said_ LH_GUARDED_BY(mutex_);  // by the run under way, and not the conversation's yet
  std::shared_ptr<const Profile> profile_ LH_GUARDED_BY(mutex_);
  Json todos_ LH_GUARDED_BY(mutex_) = Json::array();
  std::map<std::string, MessagePtr> anchors_ LH_GUARDED_BY(mutex_);  // by key
  StateLog states_ LH_GUARDED_BY(mutex_);
  size_t reshaped_ LH_GUARDED_BY(mutex_) = 0;
  struct Original {
    std::optional<std::string> whole;  // where it was too long to be said; never saved
    std::optional<std::string> said;   // before it was shortened
    bool shortened = false;            // by a compaction, or because it was asked for
    size_t pruned_at = 0;              // the number of messages from which on it was asked for; 0: it was not
  };
  std::map<std::string, Original> originals_ LH_GUARDED_BY(mutex_);  // by id of the call
};
static_assert(!std::is_copy_constructible_v<Dialogue>);

}  // namespace lh
