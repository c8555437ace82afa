#include "base/file_identity.h"

#include <sys/stat.h>

namespace lh {

std::string file_identity(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return {};
#ifdef __APPLE__
  const timespec& time = found.st_mtimespec;
#else
  const timespec& time = found.st_mtim;
#endif
  return std::to_string(found.st_dev) + ':' + std::to_string(found.st_ino) + ':' + std::to_string(found.st_size) + ':' +
         std::to_string(time.tv_sec) + '.' + std::to_string(time.tv_nsec);
}

}  // namespace lh
