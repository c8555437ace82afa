// A file that is there whole or not at all. Must not: know what is in it.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace lh {

// Written beside it, for its owner alone to read, and then put in its place. Errors: kInvalidArgument, with the path
// and what the system says; what was there before is there still.
[[nodiscard]] Status write_file_atomically(const std::string& path, std::string_view text);

// Errors: kNotFound, with the path and what the system says.
[[nodiscard]] Result<std::string> read_file(const std::string& path);

}  // namespace lh
