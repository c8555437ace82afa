// Rewinds a conversation to one of its messages: Dialogue::rewind().
#include <algorithm>
#include <set>
#include <utility>

#include "agent/session/dialogue.h"
#include "agent/session/message_ids.h"
#include "base/text/cut_text.h"
#include "generation/answer_messages.h"

namespace lh {
namespace {

Messages::const_iterator find_id(const Messages& messages, const std::string& id) {
  return std::ranges::find(messages, id, [](const MessagePtr& one) { return one->id.view(); });
}

// Finds the first message from `at` on that is in `everything`, and returns its place there; the end if none
// is.
size_t place_behind(const Messages& shown, Messages::const_iterator at, const Messages& everything) {
  for (; at != shown.end(); ++at) {
    const auto found = find_id(everything, (*at)->id);
    if (found != everything.end()) return static_cast<size_t>(found - everything.begin());
  }
  return everything.size();
}

// Puts back an anchor that a later one replaced, at its former place. The last message stays the last.
void show_again(const MessagePtr& anchor, Messages& shown, const Messages& everything) {
  if (find_id(shown, anchor->id) != shown.end()) return;
  auto behind = find_id(everything, anchor->id);
  while (behind != everything.end() && find_id(shown, (*behind)->id) == shown.end()) ++behind;
  shown.insert(behind == everything.end() ? shown.end() - 1 : find_id(shown, (*behind)->id), anchor);
}

}  // namespace

Result<size_t> Dialogue::rewind(const std::string& message_id) {
  Past past;
  {
    const MutexLock lock(mutex_);
    auto found = past_at(message_id);
    if (!found.ok()) return found.status();
    past = *std::move(found);
  }
  const auto& [tier, phase, todos, anchors] = past.state;
  const std::string gone = !setup_.may_be(tier) ? setup_.unknown_tier(tier)
                           : !phase.empty() && setup_.find_phase(phase) == nullptr
                               ? "the session has no phase \"" + phase + "\""
                               : "";
  if (!gone.empty()) {
    return Status(Code::kInvalidArgument, "the session cannot be again what it was at that message: " + gone);
  }
  if (tier != profile()->tier) system_prompt_.reset();
  if (past.undone) compactions_.forget();
  auto profile = std::make_shared<const Profile>(make_profile(setup_, tier, phase, above_));
  const MutexLock lock(mutex_);
  const size_t count = past.everything.size();
  forget_originals(past);
  profile_ = std::move(profile);
  todos_ = past.state.todos;
  anchors_ = past.state.anchors;
  states_.cut(count);
  history_ = std::move(past.history);
  everything_ = std::move(past.everything);
  reshaped_ = past.undone ? 0 : std::min(reshaped_, count);
  said_.clear();
  return count;
}

Result<Dialogue::Past> Dialogue::past_at(const std::string& message_id) const {
  Past past;
  if (message_id.empty()) {
    past.state = states_.at(0);
    past.state.anchors.clear();
    return past;
  }
  auto all = up_to(everything_, message_id);
  if (!all.ok()) return all.status();
  auto shown = up_to(history_, message_id);
  if (!shown.ok()) return shown.status();
  if (!*all && !*shown) return Status(Code::kNotFound, "the session has no message \"" + message_id + "\"");
  if (*all) {
    past.everything = **std::move(all);
  } else {  // a text in place of others, such as the note of a compaction
    const size_t count = place_behind(history_, find_id(history_, message_id), everything_);
    past.everything.assign(everything_.begin(), everything_.begin() + static_cast<std::ptrdiff_t>(count));
  }
  past.state = states_.at(past.everything.size());
  std::erase_if(past.state.anchors, [&past](const auto& one) {  // the file does not say when it was set
    return find_id(past.everything, one.second->id) == past.everything.end();
  });
  past.undone =
      !*shown || (find_id(everything_, message_id) != everything_.end() && past.everything.size() < reshaped_);
  if (past.undone) {
    past.history = whole_again(past.everything, past.state);
  } else {
    past.history = **std::move(shown);
    for (MessagePtr& one : past.history) one = before_prunes(one, past.everything.size());
    for (const auto& [key, anchor] : past.state.anchors) show_again(anchor, past.history, past.everything);
  }
  return past;
}

// Returns the message as it was when there were `count` messages: whole again if it was pruned later.
MessagePtr Dialogue::before_prunes(const MessagePtr& message, size_t count) const {
  if (message->role != Role::kTool) return message;
  const auto found = originals_.find(message->tool_call_id);
  const bool later = found != originals_.end() && found->second.pruned_at > count && found->second.said;
  return later ? with_content(*message, *found->second.said) : message;
}

// Returns what the model saw before messages were shortened or dropped.
Messages Dialogue::whole_again(const Messages& everything, const DialogueState& state) const {
  const auto most = static_cast<size_t>(setup_.max_result_bytes);
  const bool can_inspect = make_profile(setup_, state.tier, state.phase, above_).can_inspect();
  std::set<std::string> anchors;  // ids
  for (const auto& [key, anchor] : state.anchors) anchors.insert(anchor->id);
  Messages shown;
  for (const MessagePtr& message : everything) {
    const bool replaced = message->origin == Origin::kAnchor && !anchors.contains(message->id);
    if (replaced) continue;
    const bool cut = message->origin != Origin::kUser && message->content.size() > most;
    if (cut) {
      const std::string& id = message->role == Role::kTool ? message->tool_call_id : message->id;
      shown.push_back(with_content(*message, cut_for_model(message->content, most, can_inspect ? id : "")));
    } else {
      shown.push_back(message);
    }
  }
  for (const auto& [key, anchor] : state.anchors) {
    const std::string& id = anchor->id;
    std::ranges::replace_if(
        shown, [&id](const MessagePtr& one) { return one->id == id; }, anchor);
  }
  return shown;
}

// Forgets the texts of results after the rewind's message. Earlier results that are whole again may be shortened anew.
void Dialogue::forget_originals(const Past& past) {
  std::set<std::string> calls;
  for (const MessagePtr& message : past.everything) calls.insert(message->tool_call_id);
  std::erase_if(originals_, [&](const auto& one) { return !calls.contains(one.first); });
  for (auto& [id, original] : originals_) {
    if (!past.undone && original.pruned_at <= past.everything.size()) continue;
    original.shortened = false;
    original.pruned_at = 0;
  }
}

}  // namespace lh
