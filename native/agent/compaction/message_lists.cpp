#include "agent/compaction/message_lists.h"

#include <algorithm>

namespace lh {

size_t batch_begin(const Messages& messages) {
  size_t at = messages.size();
  while (at > 0 && messages[at - 1]->role == Role::kUser) --at;
  const size_t end = at;
  while (at > 0 && messages[at - 1]->role == Role::kTool) --at;
  return at == end || at == 0 ? end : at - 1;
}

const ToolCall* call_of(const Messages& messages, const Message& result) {
  for (const MessagePtr& message : messages) {
    for (const ToolCall& call : message->tool_calls) {
      if (call.id == result.tool_call_id) return &call;
    }
  }
  return nullptr;
}

bool is_said(const Messages& messages, const std::string& id) {
  return std::ranges::any_of(messages, [&id](const MessagePtr& one) { return one->id == id; });
}

}  // namespace lh
