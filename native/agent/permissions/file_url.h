// Returns the paths that programs may read from a file URL. Must not: look at the file system.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lh {

struct FileUrl {
  std::vector<std::string> paths;  // empty: the text is not a file URL
  bool local = true;               // false: it names another machine, where the file may be
};

// file:///x, file:/x, file:x, file://localhost/x and file:///C:/x, in any case and with \ for /. Programs differ in how
// often they decode percent escapes, and in whether a query belongs to the path.
[[nodiscard]] FileUrl read_file_url(std::string_view text);

}  // namespace lh
