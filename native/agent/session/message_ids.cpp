#include "agent/session/message_ids.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/system/unique_id.h"
#include "generation/answer_messages.h"
#include "generation/conversation_json.h"

namespace lh {

MessagePtr with_id(const Message& message) {
  auto said = std::make_shared<Message>(message);
  said->id = "msg_" + unique_id();
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  said->time_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  return said;
}

Messages with_ids(const Messages& messages) {
  Messages all;
  all.reserve(messages.size());
  for (const MessagePtr& message : messages) all.push_back(message->id.empty() ? with_id(*message) : message);
  return all;
}

Messages with_own_ids(const Messages& given, const Messages& among) {
  std::set<std::string> ids;
  std::set<std::string> calls;
  for (const MessagePtr& message : among) {
    ids.insert(message->id);
    for (const ToolCall& call : message->tool_calls) calls.insert(call.id);
  }
  std::map<std::string, std::string> renamed;  // ids of calls whose results follow
  Messages all;
  all.reserve(given.size());
  for (const MessagePtr& message : given) {
    Message own = message->id.empty() ? *with_id(*message) : *message;
    bool other = message->id.empty();
    if (!ids.insert(own.id).second) {
      own.id = with_id(own)->id;
      other = true;
    }
    for (ToolCall& call : own.tool_calls) {
      renamed.erase(call.id);
      if (calls.insert(call.id).second) continue;
      const std::string before = call.id;
      // The same conversation always reads the same, so that its KV cache stays valid.
      for (int n = 2; !calls.insert(call.id).second; ++n) call.id = before + "-" + std::to_string(n);
      renamed[before] = call.id;
      other = true;
    }
    if (const auto now = renamed.find(own.tool_call_id); now != renamed.end()) {
      own.tool_call_id = now->second;
      other = true;
    }
    all.push_back(other ? std::make_shared<const Message>(std::move(own)) : message);
  }
  return all;
}

Messages recognised(const Messages& given, const Messages& among) {
  std::map<std::string, std::deque<MessagePtr>> known;
  for (const MessagePtr& message : among) known[dump_json(to_json(*message))].push_back(message);
  Messages all;
  for (const MessagePtr& message : given) {
    auto& same = known[dump_json(to_json(*message))];
    if (!same.empty()) {
      all.push_back(same.front());
      same.pop_front();
      continue;
    }
    auto own = std::make_shared<Message>(*with_id(*message));
    if (own->role == Role::kUser) own->origin = Origin::kHook;
    all.push_back(std::move(own));
  }
  return all;
}

Result<std::optional<Messages>> up_to(const Messages& messages, const std::string& id) {
  const auto found = std::ranges::find(messages, id, [](const MessagePtr& one) { return one->id.view(); });
  if (found == messages.end()) return std::optional<Messages>();
  Messages kept(messages.begin(), found + 1);
  std::set<std::string> open;  // calls without a result
  for (const MessagePtr& message : kept) {
    for (const ToolCall& call : message->tool_calls) open.insert(call.id);
    open.erase(message->tool_call_id);
  }
  if (open.empty()) return std::optional(std::move(kept));
  return Status(Code::kInvalidArgument,
                "behind the message " + id + " the tool call " + *open.begin() + " would have no result");
}

}  // namespace lh
