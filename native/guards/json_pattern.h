// A regular expression over the characters of a string, as one over the text that the string is in JSON: with `\"`,
// `\\` and the escapes of control characters. Must not: turn it into a grammar; libllama-common does.
#pragma once

#include <string>
#include <string_view>

#include "guards/pattern.h"

namespace lh {

struct JsonPattern {
  PatternUse use;
  std::string text = {};  // of kKept: between `^` and `$`, in the words of llama.cpp's converter
};

// Each character has one spelling in it: itself, or its shortest escape where JSON needs one.
[[nodiscard]] JsonPattern json_pattern(std::string_view pattern);

}  // namespace lh
