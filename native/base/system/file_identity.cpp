#include "base/system/file_identity.h"

#include <sys/stat.h>

#include <filesystem>
#include <system_error>

namespace lh {

std::string file_identity(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return {};
  std::error_code failed;
  const auto time = std::filesystem::last_write_time(path, failed);  // finer than a second, on every system
  if (failed) return {};
  return std::to_string(found.st_dev) + ':' + std::to_string(found.st_ino) + ':' + std::to_string(found.st_size) + ':' +
         std::to_string(time.time_since_epoch().count());
}

}  // namespace lh
