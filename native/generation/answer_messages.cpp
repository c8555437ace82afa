#include "generation/answer_messages.h"

#include <utility>

#include "base/system/unique_id.h"

namespace lh {

std::string joined_contents(const Messages& messages, Role role) {
  std::string joined;
  for (const MessagePtr& message : messages) {
    if (message->role != role) continue;
    if (!joined.empty()) joined += "\n";
    if (!message->tool_name.empty()) joined += message->tool_name.str() + ": ";
    joined += message->content;
  }
  return joined;
}

std::string new_call_id() { return "call_" + unique_id(); }

void number_calls(std::vector<ToolCall>& calls, std::set<std::string> taken) {
  for (ToolCall& call : calls) {
    if (call.id.empty() || !taken.insert(call.id).second) call.id = new_call_id();
    call.written.clear();
  }
}

MessagePtr answer_message(std::string content, std::string reasoning, std::vector<ToolCall> calls) {
  Message message;
  message.role = Role::kAssistant;
  message.content = std::move(content);
  message.reasoning = std::move(reasoning);
  message.tool_calls = std::move(calls);
  return std::make_shared<const Message>(std::move(message));
}

MessagePtr user_message(std::string content) {
  Message message;
  message.content = std::move(content);
  return std::make_shared<const Message>(std::move(message));
}

MessagePtr result_message(ToolResult result) {
  Message message;
  message.role = Role::kTool;
  message.content = std::move(result.content);
  message.tool_call_id = std::move(result.tool_call_id);
  message.tool_name = std::move(result.tool_name);
  return std::make_shared<const Message>(std::move(message));
}

MessagePtr with_content(const Message& message, std::string content) {
  auto changed = std::make_shared<Message>(message);
  changed->content = std::move(content);
  return changed;
}

void append_refusals(Messages& messages, const std::vector<ToolCall>& calls, std::string_view why) {
  for (const ToolCall& call : calls) messages.push_back(result_message({call.id, call.name, std::string(why)}));
}

}  // namespace lh
