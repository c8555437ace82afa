// Samples of long conversations for llama.cpp's handlers, which convert all messages for each rendering: that takes
// longer than the rendering.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "chat.h"

namespace lh {

// Numbers the kinds of messages. Messages of one kind have the same role, members, calls and order of results.
class MessageKinds {
 public:
  struct Kind {
    uint32_t number = 0;
    bool ordered = true;  // false: a tool result that is out of the order of the calls, or calls with one id
  };

  [[nodiscard]] std::vector<Kind> of(const std::vector<common_chat_msg>& messages);

 private:
  [[nodiscard]] Kind number_of(std::string name, bool ordered);

  std::unordered_map<std::string, uint32_t> numbers_;
};

// Describes which kinds of messages follow each other in a conversation, and which is the last.
[[nodiscard]] std::string order_of(const std::vector<MessageKinds::Kind>& kinds);

// Places of the first and last messages, of the first message of each kind, and of the `wanted` ones; the last two with
// their neighbours. A handler that leaves the sample unchanged would leave the whole conversation unchanged. All places
// of a short conversation.
[[nodiscard]] std::vector<size_t> sample_of(const std::vector<MessageKinds::Kind>& kinds,
                                            const std::vector<size_t>& wanted);

}  // namespace lh
