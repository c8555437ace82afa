#include "engine/message_text.h"

namespace lh {

std::string joined_contents(const Json& messages, std::string_view role) {
  std::string joined;
  for (const Json& message : messages) {
    if (message["role"] != role) continue;
    if (!joined.empty()) joined += "\n";
    if (message.contains("tool_name")) joined += message["tool_name"].get<std::string>() + ": ";
    joined += message["content"].get<std::string>();
  }
  return joined;
}

ParsedOutput parse_foreign(const Prompt& prompt, const std::string& text) {
  auto parsed = prompt.format().parse_calls(text);
  if (parsed.ok()) return *std::move(parsed);
  ParsedOutput whole;
  whole.content = text;
  return whole;
}

}  // namespace lh
