#include "base/json/json_member.h"

#include "base/json/json.h"

namespace lh {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// The position after the string that begins at `at`.
size_t skip_string(std::string_view text, size_t at) {
  const size_t begin = at + 1;
  for (size_t quote = text.find('"', begin); quote != text.npos; quote = text.find('"', quote + 1)) {
    size_t escapes = quote;
    while (escapes > begin && text[escapes - 1] == '\\') --escapes;
    if ((quote - escapes) % 2 == 0) return quote + 1;
  }
  return text.size();
}

std::string_view trimmed(std::string_view value) {
  while (!value.empty() && is_space(value.back())) value.remove_suffix(1);
  return value;
}

}  // namespace

size_t skip_json_space(std::string_view text, size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

size_t end_of_json_value(std::string_view text, size_t at) {
  int depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = skip_string(text, at);
      continue;
    }
    if (c == '[' || c == '{') ++depth;
    if (depth == 0 && (c == ',' || c == ']' || c == '}')) break;
    if (c == ']' || c == '}') --depth;
    ++at;
  }
  return at;
}

void each_json_member(std::string_view members, FunctionRef<bool(std::string_view, std::string_view)> take) {
  size_t at = skip_json_space(members, 0);
  if (at < members.size() && members[at] == '{') at = skip_json_space(members, at + 1);
  while (at < members.size() && members[at] == '"') {
    const size_t name_end = skip_string(members, at);
    const std::string_view name = members.substr(at, name_end - at);
    const size_t colon = skip_json_space(members, name_end);
    if (colon >= members.size() || members[colon] != ':') return;
    const size_t value = skip_json_space(members, colon + 1);
    const size_t end = end_of_json_value(members, value);
    if (!take(name, trimmed(members.substr(value, end - value)))) return;
    if (end >= members.size() || members[end] != ',') return;
    at = skip_json_space(members, end + 1);
  }
}

std::string_view json_member(std::string_view members, std::string_view key) {
  std::string_view found;
  each_json_member(members, [&](std::string_view name, std::string_view value) {
    if (!is_json_string(name, key)) return true;
    found = value;
    return false;
  });
  return found;
}

bool is_json_string(std::string_view value, std::string_view text) {
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') return false;
  const std::string_view inside = value.substr(1, value.size() - 2);
  if (inside.find('\\') == std::string_view::npos) return inside == text;
  const Result<Json> parsed = parse_json(value, "a string");
  return parsed.ok() && parsed->is_string() && parsed->get_ref<const std::string&>() == text;
}

}  // namespace lh
