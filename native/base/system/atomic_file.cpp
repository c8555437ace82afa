#include "base/system/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/system/unique_id.h"

namespace lh {
namespace {

Status failed(Code code, const char* what, const std::string& path, int error) {
  return {code, std::string(what) + " " + path + ": " + std::generic_category().message(error)};
}

/* Replacing a device or a pipe would take it away from everybody, and reading one may never end. */
bool is_no_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

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

Status write_file_atomically(const std::string& path, std::string_view text) {
  if (is_no_file(path)) return {Code::kInvalidArgument, "cannot write " + path + ": it is no regular file"};
  const std::string beside = path + "." + unique_id() + ".tmp";
  const int file = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return failed(Code::kInvalidArgument, "cannot write", path, errno);
  int error = write_all(file, text) ? 0 : errno;
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(beside.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  static_cast<void>(std::remove(beside.c_str()));
  return failed(Code::kInvalidArgument, "cannot write", path, error);
}

Result<std::string> read_file(const std::string& path) {
  if (is_no_file(path)) return Status{Code::kNotFound, "cannot read " + path + ": it is no regular file"};
  std::ifstream file(path, std::ios::binary);
  if (!file) return failed(Code::kNotFound, "cannot read", path, errno);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) return failed(Code::kNotFound, "cannot read", path, EIO);
  return text;
}

}  // namespace lh
