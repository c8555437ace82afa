// Which file a path names, and whether it is still the same. Must not: read it.
#pragma once

#include <string>

namespace lh {

// Another text for every other file, and for this one once it was written anew: device, inode, size, time of the last
// change. Empty when there is no such file.
[[nodiscard]] std::string file_identity(const std::string& path);

}  // namespace lh
