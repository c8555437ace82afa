#include "inference/messages.h"

#include <algorithm>
#include <set>
#include <string>

namespace lh {
namespace {

bool is_string_or_absent(const Json& object, const char* key) {
  return !object.contains(key) || object[key].is_null() || object[key].is_string();
}

// What is wrong with a message, or an empty string.
std::string fault(const Json& message) {
  static const std::set<std::string_view> kRoles = {"system", "user", "assistant", "tool"};
  static const std::set<std::string_view> kKeys = {"role",       "content",      "reasoning",
                                                   "tool_calls", "tool_call_id", "tool_name"};
  if (!message.is_object()) return "is not an object";
  for (const auto& [key, value] : message.items()) {
    if (!kKeys.contains(key)) return "has an unknown key \"" + key + "\"";
  }
  if (!message.contains("role") || !message["role"].is_string()) return "has no role";
  const std::string& role = message["role"].get_ref<const std::string&>();
  if (!kRoles.contains(role)) return "has the unknown role \"" + role + "\" (system, user, assistant, tool)";
  for (const char* key : {"content", "reasoning", "tool_call_id", "tool_name"}) {
    if (!is_string_or_absent(message, key)) return std::string("has a ") + key + " that is not a string";
  }
  const bool has_calls = message.contains("tool_calls") && !message["tool_calls"].is_null();
  if (!has_calls) {
    if (!message.contains("content") || message["content"].is_null()) return "has no content";
    return {};
  }
  if (role != "assistant") return "has tool_calls, which only an assistant message may have";
  if (!message["tool_calls"].is_array()) return "has tool_calls that are not an array";
  for (const Json& call : message["tool_calls"]) {
    const bool shaped = call.is_object() && call.contains("name") && call["name"].is_string() &&
                        call.contains("args") && call["args"].is_object() && is_string_or_absent(call, "id");
    if (!shaped) return "has a tool call that is not {\"id\", \"name\", \"args\": object}: " + dump_json(call);
  }
  return {};
}

}  // namespace

Status check_messages(const Json& messages) {
  if (!messages.is_array() || messages.empty()) {
    return Status(Code::kInvalidMessages, "messages must be an array with at least one message");
  }
  for (size_t i = 0; i < messages.size(); ++i) {
    if (const std::string what = fault(messages[i]); !what.empty()) {
      return Status(Code::kInvalidMessages, "messages[" + std::to_string(i) + "] " + what);
    }
  }
  return {};
}

namespace {

constexpr size_t kLongestName = 64;

bool is_tool_name(const Json& name) {
  if (!name.is_string()) return false;
  const auto& text = name.get_ref<const std::string&>();
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !text.empty() && text.size() <= kLongestName && std::ranges::all_of(text, allowed);
}

// What is wrong with a tool, or an empty string.
std::string tool_fault(const Json& tool) {
  static const std::set<std::string_view> kKeys = {"name", "description", "parameters"};
  if (!tool.is_object()) return "is not an object";
  for (const auto& [key, value] : tool.items()) {
    if (!kKeys.contains(key)) return "has an unknown key \"" + key + "\"";
  }
  if (!tool.contains("name") || !is_tool_name(tool["name"])) {
    return "needs a name of 1 to 64 letters, digits, _ or -, got " +
           (tool.contains("name") ? dump_json(tool["name"]) : "none");
  }
  if (!is_string_or_absent(tool, "description")) return "has a description that is not a string";
  if (tool.contains("parameters") && !tool["parameters"].is_object()) {
    return "has parameters that are not a JSON Schema (an object): " + dump_json(tool["parameters"]);
  }
  return {};
}

}  // namespace

Status check_tools(const Json& tools) {
  if (!tools.is_array()) return Status(Code::kInvalidArgument, "tools must be an array");
  std::set<std::string> names;
  for (size_t i = 0; i < tools.size(); ++i) {
    const Json& tool = tools[i];
    const std::string where = "tools[" + std::to_string(i) + "] ";
    if (const std::string what = tool_fault(tool); !what.empty()) return Status(Code::kInvalidArgument, where + what);
    if (!names.insert(tool["name"].get<std::string>()).second) {
      return Status(Code::kInvalidArgument, where + "has the name of an earlier tool: " + dump_json(tool["name"]));
    }
  }
  return {};
}

}  // namespace lh
