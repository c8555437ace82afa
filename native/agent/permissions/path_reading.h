// Reads a text as a path: as it is written, and as its links resolve at this moment.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lh {

// Returns the paths that programs may read from a text, which may be a file URL, without ., .. and a trailing /:
// absolute if the pattern is an absolute path, else relative to the current folder. The paths are in Unicode's normal
// form C, and in one case if no file system of this system distinguishes cases.
struct PathReadings {
  std::vector<std::string> written;
  std::vector<std::string> real;
  bool readable = true;  // false: the file system would not say where one of them leads
  bool known = true;     // false: the text may name any file, such as a device or a file of another machine
};

[[nodiscard]] PathReadings path_readings(const std::string& text, const std::string& pattern);

// A pattern in that spelling. `real`: the same, with the links of the folders that it names before its first wildcard
// followed.
struct PathPattern {
  std::string written;
  std::string real;
  bool exact = true;  // false: a folder in `real` has a wildcard in its name, so that it matches others, too
};

[[nodiscard]] PathPattern path_pattern(const std::string& pattern);

// The number of .. segments at the front of `path`, which has dot segments nowhere else.
[[nodiscard]] size_t folders_up(std::string_view path);

}  // namespace lh
