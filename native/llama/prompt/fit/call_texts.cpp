#include "llama/prompt/fit/call_texts.h"

#include "base/json/json.h"

namespace lh {
namespace {

// A value as Python writes it.
std::string python(const Json& value) {
  if (value.is_null()) return "None";
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (!value.is_array() && !value.is_object()) return dump_json(value);
  const bool list = value.is_array();
  std::string text = list ? "[" : "{";
  for (const auto& [name, member] : value.items()) {
    if (text.size() > 1) text += ", ";
    if (!list) text += dump_json(name) + ": ";
    text += python(member);
  }
  return text + (list ? "]" : "}");
}

std::string arguments(const common_chat_tool_call& call) {
  const Json given = Json::parse(call.arguments, nullptr, false);
  std::string text;
  if (!given.is_object()) return text;
  for (const auto& [name, value] : given.items()) {
    if (!text.empty()) text += ", ";
    text += name + "=" + python(value);
  }
  return text;
}

}  // namespace

std::string calls_text(const std::vector<common_chat_tool_call>& calls, CallSpelling spelling) {
  std::string text;
  for (const common_chat_tool_call& call : calls) {
    if (spelling == CallSpelling::kPython) {
      text += (text.empty() ? "" : ", ") + call.name + "(" + arguments(call) + ")";
    } else {
      text += (text.empty() ? "" : "\n") + std::string("{\"name\": ") + dump_json(call.name) +
              ", \"arguments\": " + (call.arguments.empty() ? "{}" : call.arguments) + "}";
    }
  }
  if (spelling == CallSpelling::kPython) return "<|tool_call_start|>[" + text + "]<|tool_call_end|>";
  return text;
}

std::string result_text(const common_chat_msg& result) {
  return "Result of the tool" + (result.tool_name.empty() ? "" : " " + result.tool_name) + ":\n" + result.content;
}

}  // namespace lh
