// Logs the state of a conversation (tier, phase, todos, anchors) at each of its messages, for rewinds.
// Must not: know which tiers and phases exist.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/json/fields.h"
#include "base/status.h"
#include "model/conversation.h"

namespace lh {

struct DialogueState {
  std::string tier;   // empty: none
  std::string phase;  // empty: none
  Json todos = Json::array();
  std::map<std::string, MessagePtr> anchors = {};  // by key
};

// A change of the state, as a session file has it. An anchor that is one of the messages is the message's id, and an
// item of todos that the previous state had is its index there.
struct SavedState {
  size_t count = 0;  // of messages before it
  std::optional<std::string> tier;
  std::optional<std::string> phase;
  std::optional<std::vector<Json>> todos;
  std::map<std::string, Json> anchors;

  template <typename Self, typename Fields>
  static void fields(Self& self, Fields& all) {
    all("count", self.count);
    all("tier", self.tier, Absent::kIfEmpty);
    all("phase", self.phase, Absent::kIfEmpty);
    all("todos", self.todos, Absent::kIfEmpty);
    all("anchors", self.anchors, Absent::kIfEmpty);
  }
};

class StateLog {
 public:
  // `first`: the state before the first message.
  explicit StateLog(DialogueState first) : first_(std::move(first)), last_(first_) {}

  // Records that the state is `now` from `count` messages on. Only differences from the last noted state are kept.
  void note(size_t count, const DialogueState& now);
  [[nodiscard]] DialogueState at(size_t count) const;
  // The conversation was cut to its first `count` messages.
  void cut(size_t count);

  // The first state, and then only changes. `said`: the messages.
  [[nodiscard]] std::vector<SavedState> saved(const Messages& said) const;
  // Replaces the whole log. Errors: kSessionFileInvalid; the message begins with `states`.
  [[nodiscard]] Status restore(const std::vector<SavedState>& saved, const Messages& said);

 private:
  struct Change {
    size_t count = 0;
    std::optional<std::string> tier = {};
    std::optional<std::string> phase = {};
    std::optional<Json> todos = {};
    std::map<std::string, MessagePtr> anchors = {};  // those that were set
    void take(const Change& later);
    void apply(DialogueState& to) const;
  };
  DialogueState first_;
  DialogueState last_;
  std::vector<Change> changes_;  // by count, ascending
};
static_assert(std::is_copy_constructible_v<StateLog>);

}  // namespace lh
