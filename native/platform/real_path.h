// Resolves a path as the file system has it at this moment. Must not: be taken for the result at the time when a tool
// opens the path.
#pragma once

#include <filesystem>
#include <string>

namespace lh {

struct RealPath {
  std::filesystem::path path;  // without links, ., .. and a / at the end
  bool readable = true;        // false: a part of it could not be looked up, and is as it was written
};

// Follows the links of an absolute path as the system does, `..` behind a link included. Names that do not exist stay
// as they are; a link to nothing becomes that place.
[[nodiscard]] RealPath real_path(const std::filesystem::path& whole);

}  // namespace lh
