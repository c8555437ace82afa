// Saves conversations and restores them: Dialogue::to_json() and restore().
#include <algorithm>
#include <utility>

#include "agent/session/dialogue.h"
#include "agent/session/history_check.h"
#include "agent/session/message_ids.h"
#include "generation/answer_messages.h"
#include "generation/conversation_json.h"

namespace lh {
namespace {

// Returns the place of the message with the same id, else of the last one with the same role and text; nothing: neither
// exists.
std::optional<size_t> place_of(const Message& message, const Messages& among) {
  std::optional<size_t> place;
  for (size_t i = 0; i < among.size(); ++i) {
    if (among[i].get() == &message || (!message.id.empty() && among[i]->id == message.id)) return i;
    if (among[i]->role == message.role && among[i]->content == message.content) place = i;
  }
  return place;
}

Result<Messages> read_said(const Json& json, const std::string& what) {
  Messages messages;
  if (json.empty()) return messages;
  auto read = read_messages(json);
  if (!read.ok()) return Status(Code::kSessionFileInvalid, what + ": " + read.status().message());
  messages = with_results(*read);
  const Status status = check_history(messages, what);
  if (!status.ok()) return Status(Code::kSessionFileInvalid, status.message());
  return messages;
}

// Equal messages with one id become one object.
void share(Messages& some, const Messages& with) {
  std::map<std::string, MessagePtr> by_id;
  for (const MessagePtr& message : with) by_id[message->id] = message;
  for (MessagePtr& one : some) {
    const auto same = by_id.find(one->id);
    if (same != by_id.end() && to_json(*same->second) == to_json(*one)) one = same->second;
  }
}

}  // namespace

// A conversation, as a session file has it. A new field of it is a line in fields().
struct SavedDialogue {
  std::string tier;
  std::string phase;
  std::vector<std::string> above;
  Json todos;
  Json messages;
  std::optional<Json> everything;  // none: the same as `messages`
  size_t reshaped = 0;
  std::vector<SavedState> states;
  std::map<std::string, size_t> anchors;  // places of messages, by key
  std::map<std::string, std::string> originals;
  std::map<std::string, size_t> pruned;
  SavedCompactions compactions;

  template <typename Self, typename Fields>
  static void fields(Self& self, Fields& all) {
    all("tier", self.tier);
    all("phase", self.phase);
    all("above", self.above);
    all.objects("todos", self.todos);
    all.objects("messages", self.messages);
    all("everything", self.everything, Absent::kIfEmpty);
    all("reshaped", self.reshaped);
    all("states", self.states);
    all("anchors", self.anchors);
    all("originals", self.originals);
    all("pruned", self.pruned, Absent::kIfEmpty);
    all("compactions", self.compactions);
  }
};

Json Dialogue::to_json(bool settled) const {
  SavedDialogue saved;
  {
    const MutexLock lock(mutex_);
    saved.tier = profile_->tier;
    saved.phase = profile_->phase;
    saved.above = above_;
    saved.todos = todos_;
    const Messages messages = settled ? history_ : with_said(history_);
    saved.messages = history_json(messages);
    const Messages everything = settled ? everything_ : with_said(everything_);
    if (history_ != everything_) saved.everything = history_json(everything);
    saved.reshaped = reshaped_;
    StateLog states = states_;
    states.note(everything.size(), state());  // a run under way notes its state once its messages are settled
    saved.states = states.saved(everything);
    for (const auto& [key, message] : anchors_) {
      // An anchor whose message is not said yet is saved when the message is said.
      if (const auto place = place_of(*message, messages)) saved.anchors[key] = *place;
    }
    for (const auto& [id, original] : originals_) {
      if (!original.said) continue;
      saved.originals[id] = *original.said;
      if (original.pruned_at > 0) saved.pruned[id] = original.pruned_at;
    }
  }
  saved.compactions = compactions_.saved();
  return json_of(saved);
}

Result<std::shared_ptr<Dialogue>> Dialogue::restore(const SessionSetup& setup, const Json& json,
                                                    const std::string& what) {
  const auto wrong = [&what](const std::string& why) { return Status(Code::kSessionFileInvalid, what + "." + why); };
  auto saved = read_fields<SavedDialogue>(json, what, Code::kSessionFileInvalid);
  if (!saved.ok()) return saved.status();
  if (!setup.may_be(saved->tier)) return wrong("tier: " + setup.unknown_tier(saved->tier));
  for (const std::string& one : saved->above) {
    if (!setup.may_be(one)) return wrong("above: " + setup.unknown_tier(one));
  }
  if (!saved->phase.empty() && setup.find_phase(saved->phase) == nullptr) {
    return wrong("phase: the session has no phase \"" + saved->phase + "\"");
  }
  auto messages = read_said(saved->messages, what + ".messages");
  if (!messages.ok()) return messages.status();
  auto dialogue = std::make_shared<Dialogue>(setup, saved->tier, *messages, saved->above);
  if (!saved->phase.empty()) dialogue->change_phase(saved->phase);
  if (Status status = dialogue->restore_rest(*std::move(saved), what); !status.ok()) return status;
  return dialogue;
}

Status Dialogue::restore_rest(SavedDialogue saved, const std::string& what) {
  const auto wrong = [&what](const std::string& why) { return Status(Code::kSessionFileInvalid, what + "." + why); };
  compactions_.restore(std::move(saved.compactions));
  const MutexLock lock(mutex_);
  if (saved.everything) {
    auto everything = read_said(*saved.everything, what + ".everything");
    if (!everything.ok()) return everything.status();
    share(*everything, history_);
    everything_ = with_ids(*everything);
  }
  reshaped_ = std::min(saved.reshaped, everything_.size());
  todos_ = std::move(saved.todos);
  for (const auto& [key, place] : saved.anchors) {
    if (place >= history_.size() || history_[place]->role != Role::kUser) {
      return wrong("anchors." + key + " is no message of the user");
    }
    anchors_[key] = history_[place];
  }
  if (Status status = states_.restore(saved.states, everything_); !status.ok()) return wrong(status.message());
  for (auto& [id, text] : saved.originals) originals_[id] = {std::nullopt, std::move(text), true};
  for (const auto& [id, count] : saved.pruned) {
    const auto found = originals_.find(id);
    if (found == originals_.end()) return wrong("pruned." + id + " is no result");
    found->second.pruned_at = count;
  }
  return {};
}

}  // namespace lh
