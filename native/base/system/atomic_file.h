// Reads files, and writes them atomically: readers see the old content or the new, never a part.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace lh {

// Writes a new file beside the old one, readable by its owner only, and moves it into place. Errors: kInvalidArgument,
// with the path and the system's message; the old content then stays.
[[nodiscard]] Status write_file_atomically(const std::string& path, std::string_view text);

// Errors: kNotFound, with the path and the system's message.
[[nodiscard]] Result<std::string> read_file(const std::string& path);

}  // namespace lh
