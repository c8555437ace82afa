#include "llama/grammar/readable_json.h"

#include <string_view>

namespace lh {
namespace {

void replace_all(std::string& text, std::string_view part, std::string_view by) {
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + by.size())) {
    text.replace(at, part.size(), by);
  }
}

constexpr std::string_view kNumber = R"(("-"? integral-part) ("." decimal-part)? ([eE] [-+]? integral-part)?)";

// Numbers up to the largest double: any 16 digits up to e292, one digit up to e307, and 1.7976931348623157e308.
constexpr std::string_view kFiniteNumber =
    R"((("-"? integral-part) ("." decimal-part)? ([eE] ("-" [0-9]{1,3} | "+"? ([0-9]{1,2} | "1" [0-9]{2} | )"
    R"("2" [0-8] [0-9] | "29" [0-2])))? | "-"? [0-9] ("." decimal-part)? [eE] "+"? ("29" [3-9] | "30" [0-7]) | )"
    R"("-"? "1" ("." ([0-6] [0-9]{0,15} | "7" ([0-8] [0-9]{0,14})? | "79" ([0-6] [0-9]{0,13})? | )"
    R"("7976931348623157"))? [eE] "+"? "308"))";

}  // namespace

std::string with_readable_json(std::string grammar) {
  replace_all(grammar, R"("u" [0-9a-fA-F]{4})", R"("u" ([0-9a-cA-CefEF] [0-9a-fA-F]{3} | [dD] [0-7] [0-9a-fA-F]{2}))");
  replace_all(grammar, kNumber, kFiniteNumber);
  return grammar;
}

}  // namespace lh
