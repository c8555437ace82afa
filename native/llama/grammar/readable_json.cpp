#include "llama/grammar/readable_json.h"

#include <string_view>

namespace lh {
namespace {

void replace_all(std::string& text, std::string_view part, std::string_view by) {
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + by.size())) {
    text.replace(at, part.size(), by);
  }
}

}  // namespace

std::string with_readable_json(std::string grammar) {
  replace_all(grammar, R"("u" [0-9a-fA-F]{4})", R"("u" ([0-9a-cA-CefEF] [0-9a-fA-F]{3} | [dD] [0-7] [0-9a-fA-F]{2}))");
  replace_all(grammar, "([eE] [-+]? integral-part)?",
              R"(([eE] ([-+]? [0-9]{1,2} | "-" [0-9]{3} | "+"? ([12] [0-9]{2} | "30" [0-8])))?)");
  return grammar;
}

}  // namespace lh
