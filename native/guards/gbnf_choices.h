// Rewrites long choices between texts so that texts with the same beginning share it: llama.cpp tries every token of
// the vocabulary against each alternative.
#pragma once

#include <string>
#include <string_view>

namespace lh {

// Shortens grammars of llama.cpp's converter, in which an enum is `("a" | "b")`. The language stays the same; shorter
// choices stay as they are.
[[nodiscard]] std::string with_shared_beginnings(std::string_view grammar);

}  // namespace lh
