// The texts that a chat template looks for in messages: '</think>' of content.split('</think>').
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lh {

// String literals of the template that are arguments of its text functions, are compared with something, or are set to
// a variable. May have more than the template looks for.
[[nodiscard]] std::vector<std::string> inspected_texts(std::string_view source);

}  // namespace lh
