#include "base/system/mapped_files.h"

#if !defined(_WIN32)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace lh {

#if defined(_WIN32)

// Windows does not let a mapped file become shorter.
MappedFiles::MappedFiles(const std::vector<std::string>&) {}
MappedFiles::~MappedFiles() = default;
Status MappedFiles::check() const { return {}; }

#else

MappedFiles::MappedFiles(const std::vector<std::string>& paths) {
  files_.reserve(paths.size());
  for (const std::string& path : paths) {
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat found {};
    if (descriptor < 0) continue;
    if (fstat(descriptor, &found) == 0) {
      files_.push_back({path, descriptor, static_cast<int64_t>(found.st_size)});
    } else {
      close(descriptor);
    }
  }
}

MappedFiles::~MappedFiles() {
  for (const File& file : files_) close(file.descriptor);
}

Status MappedFiles::check() const {
  for (const File& file : files_) {
    struct stat found {};
    if (fstat(file.descriptor, &found) != 0 || static_cast<int64_t>(found.st_size) >= file.bytes) continue;
    return {Code::kModelFileInvalid, file.path + " became shorter while it was loaded, from " +
                                         std::to_string(file.bytes) + " to " + std::to_string(found.st_size) +
                                         " bytes; load it again, and replace model files by renaming"};
  }
  return {};
}

#endif

}  // namespace lh
