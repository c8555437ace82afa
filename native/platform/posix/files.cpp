#include "platform/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "platform/posix/descriptors.h"

namespace lh {
namespace {

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return ::fsync(file) == 0;
}

}  // namespace

std::error_code write_new_file(const std::string& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return posix_error(errno);
  int error = write_all(file, text) ? 0 : errno;
  if (::close(file) != 0 && error == 0) error = errno;
  if (error != 0) remove_file(path);
  return posix_error(error);
}

std::error_code replace_file(const std::string& from, const std::string& to) {
  return std::rename(from.c_str(), to.c_str()) == 0 ? std::error_code() : posix_error(errno);
}

void remove_file(const std::string& path) noexcept { static_cast<void>(std::remove(path.c_str())); }

std::string file_identity(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return {};
  std::error_code failed;
  const auto time = std::filesystem::last_write_time(path, failed);  // finer than a second, on every system
  if (failed) return {};
  const auto ticks = static_cast<long long>(time.time_since_epoch().count());  // wider in some libraries
  return std::to_string(found.st_dev) + ':' + std::to_string(found.st_ino) + ':' + std::to_string(found.st_size) + ':' +
         std::to_string(ticks);
}

std::optional<WatchedFile> WatchedFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  return WatchedFile(descriptor);
}

WatchedFile::WatchedFile(WatchedFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

WatchedFile::~WatchedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int64_t WatchedFile::size() const {
  struct stat found {};
  return ::fstat(descriptor_, &found) == 0 ? static_cast<int64_t>(found.st_size) : -1;
}

}  // namespace lh
