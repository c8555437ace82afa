// Messages as values of the template interpreter. A message that was rendered before is the same object, so it is not
// converted again, and the template's loops recognize it by its address.
// Must not: keep a value that a template has changed; see forget().
#pragma once

#include <vector>

#include "chat.h"
#include "jinja/runtime.h"

namespace lh {

class KnownMessages {
 public:
  struct Conversation {
    std::vector<common_chat_msg> messages;
    std::vector<jinja::value> values;  // one for each message; null: unknown
  };

  // The first messages of `all` as far as a conversation has them. One that has no other messages is taken out.
  [[nodiscard]] Conversation take(const std::vector<common_chat_msg>& all);
  void keep(Conversation conversation);
  void forget() { conversations_.clear(); }

 private:
  std::vector<Conversation> conversations_;  // the last is the latest
};

// `parses`: arguments of calls are objects for the template, and not texts.
[[nodiscard]] jinja::value value_of_message(const common_chat_msg& message, bool parses);

}  // namespace lh
