// The values that a template is given for messages and tools. Those of messages that were rendered before are the same
// objects as then, which costs no conversion, and tells the template's loops that they are known.
// Must not: be used after the template has changed one of them; see forget_if().
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
  // `spoiled`: true once a value has changed.
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
