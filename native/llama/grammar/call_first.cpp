#include "llama/grammar/call_first.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace lh {
namespace {

constexpr std::string_view kRoot = "root ::= ";
constexpr std::string_view kTextRule = "until-";  // llama.cpp's rule for a text up to a mark

bool names(char byte) { return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '-'; }

// The end of the quoted text or the class of characters at `at`.
size_t end_of_quoted(std::string_view rule, size_t at) {
  const char close = rule[at] == '"' ? '"' : ']';
  for (++at; at < rule.size() && rule[at] != close; ++at) {
    if (rule[at] == '\\') ++at;
  }
  return std::min(at + 1, rule.size());
}

size_t end_of_name(std::string_view rule, size_t at) {
  while (at < rule.size() && names(rule[at])) ++at;
  return at;
}

// True if a rule follows, and no mark: the mark would be that of the end of reasoning.
bool before_rule(std::string_view rest) {
  for (;;) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" ("), rest.size()));
    const std::string_view name = rest.substr(0, end_of_name(rest, 0));
    if (name != "space") return !name.empty();
    rest.remove_prefix(name.size());
  }
}

}  // namespace

std::string with_call_first(std::string grammar) {
  size_t at = grammar.starts_with(kRoot) ? 0 : grammar.find('\n' + std::string(kRoot));
  if (at == grammar.npos) return grammar;
  at = grammar.find(kRoot, at) + kRoot.size();
  const size_t line_end = std::min(grammar.find('\n', at), grammar.size());
  const std::string_view rule = std::string_view(grammar).substr(at, line_end - at);
  std::string kept;
  size_t depth = 0;
  for (size_t begin = 0; begin < rule.size();) {
    const char byte = rule[begin];
    size_t end = begin + 1;
    if (byte == '"' || byte == '[') end = end_of_quoted(rule, begin);
    if (names(byte)) end = end_of_name(rule, begin);
    depth += byte == '(' ? 1 : 0;
    depth -= byte == ')' && depth > 0 ? 1 : 0;
    const bool is_text = depth == 0 && rule.substr(begin, end - begin).starts_with(kTextRule);
    if (is_text && end < rule.size() && rule[end] == '?') ++end;
    if (!is_text || !before_rule(rule.substr(end))) kept += rule.substr(begin, end - begin);
    begin = end;
  }
  return grammar.replace(at, rule.size(), kept);
}

}  // namespace lh
