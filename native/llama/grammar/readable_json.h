// Restricts the strings and numbers of llama.cpp's JSON grammars to those that a JSON parser reads unchanged.
#pragma once

#include <string>

namespace lh {

// Excludes escapes of half a character, which a limit of length would count as a whole one, and exponents that a double
// cannot have.
[[nodiscard]] std::string with_readable_json(std::string grammar);

}  // namespace lh
