#include "llama/prompt/inspected_texts.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text/white_space.h"

namespace lh {
namespace {

bool is_word(char byte) { return std::isalnum(static_cast<unsigned char>(byte)) != 0 || byte == '_'; }

// True if the code before or behind a literal uses it to look at a text. Plain words ('user', 'tool_calls') are
// compared with roles and names of members, so they count only as arguments.
bool looks(std::string_view literal, std::string_view before, std::string_view after) {
  static constexpr std::array<std::string_view, 12> kFunctions = {"split",   "rsplit",    "startswith", "endswith",
                                                                  "replace", "find",      "rfind",      "index",
                                                                  "count",   "partition", "strip",      "cut"};
  before = without_space_behind(before);
  after = without_space_before(after);
  if (!before.ends_with('(')) {
    const bool compared =
        before.ends_with('=') || after.starts_with("in ") || after.starts_with("not in ") || after.starts_with("==");
    return compared && !std::ranges::all_of(literal, is_word);
  }
  before = without_space_behind(before.substr(0, before.size() - 1));
  size_t begin = before.size();
  while (begin > 0 && is_word(before[begin - 1])) --begin;
  return std::ranges::find(kFunctions, before.substr(begin)) != kFunctions.end();
}

// Reads a literal whose quote is at `at`, and moves `at` behind it.
std::string read_literal(std::string_view source, size_t& at) {
  const char quote = source[at++];
  std::string text;
  for (; at < source.size() && source[at] != quote; ++at) {
    if (source[at] == '\\' && at + 1 < source.size()) {
      const char escaped = source[++at];
      text += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
    } else {
      text += source[at];
    }
  }
  if (at < source.size()) ++at;
  return text;
}

}  // namespace

std::vector<std::string> inspected_texts(std::string_view source) {
  std::vector<std::string> texts;
  bool code = false;
  for (size_t at = 0; at < source.size();) {
    const std::string_view two = source.substr(at, 2);
    if (!code && two == "{#") {
      at = std::min(source.find("#}", at), source.size() - 2) + 2;
    } else if (!code && (two == "{{" || two == "{%")) {
      code = true;
      at += 2;
    } else if (code && (two == "}}" || two == "%}")) {
      code = false;
      at += 2;
    } else if (code && (source[at] == '\'' || source[at] == '"')) {
      const size_t begin = at;
      std::string text = read_literal(source, at);
      const bool long_enough = without_space_before(without_space_behind(text)).size() > 1;
      if (long_enough && looks(text, source.substr(0, begin), source.substr(at))) texts.push_back(std::move(text));
    } else {
      ++at;
    }
  }
  std::ranges::sort(texts);
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return texts;
}

}  // namespace lh
