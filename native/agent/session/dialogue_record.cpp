// Saves conversations and restores them: Dialogue::to_json() and restore().
#include <algorithm>
#include <utility>

#include "agent/session/dialogue.h"
#include "agent/session/history_check.h"
#include "agent/session/message_ids.h"
#include "generation/answer_messages.h"
#include "generation/conversation_json.h"
#include "hooks/points/value_check.h"

namespace lh {
namespace {

const Json& dialogue_schema() {
  const Json text = {{"type", "string"}};
  const Json object = {{"type", "object"}};
  static const Json schema = {
      {"type", "object"},
      {"properties",
       {{"tier", text},
        {"phase", text},
        {"above", {{"type", "array"}, {"items", text}}},
        {"todos", {{"type", "array"}, {"items", object}}},
        {"messages", {{"type", "array"}}},
        {"everything", {{"type", "array"}}},
        {"anchors", object},
        {"originals", object},
        {"pruned", object},
        {"compactions", object},
        {"states", {{"type", "array"}}},
        {"reshaped", {{"type", "integer"}, {"minimum", 0}, {"maximum", INT32_MAX}}}}},
      {"required", Json::array({"tier", "phase", "above", "todos", "messages", "anchors", "originals", "compactions"})},
      {"additionalProperties", false}};
  return schema;
}

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

// Equal messages become one object: those with the same id, and in files without ids the last with the last, because
// the dropped ones came before.
void share(Messages& some, const Messages& with) {
  std::map<std::string, MessagePtr> by_id;
  std::map<std::string, Messages> known;
  for (const MessagePtr& message : with) {
    by_id[message->id] = message;
    known[dump_json(to_json(*message))].push_back(message);
  }
  for (auto at = some.rbegin(); at != some.rend(); ++at) {
    if (!(*at)->id.empty()) {
      const auto same = by_id.find((*at)->id);
      if (same != by_id.end() && to_json(*same->second) == to_json(**at)) *at = same->second;
      continue;
    }
    const auto found = known.find(dump_json(to_json(**at)));
    if (found == known.end() || found->second.empty()) continue;
    *at = found->second.back();
    found->second.pop_back();
  }
}

}  // namespace

Json Dialogue::to_json(bool settled) const {
  Json json;
  {
    const MutexLock lock(mutex_);
    json = {{"tier", profile_->tier}, {"phase", profile_->phase}, {"above", above_}, {"todos", todos_}};
    const Messages messages = settled ? history_ : with_said(history_);
    json["messages"] = history_json(messages);
    const Messages everything = settled ? everything_ : with_said(everything_);
    if (history_ != everything_) json["everything"] = history_json(everything);
    json["reshaped"] = reshaped_;
    StateLog states = states_;
    states.note(everything.size(), state());  // a run under way notes its state once its messages are settled
    json["states"] = states.to_json(everything);
    json["anchors"] = Json::object();
    for (const auto& [key, message] : anchors_) {
      // An anchor whose message is not said yet is saved when the message is said.
      if (const auto place = place_of(*message, messages)) json["anchors"][key] = *place;
    }
    json["originals"] = Json::object();
    for (const auto& [id, original] : originals_) {
      if (!original.said) continue;
      json["originals"][id] = *original.said;
      if (original.pruned_at > 0) json["pruned"][id] = original.pruned_at;
    }
  }
  json["compactions"] = compactions_.to_json();
  return json;
}

Result<std::shared_ptr<Dialogue>> Dialogue::restore(const SessionSetup& setup, const Json& json,
                                                    const std::string& what) {
  const auto wrong = [&what](const std::string& why) { return Status(Code::kSessionFileInvalid, what + "." + why); };
  if (const auto offence = check_value(json, dialogue_schema())) {
    const std::string where = what + (offence->path.empty() ? "" : "." + offence->path);
    return Status(Code::kSessionFileInvalid, where + " " + offence->why);
  }
  const auto tier = json["tier"].get<std::string>();
  const auto phase = json["phase"].get<std::string>();
  if (!setup.may_be(tier)) return wrong("tier: " + setup.unknown_tier(tier));
  auto above = json["above"].get<std::vector<std::string>>();
  for (const std::string& one : above) {
    if (!setup.may_be(one)) return wrong("above: " + setup.unknown_tier(one));
  }
  if (!phase.empty() && setup.find_phase(phase) == nullptr) {
    return wrong("phase: the session has no phase \"" + phase + "\"");
  }
  auto messages = read_said(json["messages"], what + ".messages");
  if (!messages.ok()) return messages.status();
  auto dialogue = std::make_shared<Dialogue>(setup, tier, *messages, std::move(above));
  if (!phase.empty()) dialogue->change_phase(phase);
  if (Status status = dialogue->restore_rest(json, what); !status.ok()) return status;
  return dialogue;
}

Status Dialogue::restore_rest(const Json& json, const std::string& what) {
  const auto wrong = [&what](const std::string& why) { return Status(Code::kSessionFileInvalid, what + "." + why); };
  if (Status status = compactions_.restore(json["compactions"]); !status.ok()) return wrong(status.message());
  const MutexLock lock(mutex_);
  if (json.contains("everything")) {
    auto everything = read_said(json["everything"], what + ".everything");
    if (!everything.ok()) return everything.status();
    share(*everything, history_);
    everything_ = with_ids(*everything);
  }
  reshaped_ = std::min(json.value("reshaped", Json(0)).get<size_t>(), everything_.size());
  todos_ = json["todos"];
  for (const auto& [key, anchor] : json["anchors"].items()) {
    std::optional<size_t> place;
    if (anchor.is_string()) {  // as files had it before they had places
      place = place_of(*user_message(anchor.get<std::string>()), history_);
    } else if (anchor.is_number_unsigned() && anchor < history_.size()) {
      place = anchor.get<size_t>();
    }
    if (!place || history_[*place]->role != Role::kUser) return wrong("anchors." + key + " is no message of the user");
    anchors_[key] = history_[*place];
  }
  if (json.contains("states")) {
    if (Status status = states_.restore(json["states"], everything_); !status.ok()) return wrong(status.message());
  } else {
    states_ = StateLog(state());  // a file of an earlier version: assume that the state never changed
  }
  for (const auto& [id, text] : json["originals"].items()) {
    if (!text.is_string()) return wrong("originals." + id + " is no text");
    originals_[id] = {std::nullopt, text.get<std::string>(), true};
  }
  const Json pruned = json.value("pruned", Json::object());
  for (const auto& [id, count] : pruned.items()) {
    const auto found = originals_.find(id);
    if (found == originals_.end() || !count.is_number_unsigned()) return wrong("pruned." + id + " is no result");
    found->second.pruned_at = count.get<size_t>();
  }
  return {};
}

}  // namespace lh
