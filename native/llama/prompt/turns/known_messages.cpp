#include "llama/prompt/turns/known_messages.h"

#include <algorithm>
#include <utility>

namespace lh {
namespace {

constexpr size_t kMostConversations = 4;
constexpr size_t kMostKnownBytes = 8UL << 20;  // of a conversation's texts

size_t text_bytes_of(const std::vector<common_chat_msg>& messages) {
  size_t bytes = 0;
  for (const common_chat_msg& one : messages) {
    bytes += one.content.size() + one.reasoning_content.size() + one.tool_name.size() + one.tool_call_id.size();
    for (const common_chat_tool_call& call : one.tool_calls) {
      bytes += call.arguments.size() + call.name.size() + call.id.size();
    }
  }
  return bytes;
}

jinja::value value_of(common_json json) {
  common_json all = common_json::object();
  all["value"] = std::move(json);
  jinja::context scope;
  jinja::global_from_json(scope, all, true);
  return scope.get_val("value");
}

size_t common_messages(const std::vector<common_chat_msg>& known, const std::vector<common_chat_msg>& all) {
  return static_cast<size_t>(std::ranges::mismatch(known, all).in1 - known.begin());
}

}  // namespace

jinja::value value_of_message(const common_chat_msg& message, bool parses) {
  common_json json = message.to_json_oaicompat();
  if (parses && json.contains("tool_calls")) {
    for (auto& call : json["tool_calls"]) {
      common_json& arguments = call["function"]["arguments"];
      arguments = common_json::parse(arguments.get<std::string>());
    }
  }
  return value_of(std::move(json));
}

KnownMessages::Conversation KnownMessages::take(const std::vector<common_chat_msg>& all) {
  size_t most = 0;
  auto best = conversations_.end();
  for (auto one = conversations_.begin(); one != conversations_.end(); ++one) {
    const size_t common = common_messages(one->messages, all);
    if (common <= most) continue;
    most = common;
    best = one;
  }
  if (best == conversations_.end()) return {};
  if (most < best->messages.size()) {  // another conversation, which may continue, too
    const auto end = static_cast<std::ptrdiff_t>(most);
    return {{best->messages.begin(), best->messages.begin() + end}, {best->values.begin(), best->values.begin() + end}};
  }
  Conversation taken = std::move(*best);
  conversations_.erase(best);
  return taken;
}

void KnownMessages::keep(Conversation conversation) {
  if (text_bytes_of(conversation.messages) <= kMostKnownBytes) conversations_.push_back(std::move(conversation));
  if (conversations_.size() > kMostConversations) conversations_.erase(conversations_.begin());
}

}  // namespace lh
