#include "agent/session/history_check.h"

#include <algorithm>
#include <set>

#include "generation/answer_messages.h"

namespace lh {

Status check_history(const Messages& history, const std::string& what) {
  std::set<std::string> open;  // ids of calls without a result until now
  for (size_t i = 0; i < history.size(); ++i) {
    const Message& message = *history[i];
    const std::string where = what + "[" + std::to_string(i) + "]";
    if (message.role == Role::kSystem) {
      return {Code::kInvalidMessages, where + " is a system message; the system prompt of a session is its own option"};
    }
    if (message.role == Role::kTool) {
      if (open.erase(message.tool_call_id) == 0) {
        return {Code::kInvalidMessages, where + " is the result of no tool call before it"};
      }
    } else if (!open.empty()) {
      break;
    }
    for (const ToolCall& call : message.tool_calls) {
      if (!open.insert(call.id).second) {
        return {Code::kInvalidMessages, where + " has two tool calls with the id " + call.id};
      }
    }
  }
  if (open.empty()) return {};
  return {Code::kInvalidMessages, what + " has the tool call " + *open.begin() + " without its result"};
}

Messages with_results(const Messages& messages) {
  Messages whole;
  for (size_t i = 0; i < messages.size();) {
    const MessagePtr& message = messages[i++];
    whole.push_back(message);
    if (message->tool_calls.empty()) continue;
    Messages results;
    while (i < messages.size() && messages[i]->role == Role::kTool) results.push_back(messages[i++]);
    for (const ToolCall& call : message->tool_calls) {
      const auto found =
          std::ranges::find(results, call.id, [](const MessagePtr& one) { return one->tool_call_id.view(); });
      if (found == results.end()) {
        whole.push_back(result_message({call.id, call.name, "not run: the session was interrupted"}));
      } else {
        whole.push_back(*found);
        results.erase(found);
      }
    }
    whole.insert(whole.end(), results.begin(), results.end());  // results without a call: check_history() refuses them
  }
  return whole;
}

}  // namespace lh
