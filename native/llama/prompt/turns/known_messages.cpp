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

bool same_tool(const common_chat_tool& a, const common_chat_tool& b) {
  return a.name == b.name && a.description == b.description && a.parameters == b.parameters;
}

size_t common_messages(const std::vector<common_chat_msg>& known, const std::vector<common_chat_msg>& all) {
  return static_cast<size_t>(std::ranges::mismatch(known, all).in1 - known.begin());
}

}  // namespace

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
  Conversation taken = std::move(*best);
  conversations_.erase(best);
  taken.messages.resize(most);
  taken.values.resize(most);
  return taken;
}

jinja::value KnownMessages::messages(const std::vector<common_chat_msg>& all, bool parses) {
  Conversation made = take(all);
  for (size_t i = made.messages.size(); i < all.size(); ++i) {
    made.values.push_back(value_of_message(all[i], parses));
    made.messages.push_back(all[i]);
  }
  jinja::value list = jinja::mk_val<jinja::value_array>(made.values);
  if (text_bytes_of(made.messages) <= kMostKnownBytes) conversations_.push_back(std::move(made));
  if (conversations_.size() > kMostConversations) conversations_.erase(conversations_.begin());
  return list;
}

jinja::value KnownMessages::tools(const std::vector<common_chat_tool>& all) {
  if (!tools_.value || !std::ranges::equal(tools_.tools, all, same_tool)) {
    tools_ = {all, value_of(common_chat_tools_to_json_oaicompat(all))};
  }
  return tools_.value;
}

void KnownMessages::forget_if(std::shared_ptr<const bool> spoiled) {
  if ((spoiled_ != nullptr && *spoiled_) || *spoiled) {
    conversations_.clear();
    tools_ = {};
  }
  spoiled_ = std::move(spoiled);
}

}  // namespace lh
