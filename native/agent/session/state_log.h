// What a conversation was at each of its messages, apart from the messages, so that it can go back to one.
// Must not: know tiers or phases, or which of them there are now.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/status.h"
#include "model/conversation.h"

namespace lh {

struct DialogueState {
  std::string tier;   // empty: none
  std::string phase;  // empty: none
  Json todos = Json::array();
  std::map<std::string, MessagePtr> anchors = {};  // by key
};

class StateLog {
 public:
  // `first`: before the first message.
  explicit StateLog(DialogueState first) : first_(std::move(first)), last_(first_) {}

  // From so many messages on the state is `now`, in what differs from the last one that was noted.
  void note(size_t count, const DialogueState& now);
  [[nodiscard]] DialogueState at(size_t count) const;
  // There are only so many messages any more.
  void cut(size_t count);

  // Changes alone; the last one is the state now.
  [[nodiscard]] Json to_json() const;
  // In place of all. Errors: kSessionFileInvalid; the message begins with `states`.
  [[nodiscard]] Status restore(const Json& json);

 private:
  struct Change {
    size_t count = 0;
    std::optional<std::string> tier = {};
    std::optional<std::string> phase = {};
    std::optional<Json> todos = {};
    std::map<std::string, MessagePtr> anchors = {};  // set there
    void take(const Change& later);
    void apply(DialogueState& to) const;
  };
  DialogueState first_;
  DialogueState last_;
  std::vector<Change> changes_;  // by count, ascending
};
static_assert(std::is_copy_constructible_v<StateLog>);

}  // namespace lh
