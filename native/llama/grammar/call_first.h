// Grammars of answers that must call a tool.
#pragma once

#include <string>

namespace lh {

// llama.cpp lets a text of any length stand before a call that is required, and a small model writes nothing else until
// its tokens are used up. The same grammar without that text: reasoning, and then the call.
[[nodiscard]] std::string with_call_first(std::string grammar);

}  // namespace lh
