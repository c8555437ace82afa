// The strings and numbers of llama.cpp's grammars for JSON, without those that no reader of JSON takes for what they
// say.
#pragma once

#include <string>

namespace lh {

// Excludes escapes of half a character, which a limit of length would count as a whole one, and exponents beyond
// those of a double.
[[nodiscard]] std::string with_readable_json(std::string grammar);

}  // namespace lh
