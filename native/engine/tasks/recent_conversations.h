// Keeps the conversations of the last requests, as text and as messages, so that a turn reads only its new messages.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/json/json.h"
#include "base/status.h"
#include "base/threads/mutex.h"
#include "model/conversation.h"

namespace lh {

class RecentConversations {
 public:
  RecentConversations() = default;
  RecentConversations(const RecentConversations&) = delete;
  RecentConversations& operator=(const RecentConversations&) = delete;

  // Parses a request. If it has a long conversation without a fault, `messages` gets what read_messages() would return,
  // and the object is without "messages". Otherwise `messages` stays empty, and the object is complete.
  // Errors: those of parse_json(), where a request is called "request".
  Result<Json> parse(std::string_view request, Messages& messages);

 private:
  // The end of a message in the text of an array.
  struct End {
    size_t at = 0;      // the position of the comma or bracket after it
    size_t values = 0;  // the number of JSON values before that, about
  };
  struct Conversation {
    std::string text;       // of the array, to the end of the last message
    std::vector<End> ends;  // of each message
    Messages messages;      // as given: without ids for calls that have none
    size_t bytes = 0;       // estimated memory of all this
  };
  using ConversationPtr = std::shared_ptr<const Conversation>;
  // A conversation, and the number of its messages with which a text begins.
  struct Known {
    ConversationPtr conversation;
    size_t messages = 0;
  };

  static size_t read_ends(std::string_view text, std::vector<End>& ends);
  std::optional<Json> parse_new(std::string_view request, Messages& messages);
  [[nodiscard]] Known find(std::string_view text);
  void keep(const Known& known, ConversationPtr conversation);

  Mutex mutex_;
  std::vector<ConversationPtr> recent_ LH_GUARDED_BY(mutex_);  // the one used last is at the end
};
static_assert(!std::is_copy_constructible_v<RecentConversations>);

}  // namespace lh
