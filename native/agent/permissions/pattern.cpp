#include "agent/permissions/pattern.h"

#include <cstddef>

#include "base/text/utf8.h"

namespace lh {
namespace {

// The bytes of the character that begins at the front of `text`; 0 within one.
size_t character_length(std::string_view text) {
  const Utf8Step step = utf8_step(text);
  return step.kind == Utf8Step::Kind::kCharacter ? step.length : 0;
}

// True if the pattern matches the empty text.
bool may_be_empty(std::string_view pattern, bool folders) {
  while (!pattern.empty()) {
    if (folders && pattern.starts_with("/**")) {
      pattern.remove_prefix(3);
    } else if (pattern.front() == '*') {
      pattern.remove_prefix(1);
    } else {
      return false;
    }
  }
  return true;
}

// With the last * or ** to come back to; one of each is enough, as what stands before a later one has matched already.
bool matches(std::string_view pattern, std::string_view text, bool folders) {
  struct Back {
    size_t pattern = 0;  // 0: there is none
    size_t text = 0;
    bool whole = false;  // it stands for whole folders
  };
  size_t p = 0;
  size_t t = 0;
  Back star;
  Back double_star;
  while (t < text.size()) {
    const std::string_view rest = pattern.substr(p);
    if (rest.starts_with("**")) {
      const bool whole = folders && rest.starts_with("**/") && (p == 0 || pattern[p - 1] == '/');
      double_star = {p += whole ? 3 : 2, t, whole};
      star = {};
    } else if (rest.starts_with('*')) {
      star = {++p, t, false};
    } else if (!rest.empty() && rest.front() == text[t]) {
      ++p;
      ++t;
    } else if (rest.starts_with('?') && text[t] != '/' && character_length(text.substr(t)) > 0) {
      ++p;
      t += character_length(text.substr(t));
    } else if (star.pattern > 0 && text[star.text] != '/') {
      p = star.pattern;
      t = ++star.text;
    } else if (double_star.pattern > 0) {
      const size_t next = double_star.whole ? text.find('/', double_star.text) : double_star.text;
      if (next == std::string_view::npos) return false;
      star = {};
      p = double_star.pattern;
      t = double_star.text = next + 1;
    } else {
      return false;
    }
  }
  return may_be_empty(pattern.substr(p), folders);
}

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view text) { return matches(pattern, text, false); }

bool matches_path(std::string_view pattern, std::string_view path) { return matches(pattern, path, true); }

}  // namespace lh
