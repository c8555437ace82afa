#include "guards/gbnf_choices.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace lh {
namespace {

using ChoiceText = std::vector<std::string_view>;  // as written: an escape is one

constexpr size_t kLeastChoices = 16;

size_t choice_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  size_t length = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (lead == '\\') {
    const char kind = text.size() > 1 ? text[1] : '\0';
    length = kind == 'x' ? 4 : kind == 'u' ? 6 : kind == 'U' ? 10 : 2;
  }
  return std::min(length, text.size());
}

// Removes a text in quotes from the beginning and returns its characters; nothing if it does not end.
std::optional<ChoiceText> quoted_choice(std::string_view& text) {
  ChoiceText characters;
  for (text.remove_prefix(1); !text.empty() && text[0] != '"';) {
    characters.push_back(text.substr(0, choice_length(text)));
    text.remove_prefix(characters.back().size());
  }
  if (text.empty()) return std::nullopt;
  text.remove_prefix(1);
  return characters;
}

// The texts of `("a" | "b")` at the beginning, which is then removed; nothing if it is anything else.
std::vector<ChoiceText> choices_between_texts(std::string_view& text) {
  std::string_view rest = text.substr(1);
  std::vector<ChoiceText> found;
  while (rest.starts_with('"')) {
    auto one = quoted_choice(rest);
    if (!one) return {};
    found.push_back(*std::move(one));
    if (rest.starts_with(" | ")) {
      rest.remove_prefix(3);
    } else {
      if (!rest.starts_with(')') || found.size() < kLeastChoices) return {};
      text = rest.substr(1);
      return found;
    }
  }
  return {};
}

class ChoiceWriter {
 public:
  // Returns the name of the rule for the choice.
  std::string write(std::vector<ChoiceText> texts) {
    std::ranges::sort(texts);
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    std::string result = name();
    std::deque<Part> left = {{result, 0, texts.size(), 0}};
    for (; !left.empty(); left.pop_front()) {
      const Part& part = left.front();
      rules_ += part.rule + " ::= ";
      for (size_t from = part.from; from < part.to;) {
        if (from > part.from) rules_ += " | ";
        size_t to = from + 1;
        size_t length = texts[from].size();
        for (; to < part.to && texts[from].size() > part.shared && texts[to][part.shared] == texts[from][part.shared];
             ++to) {
          length = std::min(length, shared(texts[from], texts[to], part.shared));
        }
        rules_ += '"';
        for (size_t i = part.shared; i < length; ++i) rules_ += texts[from][i];
        rules_ += '"';
        if (to > from + 1) {
          left.push_back({name(), from, to, length});
          rules_ += " " + left.back().rule;
        }
        from = to;
      }
      rules_ += '\n';
    }
    return result;
  }

  std::string take() { return std::move(rules_); }

 private:
  struct Part {
    std::string rule;
    size_t from;
    size_t to;
    size_t shared;  // characters that are written already
  };

  // The first `known` characters are the same.
  static size_t shared(const ChoiceText& a, const ChoiceText& b, size_t known) {
    const auto from = static_cast<std::ptrdiff_t>(known);
    return static_cast<size_t>(std::mismatch(a.begin() + from, a.end(), b.begin() + from, b.end()).first - a.begin());
  }

  std::string name() { return "shared-beginning-" + std::to_string(count_++); }

  std::string rules_;
  size_t count_ = 0;
};

}  // namespace

std::string with_shared_beginnings(std::string_view grammar) {
  std::string result;
  if (grammar.find("shared-beginning-") != std::string_view::npos) return std::string(grammar);
  ChoiceWriter writer;
  for (std::string_view rest = grammar; !rest.empty();) {
    const std::string_view before = rest;
    if (rest[0] == '(') {
      std::vector<ChoiceText> texts = choices_between_texts(rest);
      if (!texts.empty()) {
        result += "(" + writer.write(std::move(texts)) + ")";
        continue;
      }
    }
    const char end = rest[0] == '"' ? '"' : rest[0] == '[' ? ']' : '\0';
    rest.remove_prefix(1);
    while (end != '\0' && !rest.empty() && rest[0] != end) rest.remove_prefix(choice_length(rest));
    if (end != '\0' && !rest.empty()) rest.remove_prefix(1);
    result += before.substr(0, before.size() - rest.size());
  }
  std::string rules = writer.take();
  if (rules.empty()) return result;
  if (!result.ends_with('\n')) result += '\n';
  return result + rules;
}

}  // namespace lh
