// Messages and tools as values of the template interpreter. A message that was rendered before is the same object, so
// it is not converted again, and the template's loops recognize it by its address.
// Must not: return a value that a template has changed; see forget_if().
#pragma once

#include <memory>
#include <vector>

#include "chat.h"
#include "jinja/runtime.h"

namespace lh {

class KnownMessages {
 public:
  // `parses`: arguments of calls are objects for the template, and not texts.
  jinja::value messages(const std::vector<common_chat_msg>& all, bool parses);
  jinja::value tools(const std::vector<common_chat_tool>& all);
  // Forgets all values if the template has changed one. `spoiled`: the flag of the next values.
  void forget_if(std::shared_ptr<const bool> spoiled);

 private:
  struct Conversation {
    std::vector<common_chat_msg> messages;
    std::vector<jinja::value> values;
  };
  struct Tools {
    std::vector<common_chat_tool> tools;
    jinja::value value;
  };

  [[nodiscard]] Conversation take(const std::vector<common_chat_msg>& all);

  std::vector<Conversation> conversations_;  // the last is the latest
  Tools tools_;
  std::shared_ptr<const bool> spoiled_;  // of these values
};

}  // namespace lh
