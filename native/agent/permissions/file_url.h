// A file URL as the paths that programs may read in it. Must not: look at the file system.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lh {

struct FileUrl {
  std::vector<std::string> paths;  // empty: the text is no file URL
  bool local = true;               // false: it names another machine, and may be a file there
};

// file:///x, file:/x, file:x, file://localhost/x and file:///C:/x, in any case and with \ for /. Programs differ in how
// often they undo percent escapes, and in whether a query belongs to the path.
[[nodiscard]] FileUrl read_file_url(std::string_view text);

}  // namespace lh
