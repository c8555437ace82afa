#include "llama/prompt/fit/call_texts.h"

#include <string_view>

#include "base/json/python_json.h"

namespace lh {
namespace {

// The arguments of a call as JSON for a text; as they are if they are none.
std::string json_arguments(const std::string& arguments) {
  if (arguments.empty()) return "{}";
  const Json given = Json::parse(arguments, nullptr, false);
  return given.is_discarded() ? arguments : python_json(given);
}

// A control character as Python's repr() writes it.
std::string escaped(unsigned char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  return {'\\', 'x', kDigits[c >> 4U], kDigits[c & 0xFU]};
}

// A text as Python's repr() writes it.
std::string quoted(const std::string& text) {
  const char quote = text.find('\'') != text.npos && text.find('"') == text.npos ? '"' : '\'';
  std::string written(1, quote);
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') written += '\\';
    switch (c) {
      case '\n': written += "\\n"; break;
      case '\r': written += "\\r"; break;
      case '\t': written += "\\t"; break;
      default:
        // U+0080 to U+00A0 are two bytes of UTF-8; U+00AD, the soft hyphen, is not printed, either.
        if (const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
            byte == 0xC2 && (next <= 0xA0 || next == 0xAD) && next != 0) {
          written += escaped(next);
          ++i;
        } else if (byte < 0x20 || byte == 0x7F) {
          written += escaped(byte);
        } else {
          written += c;
        }
    }
  }
  return written + quote;
}

// A value as Python writes it, its texts in the quotes of JSON or of Python.
std::string python(const Json& value, bool json_quotes) {
  if (value.is_null()) return "None";
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  const auto text_of = [json_quotes](const Json& text) {
    return json_quotes ? dump_json(text) : quoted(text.get<std::string>());
  };
  if (value.is_string()) return text_of(value);
  if (value.is_number()) return python_number(value);
  const bool list = value.is_array();
  std::string text = list ? "[" : "{";
  for (const auto& [name, member] : value.items()) {
    if (text.size() > 1) text += ", ";
    if (!list) text += text_of(name) + ": ";
    text += python(member, json_quotes);
  }
  return text + (list ? "]" : "}");
}

std::string arguments(const common_chat_tool_call& call) {
  const Json given = Json::parse(call.arguments, nullptr, false);
  std::string text;
  if (!given.is_object()) return text;
  for (const auto& [name, value] : given.items()) {
    if (!text.empty()) text += ", ";
    text += name + "=" + python(value, true);
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
              ", \"arguments\": " + json_arguments(call.arguments) + "}";
    }
  }
  if (spelling == CallSpelling::kPython) return "<|tool_call_start|>[" + text + "]<|tool_call_end|>";
  return text;
}

std::string printed_arguments(const std::string& arguments) {
  Json given = Json::parse(arguments, nullptr, false);
  if (!given.is_object()) return arguments;
  for (auto& value : given) {
    if (value.is_structured() || value.is_null()) value = python(value, false);
  }
  return template_json(given);
}

std::string result_text(const common_chat_msg& result) {
  return "Result of the tool" + (result.tool_name.empty() ? "" : " " + result.tool_name) + ":\n" + result.content;
}

}  // namespace lh
