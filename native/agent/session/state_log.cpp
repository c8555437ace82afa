#include "agent/session/state_log.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "generation/conversation_json.h"

namespace lh {
namespace {

std::vector<Json> saved_todos(const Json& before, const Json& now) {
  std::vector<Json> saved;
  for (size_t i = 0; i < now.size(); ++i) {
    const bool same_place = i < before.size() && before[i] == now[i];
    const auto found = same_place ? before.begin() + static_cast<std::ptrdiff_t>(i) : std::ranges::find(before, now[i]);
    saved.push_back(found == before.end() ? now[i] : Json(found - before.begin()));
  }
  return saved;
}

Result<Json> read_todos(const Json& before, const std::vector<Json>& saved) {
  Json todos = Json::array();
  for (const Json& item : saved) {
    if (item.is_object()) {
      todos.push_back(item);
    } else if (item.is_number_unsigned() && item.get<uint64_t>() < before.size()) {
      todos.push_back(before[item.get<size_t>()]);
    } else {
      return Status(Code::kSessionFileInvalid, "states: " + dump_json(item) + " is none of the todos");
    }
  }
  return todos;
}

using SaidById = std::map<std::string, MessagePtr>;

SaidById by_id(const Messages& said) {
  SaidById all;
  for (const MessagePtr& message : said) all.emplace(message->id, message);
  return all;
}

// The id of one of `said`, or a message that was not said yet. Null: it is not an anchor.
MessagePtr read_anchor(const Json& json, const SaidById& said) {
  if (json.is_string()) {
    const auto found = said.find(json.get<std::string>());
    return found != said.end() && found->second->role == Role::kUser ? found->second : nullptr;
  }
  auto read = read_messages(Json::array({json}));
  return read.ok() && read->front()->role == Role::kUser ? read->front() : nullptr;
}

}  // namespace

void StateLog::Change::take(const Change& later) {
  if (later.tier) tier = later.tier;
  if (later.phase) phase = later.phase;
  if (later.todos) todos = later.todos;
  for (const auto& [key, message] : later.anchors) anchors[key] = message;
}

void StateLog::Change::apply(DialogueState& to) const {
  if (tier) to.tier = *tier;
  if (phase) to.phase = *phase;
  if (todos) to.todos = *todos;
  for (const auto& [key, message] : anchors) to.anchors[key] = message;
}

void StateLog::note(size_t count, const DialogueState& now) {
  Change change{count};
  if (now.tier != last_.tier) change.tier = now.tier;
  if (now.phase != last_.phase) change.phase = now.phase;
  if (now.todos != last_.todos) change.todos = now.todos;
  for (const auto& [key, message] : now.anchors) {
    const auto before = last_.anchors.find(key);
    if (before == last_.anchors.end() || before->second->id != message->id) change.anchors[key] = message;
  }
  if (!change.tier && !change.phase && !change.todos && change.anchors.empty()) return;
  last_ = now;
  const auto at = std::ranges::lower_bound(changes_, count, {}, &Change::count);
  if (at != changes_.end() && at->count == count) {
    at->take(change);
  } else {
    changes_.insert(at, std::move(change));
  }
}

DialogueState StateLog::at(size_t count) const {
  DialogueState state = first_;
  for (const Change& change : changes_) {
    if (change.count > count) break;
    change.apply(state);
  }
  return state;
}

void StateLog::cut(size_t count) {
  std::erase_if(changes_, [count](const Change& change) { return change.count > count; });
  last_ = at(count);
}

std::vector<SavedState> StateLog::saved(const Messages& said) const {
  const SaidById known = by_id(said);
  const auto anchor_json = [&known](const MessagePtr& anchor) {
    const auto found = known.find(anchor->id);
    const bool is_said = found != known.end() && found->second->content == anchor->content;
    return is_said ? Json(anchor->id) : history_json({anchor})[0];
  };
  std::vector<SavedState> all;
  Json todos = Json::array();
  const auto add = [&](const Change& change) {
    SavedState one{change.count, change.tier, change.phase, {}, {}};
    if (change.todos) one.todos = saved_todos(std::exchange(todos, *change.todos), *change.todos);
    for (const auto& [key, message] : change.anchors) one.anchors[key] = anchor_json(message);
    all.push_back(std::move(one));
  };
  add({0, first_.tier, first_.phase, first_.todos, first_.anchors});
  for (const Change& change : changes_) add(change);
  return all;
}

Status StateLog::restore(const std::vector<SavedState>& saved, const Messages& said) {
  const SaidById known = by_id(said);
  Json todos = Json::array();
  std::vector<Change> changes;
  for (const SavedState& one : saved) {
    Change change{one.count, one.tier, one.phase};
    if (one.todos) {
      auto read = read_todos(todos, *one.todos);
      if (!read.ok()) return read.status();
      change.todos = todos = *std::move(read);
    }
    for (const auto& [key, message] : one.anchors) {
      MessagePtr anchor = read_anchor(message, known);
      if (anchor == nullptr) {
        return {Code::kSessionFileInvalid, "states: the anchor " + key + " is no message of the user"};
      }
      change.anchors[key] = std::move(anchor);
    }
    changes.push_back(std::move(change));
  }
  if (!std::ranges::is_sorted(changes, {}, &Change::count)) {
    return {Code::kSessionFileInvalid, "states are not in the order of the messages"};
  }
  first_ = {};
  const auto later = std::ranges::find_if(changes, [](const Change& change) { return change.count > 0; });
  std::for_each(changes.begin(), later, [this](const Change& change) { change.apply(first_); });
  changes_.assign(std::make_move_iterator(later), std::make_move_iterator(changes.end()));
  last_ = at(SIZE_MAX);
  return {};
}

}  // namespace lh
