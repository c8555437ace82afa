#include "guards/output_nesting.h"

#include <algorithm>

namespace lh {
namespace {

// The depth by one reading of the text. Whether a quote begins or ends a string depends on where a parser begins, so
// both readings are followed, for either kind of quote. The deeper one is never below the depth that a parser sees.
class Reading {
 public:
  Reading(char quote, bool in_string) : quote_(quote), in_string_(in_string) {}

  int take(char c, bool intervals) {
    if (c == quote_) in_string_ = !in_string_;
    if (in_string_) return depth_;
    if (c == '[' || c == '{') return ++depth_;
    if (c == ']' || c == '}' || (intervals && c == ')')) depth_ = std::max(0, depth_ - 1);
    return depth_;
  }

 private:
  const char quote_;
  bool in_string_;
  int depth_ = 0;
};

}  // namespace

bool nests_too_deep(std::string_view text, bool intervals) {
  if (std::ranges::count_if(text, [](char c) { return c == '[' || c == '{'; }) <= kMaxOutputDepth) return false;
  Reading readings[] = {{'"', false}, {'"', true}, {'\'', false}, {'\'', true}};
  bool escaped = false;
  for (const char c : text) {
    const bool literal = escaped && (c == '"' || c == '\'');
    escaped = c == '\\' && !escaped;
    if (literal) continue;
    for (Reading& reading : readings) {
      if (reading.take(c, intervals) > kMaxOutputDepth) return true;
    }
  }
  return false;
}

}  // namespace lh
