// A parser of libllama-common that takes the marks which end an argument, and other closing marks, also without the
// line breaks around them, which models sometimes leave out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "peg-parser.h"

namespace lh {

// The marks that end a text only with white space around them, without that.
[[nodiscard]] std::vector<std::string> bare_ends(const common_peg_arena& parser);

[[nodiscard]] common_peg_arena loose_parser(const common_peg_arena& parser);

}  // namespace lh
