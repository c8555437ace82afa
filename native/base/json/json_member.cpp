#include "base/json/json_member.h"

#include <optional>

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

struct Name {
  std::string_view text;  // in its quotes
  size_t value;           // the position of the first character of the value
};

// The name that begins at `at`.
std::optional<Name> name_at(std::string_view members, size_t at) {
  if (at >= members.size() || members[at] != '"') return std::nullopt;
  const size_t end = skip_string(members, at);
  const size_t colon = skip_json_space(members, end);
  if (colon >= members.size() || members[colon] != ':') return std::nullopt;
  return Name{members.substr(at, end - at), skip_json_space(members, colon + 1)};
}

// The position of the first name.
size_t first_name(std::string_view members) {
  const size_t at = skip_json_space(members, 0);
  return at < members.size() && members[at] == '{' ? skip_json_space(members, at + 1) : at;
}

// The position of the name after the value that ends at `end`; the end of the text if there is none.
size_t next_name(std::string_view members, size_t end) {
  return end < members.size() && members[end] == ',' ? skip_json_space(members, end + 1) : members.size();
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
  size_t end = 0;
  for (auto name = name_at(members, first_name(members)); name; name = name_at(members, next_name(members, end))) {
    end = end_of_json_value(members, name->value);
    if (!take(name->text, trimmed(members.substr(name->value, end - name->value)))) return;
  }
}

size_t begin_of_json_member(std::string_view members, std::string_view key) {
  auto name = name_at(members, first_name(members));
  while (name && !is_json_string(name->text, key)) {
    name = name_at(members, next_name(members, end_of_json_value(members, name->value)));
  }
  return name ? name->value : std::string_view::npos;
}

std::string_view json_member(std::string_view members, std::string_view key) {
  const size_t begin = begin_of_json_member(members, key);
  if (begin == std::string_view::npos) return {};
  return trimmed(members.substr(begin, end_of_json_value(members, begin) - begin));
}

bool is_json_string(std::string_view value, std::string_view text) {
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') return false;
  const std::string_view inside = value.substr(1, value.size() - 2);
  if (inside.find('\\') == std::string_view::npos) return inside == text;
  const Result<Json> parsed = parse_json(value, "a string");
  return parsed.ok() && parsed->is_string() && parsed->get_ref<const std::string&>() == text;
}

}  // namespace lh
