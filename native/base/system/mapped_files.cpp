#include "base/system/mapped_files.h"

#include <utility>

namespace lh {

MappedFiles::MappedFiles(const std::vector<std::string>& paths) {
  files_.reserve(paths.size());
  for (const std::string& path : paths) {
    auto watched = WatchedFile::open(path);
    if (!watched) continue;
    const int64_t bytes = watched->size();
    if (bytes >= 0) files_.push_back({path, *std::move(watched), bytes});
  }
}

Status MappedFiles::check() const {
  for (const File& file : files_) {
    const int64_t bytes = file.watched.size();
    if (bytes < 0 || bytes >= file.bytes) continue;
    return {Code::kModelFileInvalid, file.path + " became shorter while it was loaded, from " +
                                         std::to_string(file.bytes) + " to " + std::to_string(bytes) +
                                         " bytes; load it again, and replace model files by renaming"};
  }
  return {};
}

}  // namespace lh
