// Patterns of rules: * matches anything but /, ** anything, ? one character but /.
#pragma once

#include <string_view>

namespace lh {

// True if `pattern` matches all of `text`.
[[nodiscard]] bool matches_pattern(std::string_view pattern, std::string_view text);

// The same of a path: "x/**" is the folder x and all in it, and "**/" any number of folders, none included.
[[nodiscard]] bool matches_path(std::string_view pattern, std::string_view path);

}  // namespace lh
