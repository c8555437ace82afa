// A text as the path that it may mean. Must not: look into the file system; links are the tool's to resolve.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lh {

// Paths that programs may make of the text, without . and .. and a / at the end: whole where the pattern is an absolute
// path, else from the current folder on.
[[nodiscard]] std::vector<std::string> path_readings(const std::string& text, const std::string& pattern);

// The pattern, in that spelling.
[[nodiscard]] std::string path_pattern(const std::string& pattern);

// The number of .. segments at the front of `path`, which has dot segments nowhere else.
[[nodiscard]] size_t folders_up(std::string_view path);

}  // namespace lh
