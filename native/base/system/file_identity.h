// Identifies the file at a path, to detect that it was replaced or changed.
#pragma once

#include <string>

namespace lh {

// A text from device, inode, size and modification time: it differs between files, and changes when a file is written.
// Empty if the file does not exist.
[[nodiscard]] std::string file_identity(const std::string& path);

}  // namespace lh
