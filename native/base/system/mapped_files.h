// Files whose pages are used as memory. If one becomes shorter, the use of a page beyond its end is a SIGBUS, which
// ends the process; so code that uses the pages asks before. Must not: be taken for a guard, since a file may become
// shorter between the question and the use.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "base/status.h"
#include "platform/files.h"

namespace lh {

class MappedFiles {
 public:
  // Keeps the files open, so that it knows them by any name. A file that cannot be opened is not watched.
  explicit MappedFiles(const std::vector<std::string>& paths);
  MappedFiles(const MappedFiles&) = delete;
  MappedFiles& operator=(const MappedFiles&) = delete;

  // One fstat for each file. Errors: kModelFileInvalid if a file has become shorter.
  [[nodiscard]] Status check() const;

 private:
  struct File {
    std::string path;
    WatchedFile watched;
    int64_t bytes;
  };
  std::vector<File> files_;
};
static_assert(!std::is_copy_constructible_v<MappedFiles>);

}  // namespace lh
