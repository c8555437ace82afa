// Grammars of answers that must call a tool.
#pragma once

#include <string>

namespace lh {

// llama.cpp's grammars allow a text of any length before a required call, and a small model writes only that text,
// until its tokens are used up. This returns the grammar without the text: reasoning, and then the call.
[[nodiscard]] std::string with_call_first(std::string grammar);

}  // namespace lh
