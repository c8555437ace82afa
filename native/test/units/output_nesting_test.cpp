// Finds text that would overflow the stack of a recursive parser, at every place where such a parser may begin; finds
// no other text.
#include "guards/output_nesting.h"

#include <string>

#include "check.h"

namespace {

std::string times(int count, const std::string& text) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

bool deep(const std::string& text) { return lh::nests_too_deep(text, true); }

void finds_what_nests() {
  const int over = lh::kMaxOutputDepth + 1;
  CHECK(deep(times(over, "[")));
  CHECK(!deep(times(over - 1, "[") + times(over - 1, "]")));
  CHECK(deep("<tool_call>{\"a\": " + times(over, "[1, \"x]\", ")));
  CHECK(deep("<tool_call>{\"a\": " + times(over, "{\"k\\\"}\": ")));
  CHECK(deep("A quote \" before the call: {\"a\": " + times(over, "[\"]\", ")));
  CHECK(deep("f(a=" + times(over, "[']', ")));
  CHECK(lh::nests_too_deep(times(over, "{a):"), false));
}

void leaves_text_alone() {
  CHECK(!deep(times(1000, "[0, 1) ")));
  CHECK(!deep(times(1000, "[it's](that) {\"a\": [1]}")));
  CHECK(!deep(times(100, "{\"text\": \"an open [\"},")));
}

}  // namespace

int main() {
  finds_what_nests();
  leaves_text_alone();
  return check_result("output_nesting_test");
}
