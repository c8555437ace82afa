#include "guards/gbnf_rules.h"

#include <algorithm>

namespace lh {
namespace {

bool in_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'; }

// The mark that ends the text which `open` begins; 0: `open` begins none.
char end_of(char open) {
  switch (open) {
    case '"': return '"';
    case '[': return ']';
    case '{': return '}';
    case '<': return '>';
    case '#': return '\n';
    default: return '\0';
  }
}

// The length of a literal, a class, a repetition, a token or a comment at the beginning, or of one other character.
size_t length_of_part(std::string_view text) {
  const char end = end_of(text[0]);
  if (end == '\0') return 1;
  size_t at = 1;
  while (at < text.size() && text[at] != end) at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

}  // namespace

std::string with_prefixed_rules(std::string_view grammar, std::string_view prefix) {
  std::string result;
  for (size_t at = 0; at < grammar.size();) {
    const bool name = in_name(grammar[at]);
    size_t end = at;
    if (name) {
      result += prefix;
      while (end < grammar.size() && in_name(grammar[end])) ++end;
    } else {
      end += length_of_part(grammar.substr(at));
    }
    result += grammar.substr(at, end - at);
    at = end;
  }
  return result;
}

void replace_rule(std::string& grammar, std::string_view name, std::string_view body) {
  const std::string head = std::string(name) + " ::= ";
  size_t at = grammar.starts_with(head) ? 0 : grammar.find("\n" + head);
  if (at == std::string::npos) return;
  at = grammar.find("::= ", at) + 4;
  grammar.replace(at, std::min(grammar.find('\n', at), grammar.size()) - at, body);
}

std::string gbnf_literal(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    switch (c) {
      case '\n': literal += "\\n"; break;
      case '\r': literal += "\\r"; break;
      case '"':
      case '\\': literal += '\\'; [[fallthrough]];
      default: literal += c;
    }
  }
  return literal + '"';
}

}  // namespace lh
