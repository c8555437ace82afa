// Converts a regular expression for the characters of a string to one for the JSON text of that string, with `\"`, `\\`
// and the escapes of control characters. libllama-common converts it to a grammar.
#pragma once

#include <string>
#include <string_view>

#include "guards/pattern.h"

namespace lh {

struct JsonPattern {
  PatternUse use;
  std::string text = {};  // of kKept: between `^` and `$`, in the syntax of llama.cpp's converter
};

// The pattern admits one spelling of each character: the character itself, or its shortest escape if JSON requires one.
[[nodiscard]] JsonPattern json_pattern(std::string_view pattern);

}  // namespace lh
